"""Numbers of payment cards and bank accounts."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from stdnum import iban, luhn

from sieve.marking.detectors.form import Form, grouped
from sieve.marking.ranges import Range

_CARD_GAP: Final = r"(?:\r\n|[\s./\-\x{2010}-\x{2013}]\s?)"
_CARD_SHAPES: Final = (
    (4, 4, 4, 4, 3),
    (4, 4, 4, 4),
    (4, 6, 5),
    (4, 6, 4),
    (8, 8),
    (6, 13),
    *((size,) for size in range(13, 20)),
)
_IBAN_GAP: Final = r"(?:\r\n|[\s.\-\x{2010}-\x{2012}])"
_IBAN_SIZES: Final = range(34, 14, -1)


def _is_card(digits: str) -> bool:
    """Cards of all the schemes begin with 2 to 6. American Express and Maestro alone have 15 digits, Diners 14."""
    if digits[0] not in "23456":
        return False
    begins: tuple[str, ...]
    match len(digits):
        case 13:
            begins = ("4", "50", "56", "57", "58", "6")
        case 14:
            begins = ("30", "36", "38", "39", "50", "56", "57", "58", "6")
        case 15:
            begins = ("34", "37", "50", "56", "57", "58", "6")
        case _:
            begins = ("",)
    return digits.startswith(begins) and luhn.is_valid(digits)


def _iban(text: str, start: int, end: int) -> Iterator[Range]:
    """The text after an IBAN may look like part of it, so the longest valid prefix counts."""
    if text[start - 1 : start].isalnum():
        return
    places = [place for place in range(start, end) if text[place].isalnum()]
    for size in _IBAN_SIZES:
        if size > len(places):
            continue
        last = places[size - 1] + 1
        if text[last : last + 1].isalnum():
            continue
        if iban.is_valid("".join(text[place] for place in places[:size]).upper(), check_country=False):
            yield start, last
            return


CARD: Final = [Form(rf"\d+(?:{_CARD_GAP}\d+)*", partial(grouped, shapes=_CARD_SHAPES, valid=_is_card))]
IBAN: Final = [Form(rf"[a-zA-Z]{{2}}{_IBAN_GAP}?\d{{2}}(?:{_IBAN_GAP}?[a-zA-Z0-9]){{11,30}}", _iban)]
