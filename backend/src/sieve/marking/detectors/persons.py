"""Numbers that states give to persons."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from stdnum import luhn
from stdnum.us import ssn

from sieve.marking.detectors.form import WORD_START, Form, digits_of, grouped, is_between
from sieve.marking.ranges import Range

_GAP: Final = r"(?:\r\n|[\s.\-\x{2010}-\x{2013}])"


def _is_sin(digits: str) -> bool:
    # Not stdnum.ca.sin: it refuses those that begin with 0 or 8, and forms show 046 454 286 as an example.
    return digits != "0" * 9 and luhn.is_valid(digits)


def _sin(text: str, start: int, end: int) -> Iterator[Range]:
    if is_between(text, start, end) and _is_sin(digits_of(text[start:end])):
        yield start, end


def _ssn(text: str, start: int, end: int) -> Iterator[Range]:
    # "SSN536904399" has no space, so only the character after it counts.
    if not text[end : end + 1].isalnum() and ssn.is_valid(digits_of(text[start:end])):
        yield start, end


SIN: Final = [
    Form(rf"\d+(?:{_GAP}\d+)*", partial(grouped, shapes=((3, 3, 3), (9,)), valid=_is_sin)),
    Form(
        rf"{WORD_START}(?:s\.?i\.?n|n\.?a\.?s|social\s+insurance|assurance\s+sociale)[^\d\x00\n]{{0,12}}"
        rf"(\d(?:{_GAP}?\d){{8}})",
        _sin,
        group=1,
    ),
]
SSN: Final = [
    Form(rf"\d+(?:{_GAP}{{1,3}}\d+)*", partial(grouped, shapes=((3, 2, 4),), valid=ssn.is_valid)),
    Form(
        rf"(?:{WORD_START}(?:ssns?|s\.\s?s\.\s?n|ss\s?#|ss\s+no|soc\.?\s+sec|social\s+security|seguro\s+social|"
        rf"seguridad\s+social|nss)|社会安全号)[^\d\x00\n]{{0,16}}(\d(?:{_GAP}{{0,3}}\d){{8}})",
        _ssn,
        group=1,
    ),
]
