"""Numbers of payment cards, bank accounts and banks, and addresses of crypto currencies."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

import phonenumbers
from stdnum import bitcoin, iban, luhn
from stdnum.us import rtn

from sieve.marking.detectors.form import WORD_START, Form, after_label, digits_of, grouped, is_between
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


_BIC_LABEL: Final = re.compile(r"bic|swift", re.IGNORECASE)
_LABEL_DISTANCE: Final = 24


def _bic(text: str, start: int, end: int) -> Iterator[Range]:
    """DOCUMENT has the form of a BIC in Montenegro. So one without digits needs its branch XXX or a label."""
    written = text[start:end]
    if not is_between(text, start, end) or written[4:6] not in phonenumbers.SUPPORTED_REGIONS:
        return
    labelled = _BIC_LABEL.search(text, max(0, start - _LABEL_DISTANCE), start)
    if labelled or written.endswith("XXX") or any(character.isdigit() for character in written):
        yield start, end


_ROUTING_BEGINS: Final = frozenset({*range(13), *range(21, 33), *range(61, 73), 80})
"""Districts of the Federal Reserve, thrift institutions, electronic transactions, and traveller's cheques."""


def _is_routing(digits: str) -> bool:
    return int(digits_of(digits)[:2]) in _ROUTING_BEGINS and rtn.is_valid(digits_of(digits))


def _crypto(text: str, start: int, end: int) -> Iterator[Range]:
    written = text[start:end]
    if is_between(text, start, end) and (written.startswith("0x") or bitcoin.is_valid(written) or _is_taproot(written)):
        yield start, end


_BECH32: Final = {letter: value for value, letter in enumerate("qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
_BECH32M: Final = 0x2BC830A3


def _is_taproot(written: str) -> bool:
    """Whether it is an address of a later version than stdnum knows, with the checksum Bech32m (BIP 350)."""
    values = [_BECH32.get(letter, -1) for letter in written.lower()[3:]]
    # The first values stand for "bc".
    return (
        -1 not in values and values[0] in range(1, 17) and bitcoin.bech32_checksum([3, 3, 0, 2, 3, *values]) == _BECH32M
    )


BIC: Final = [Form(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?", _bic, case=True)]
ROUTING: Final = [
    Form(
        rf"{WORD_START}(?:routing|aba|rtn|número\s+de\s+ruta)",
        partial(after_label, follows=re.compile(r"[^\d\n\x00]{0,24}(\d{9})"), valid=_is_routing),
    )
]
CRYPTO: Final = [
    Form(
        r"bc1[a-z0-9]{25,87}|BC1[A-Z0-9]{25,87}|[13][a-km-zA-HJ-NP-Z1-9]{25,34}|0x[0-9a-fA-F]{40}", _crypto, case=True
    ),
]
CARD: Final = [Form(rf"\d+(?:{_CARD_GAP}\d+)*", partial(grouped, shapes=_CARD_SHAPES, valid=_is_card), wordless=True)]
IBAN: Final = [Form(rf"[a-zA-Z]{{2}}{_IBAN_GAP}?\d{{2}}(?:{_IBAN_GAP}?[a-zA-Z0-9]){{11,30}}", _iban)]
