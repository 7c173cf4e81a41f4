"""Numbers that states give to persons."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from stdnum import luhn
from stdnum.de import idnr
from stdnum.fr import nir
from stdnum.in_ import aadhaar
from stdnum.us import ssn

from sieve.marking.detectors.form import WORD_START, Form, after_label, alone, digits_of, grouped, is_between
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


_NINO_UNUSED: Final = ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def _nino(text: str, start: int, end: int) -> Iterator[Range]:
    if not text[start:end].upper().startswith(_NINO_UNUSED):
        yield from alone(text, start, end)


def _nir(text: str, start: int, end: int) -> Iterator[Range]:
    if is_between(text, start, end) and nir.is_valid("".join(filter(str.isalnum, text[start:end])).upper()):
        yield start, end


def _is_passport(written: str) -> bool:
    return sum(character.isdigit() for character in written) >= 4


_PASSPORT: Final = re.compile(
    r"(?:[\s-]?(?:(?i:number|nummer|no|nr)(?![^\W\d_])|(?i:n)(?![^\W_])))?(?:\s(?:is|ist|lautet|est|es))?"
    r"[\s.:#№°º：(]{0,3}([A-Z]{1,2} \d{6,8}|\d\d \d\d \d{6}|\d\d \d{7}|[A-Z0-9]{7,10})"
)

NINO: Final = [
    Form(rf"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]{_GAP}?\d{{2}}(?:{_GAP}?\d{{2}}){{2}}{_GAP}?[A-D]", _nino),
]
TAX_ID: Final = [
    Form(
        rf"\d+(?:{_GAP}\d+)*",
        partial(grouped, shapes=((2, 3, 3, 3), (2, 9), (11,)), valid=idnr.is_valid),
        wordless=True,
    ),
]
NIR: Final = [
    Form(rf"[1-478](?:{_GAP}?\d){{4}}{_GAP}?(?:\d{_GAP}?\d|2[AB])(?:{_GAP}?\d){{8}}", _nir),
]
AADHAAR: Final = [
    Form(rf"\d+(?:{_GAP}\d+)*", partial(grouped, shapes=((4, 4, 4), (12,)), valid=aadhaar.is_valid), wordless=True)
]
PASSPORT: Final = [
    Form(
        rf"{WORD_START}(?:passport|reisepass|passnummer|pass[\s-]?nr|passeport|pasaporte|passaport[eo]|paspoort(?:nummer)?|"
        r"paszportu?|(?:загран)?паспорта?)"
        r"|护照号码?|护照",
        partial(after_label, follows=_PASSPORT, valid=_is_passport),
    ),
    # The two lines for machines at the foot of its page.
    Form(
        r"P[A-Z<][A-Z<]{3}[A-Z<]{20,39}|[A-Z0-9<]{9}\d[A-Z<]{3}\d{6}[\d<][MFX<]\d{6}[\d<][A-Z0-9<]{12,16}",
        alone,
        case=True,
    ),
]
SIN: Final = [
    Form(rf"\d+(?:{_GAP}\d+)*", partial(grouped, shapes=((3, 3, 3), (9,)), valid=_is_sin), wordless=True),
    Form(
        rf"{WORD_START}(?:s\.?i\.?n|n\.?a\.?s|social\s+insurance|assurance\s+sociale)[^\d\x00\n]{{0,12}}"
        rf"(\d(?:{_GAP}?\d){{8}})",
        _sin,
        group=1,
    ),
]
SSN: Final = [
    Form(rf"\d+(?:{_GAP}{{1,3}}\d+)*", partial(grouped, shapes=((3, 2, 4),), valid=ssn.is_valid), wordless=True),
    Form(
        rf"(?:{WORD_START}(?:ssns?|s\.\s?s\.\s?n|ss\s?#|ss\s+no|soc\.?\s+sec|social\s+security|seguro\s+social|"
        rf"seguridad\s+social|nss)|社会安全号)[^\d\x00\n]{{0,16}}(\d(?:{_GAP}{{0,3}}\d){{8}})",
        _ssn,
        group=1,
    ),
]
