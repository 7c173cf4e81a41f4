r"""Detectors: find what looks like an address, a number of a person or a place, by its form and its check digits.

To add a detector, add a row to `DETECTORS`; the web interface's list and the API come from it (`make api`).

Invariant: RE2 finds candidates in linear time, and checking a candidate takes bounded time. A number with a check digit
must pass it. Anything known only by its form counts if people write that form, even if no such number was ever issued:
a detector that claims to know better than the author misses too much. What has neither form nor check is not searched
for: nine digits in a row are no SSN here, and a date is a date of birth only if the text says so.

Digits of any script count. Numbers may be grouped by white space, including line ends, or by hyphens.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import cache, partial
from ipaddress import ip_address
from itertools import permutations
from typing import Final, NamedTuple

import phonenumbers
from stdnum import iban, luhn
from stdnum.us import ssn

from sieve.marking.errors import PolicyError
from sieve.marking.patterns import Pattern, encoded
from sieve.marking.ranges import Range, Ranges

Check = Callable[[str, int, int], Iterator[Range]]
"""Yields the parts that count of the candidate from `start` to `end` of a text."""


class _Form(NamedTuple):
    """A pattern for candidates, its group that counts, and the check that they must pass."""

    pattern: str
    check: Check
    group: int = 0
    case: bool = False


class DetectorRow(NamedTuple):
    """A detector: what people call it, a hint, and the forms that it finds."""

    label: str
    hint: str
    forms: Sequence[_Form]


class Detector:
    """Finds the hits of one detector."""

    def __init__(self, name: str) -> None:
        """Raises PolicyError: there is no detector of this name."""
        key = _key(name)
        if key not in _BY_KEY:
            raise PolicyError(f"there is no such detector; write one of {', '.join(NAMES)}")
        self._forms = [(_pattern(form), form.check) for form in _BY_KEY[key].forms]

    def find(self, text: str) -> Ranges:
        """The ranges of its hits in `text`."""
        data = encoded(text)  # once for all forms
        found = (
            place for pattern, check in self._forms for hit in pattern.find(text, data) for place in check(text, *hit)
        )
        return Ranges(found) if len(self._forms) == 1 else Ranges(sorted(found, key=_end))


@cache
def _pattern(form: _Form) -> Pattern:
    return Pattern(form.pattern, case=form.case, group=form.group)


def _key(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _end(place: Range) -> int:
    return place[1]


# Checks.


def _email(text: str, start: int, end: int) -> Iterator[Range]:
    while text[start] in ".'-%&":
        start += 1
    if text[start] != "@":
        yield start, end


def _is_between(text: str, start: int, end: int, more: str = "") -> bool:
    """Whether no letter, digit or character of `more` is next to it."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum() or (before and before in more) or (after and after in more))


def _alone(text: str, start: int, end: int) -> Iterator[Range]:
    if _is_between(text, start, end):
        yield start, end


def _digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(character)) for character in text if character.isdecimal())


_GROUP: Final = re.compile(r"\d+")


def _grouped(
    text: str, start: int, end: int, *, shapes: Sequence[tuple[int, ...]], valid: Callable[[str], bool]
) -> Iterator[Range]:
    """Consecutive groups of digits that have one of the `shapes` and are `valid` together."""
    groups = [group.span() for group in _GROUP.finditer(text, start, end) if _is_between(text, *group.span())]
    lengths = [last - first for first, last in groups]
    index = 0
    while index < len(groups):
        for shape in shapes:
            after = index + len(shape)
            if tuple(lengths[index:after]) == shape and valid(_digits(text[groups[index][0] : groups[after - 1][1]])):
                yield groups[index][0], groups[after - 1][1]
                index = after - 1
                break
        index += 1


_CARD_SHAPES: Final = ((4, 4, 4, 4, 3), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), *((size,) for size in range(13, 20)))


def _is_card(digits: str) -> bool:
    # Cards of all the schemes begin with 2 to 6.
    return digits[0] in "23456" and luhn.is_valid(digits)


def _is_sin(digits: str) -> bool:
    # Not stdnum.ca.sin: it refuses those that begin with 0 or 8, and forms show 046 454 286 as an example.
    return digits != "0" * 9 and luhn.is_valid(digits)


_IBAN_SIZES: Final = range(34, 14, -1)


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


_DATE: Final = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_PHONE_REGIONS: Final = ("GB", "FR", "DE", "IT", "NL", "AU")
_NATIONAL_DIGITS: Final = range(9, 13)


def _international_phone(text: str, start: int, end: int) -> Iterator[Range]:
    """The text after a number may look like part of it, so the longest prefix that can be dialled counts.

    Numbers in assigned ranges have precedence over possible ones.
    """
    if text[start - 1 : start].isalnum():
        return
    ends = [
        group.end() for group in _GROUP.finditer(text, start, end) if not text[group.end() : group.end() + 1].isalpha()
    ]
    numbers = {last: _dialled("+" + _digits(text[start:last]).lstrip("0"), None) for last in reversed(ends)}
    for counts in (phonenumbers.is_valid_number, phonenumbers.is_possible_number):
        for last, number in numbers.items():
            if number and counts(number):
                yield start, last
                return


def _dialled(digits: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None


def _national_phone(text: str, start: int, end: int) -> Iterator[Range]:
    """The longest prefix that is in an assigned range of some country."""
    if text[start - 1 : start].isalnum() or _DATE.fullmatch(text, start, end):
        return
    ends = [group.end() for group in _GROUP.finditer(text, start, end)]
    for last in reversed(ends):
        digits = _digits(text[start:last])
        if len(digits) not in _NATIONAL_DIGITS or text[last : last + 1].isalnum():
            continue
        numbers = (_dialled(digits, region) for region in _PHONE_REGIONS)
        if any(number and phonenumbers.is_valid_number(number) for number in numbers):
            yield start, last
            return


def _birth_date(text: str, start: int, end: int) -> Iterator[Range]:
    if not _is_between(text, start, end):
        return
    written = text[start:end]
    numbers = [int(_digits(group[0])) for group in _GROUP.finditer(written)]
    if len(numbers) == 1 and numbers[0] > 9_999:  # 19800229
        numbers = [numbers[0] // 10_000, numbers[0] // 100 % 100, numbers[0] % 100]
    if len(numbers) == 3 and not any(_is_date(*order) for order in permutations(numbers)):
        return
    yield start, end


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return False
    return True


def _ip(text: str, start: int, end: int) -> Iterator[Range]:
    while text[end - 1] in ":." and text[end - 2 : end] != "::":
        end -= 1
    address = text[start:end]
    # A hex digit is a letter as well: "dead::beef" is a name in some programs. An address mostly has a digit.
    more = ":" if ":" in address else ""
    if not _is_between(text, start, end, more) or not any(character.isdigit() for character in address):
        return
    if text[start - 1 : start] == "." and text[start - 2 : start - 1].isdigit():
        return
    with suppress(ValueError):
        ip_address(address)
        yield start, end


_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def _decimal_degrees(text: str, start: int, end: int) -> Iterator[Range]:
    first, second = (float(number[0]) for number in _NUMBER.finditer(text, start, end))
    if min(first, second) <= 90 and max(first, second) <= 180 and _is_between(text, start, end):
        yield start, end


def _sexagesimal_degrees(text: str, start: int, end: int) -> Iterator[Range]:
    if float(_NUMBER.findall(text[start:end])[0]) <= 180 and _is_between(text, start, end):
        yield start, end


def _grid_reference(text: str, start: int, end: int) -> Iterator[Range]:
    groups = [_digits(group[0]) for group in _GROUP.finditer(text, start, end)]
    halves = groups[1:] if len(groups) == 3 else [groups[1][::2], groups[1][1::2]]
    if 1 <= int(groups[0]) <= 60 and len(halves[0]) == len(halves[1]) and _is_between(text, start, end):
        yield start, end


# Candidates. None has \b, which RE2 knows for ASCII only: the checks look at the adjacent characters. None matches a
# NUL except at its start, since NULs separate the units that are searched together (`apply`).

_GAP: Final = r"(?:\r\n|[\s\-\x{2010}-\x{2012}])"
_DIGIT_GROUPS: Final = rf"\d+(?:{_GAP}\d+)*"
_PHONE_GAP: Final = r"[\s().\-/\x{2010}-\x{2013}]"
_DATE_GAP: Final = r"[\s.,/\-]{1,2}"
_MONTH: Final = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|août|déc|ene|abr|ago|dic)"
    r"\p{L}{0,7}"
)
_BORN: Final = (
    r"(?:^|[^\p{L}\p{N}])(?:born|dob|d\.\s?o\.\s?b\.?|date\s+of\s+birth|birth\s?-?date|birthday|geb\.|geboren|"
    r"geburtsdatum|geburtstag|née?\s+le|date\s+de\s+naissance|nacid[oa]|fecha\s+de\s+nacimiento)"
)
_ANY_DATE: Final = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?{_DATE_GAP}{_MONTH}{_DATE_GAP}\d{{2,4}}"
    rf"|{_MONTH}{_DATE_GAP}\d{{1,2}}(?:st|nd|rd|th)?{_DATE_GAP}\d{{2,4}}"
    r"|\d{4}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}|\d{1,2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{2,4}|\d{8}"
)
_SECONDS: Final = r"(?:\d{1,2}(?:\.\d+)?\s?(?:[\"″”]|''|’’|′′)\s?)?"
_DEGREES: Final = rf"\d{{1,3}}(?:\.\d+)?\s?[°º]\s?(?:\d{{1,2}}(?:\.\d+)?\s?['′’]\s?{_SECONDS})?[NSEWO]"

DETECTORS: Final[dict[str, DetectorRow]] = {
    "email": DetectorRow(
        "E-mail addresses",
        "By their form",
        [_Form(r"[\w.%+&'-]+@(?:[\w-]+\.)+\p{L}[\w-]*\p{L}", _email)],
    ),
    "phone": DetectorRow(
        "Phone numbers",
        "International, North American, and some national ones",
        [
            _Form(rf"(?:\+\s?|00)\(?[1-9](?:{_PHONE_GAP}{{0,3}}\d){{6,14}}", _international_phone),
            # North America, by its form alone: 555-0123 is not assigned to anybody, but stands for a person in a text.
            _Form(
                rf"(?:1{_PHONE_GAP})?(?:\(\d{{3}}\)\s?|\d{{3}}[\s./\-\x{{2010}}-\x{{2013}}])\d{{3}}{_GAP}\d{{4}}",
                _alone,
            ),
            _Form(r"\d{3}\.\d{3}\.\d{4}", _alone),
            _Form(rf"\(?0\d{{1,4}}(?:{_PHONE_GAP}{{1,3}}\d{{2,8}}){{1,5}}", _national_phone),
            _Form(
                rf"(?:^|[^\p{{L}}])(?:tel|phone|telephone|telefon|fax|mobile|cell|call)[.:#\s]{{1,3}}"
                rf"(\d(?:{_PHONE_GAP}{{0,2}}\d){{6,14}})",
                _alone,
                group=1,
            ),
        ],
    ),
    "payment-card": DetectorRow(
        "Payment cards",
        "Check digit verified",
        [_Form(_DIGIT_GROUPS, partial(_grouped, shapes=_CARD_SHAPES, valid=_is_card))],
    ),
    "iban": DetectorRow(
        "Bank accounts (IBAN)",
        "Check digits and the country's form",
        [_Form(rf"[a-zA-Z]{{2}}{_GAP}?\d{{2}}(?:{_GAP}?[a-zA-Z0-9]){{11,30}}", _iban)],
    ),
    "canadian-sin": DetectorRow(
        "Canadian SIN",
        "Check digit verified",
        [_Form(_DIGIT_GROUPS, partial(_grouped, shapes=((3, 3, 3), (9,)), valid=_is_sin))],
    ),
    "us-ssn": DetectorRow(
        "US social security numbers",
        "With hyphens or spaces",
        [_Form(_DIGIT_GROUPS, partial(_grouped, shapes=((3, 2, 4),), valid=ssn.is_valid))],
    ),
    "birth-date": DetectorRow(
        "Dates of birth",
        "After “born”, “DOB” and the like",
        [_Form(rf"(?m){_BORN}[^\d\x00]{{0,40}}?({_ANY_DATE})", _birth_date, group=1)],
    ),
    "ip-address": DetectorRow(
        "IP addresses",
        "IPv4 and IPv6",
        [
            _Form(r"[0-9]{1,3}(?:\.[0-9]{1,3})+", _ip),
            _Form(r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,8}(?:\.[0-9]{1,3}){0,3}", _ip),
        ],
    ),
    "coordinates": DetectorRow(
        "Coordinates",
        "Degrees, MGRS",
        [
            _Form(
                r"[-+]?\d{1,3}\.\d{3,}\s?(?:°?\s?[NSEWO])?\s?[,;/]\s?[-+]?\d{1,3}\.\d{3,}(?:\s?°?\s?[NSEWO])?",
                _decimal_degrees,
                case=True,
            ),
            _Form(rf"{_DEGREES}(?:[\s,;/]{{0,3}}{_DEGREES})?", _sexagesimal_degrees, case=True),
            _Form(r"\d{4,6}[NS]\s?\d{5,7}[EW]", _alone, case=True),
            _Form(
                r"\d{1,2}\s?[C-HJ-NP-X]\s?[A-HJ-NP-Z]{2}\s?(?:\d{2,5}\s\d{2,5}|\d{4,10})", _grid_reference, case=True
            ),
        ],
    ),
}
NAMES: Final = tuple(DETECTORS)
"""As policies write them; in a policy capitals, spaces, hyphens and underscores make no difference."""

_OTHER_NAMES: Final = {
    "card": "payment-card",
    "creditcard": "payment-card",
    "sin": "canadian-sin",
    "ssn": "us-ssn",
    "dob": "birth-date",
    "dateofbirth": "birth-date",
    "datesofbirth": "birth-date",
    "ip": "ip-address",
}
_BY_KEY: Final = {_key(name): row for name, row in DETECTORS.items()} | {
    key: DETECTORS[name] for key, name in _OTHER_NAMES.items()
}
