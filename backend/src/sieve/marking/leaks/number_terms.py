"""Derives search terms from the numbers, amounts and dates of a marked text, also as people write them otherwise."""

import re
from typing import Final

import phonenumbers

from sieve.marking.leaks import other_forms, spelled_numbers
from sieve.marking.leaks.common_words import MONTHS, MONTHS_ELSEWHERE
from sieve.marking.leaks.finding import DATE, NUMBER, SUGGESTION
from sieve.marking.leaks.folding import fold
from sieve.marking.leaks.measures import measures
from sieve.marking.leaks.term_collection import Manner, SearchTerms

_MIN_DIGITS: Final = 5
_MIN_ACCOUNT: Final = 8
_LAST_DIGITS: Final = 4
_MIN_ROUNDED: Final = 1_000_000
_TELEPHONE_DIGITS: Final = range(7, 13)
"""Without the country code."""
_MIN_IN_TOWN: Final = 6
_ROMAN: Final = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_TONNES: Final = " t"
"""Also short for thousands."""
_SCALES: Final = {"million": 10**6, "billion": 10**9}

_GROUPS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"(?<![\w.,])\+?\(?\d(?:[ \u00a0\u202f.,'’()/:-]{0,2}\d){4,39}(?![\d])")
GROUPED: Final = re.compile(r"\d{1,3}(?:([,.'’ \u00a0\u202f])\d{3})(?:\1\d{3})*")
_ALONE: Final = re.compile(rf"(?<![\w.,-])(?:{GROUPED.pattern}|\d{{3,9}})(?:[.,]00?)?(?![\w-]|[.,]\d)")
"""A number of three digits or more that is no part of something longer."""
_NUMBERS_OF_MONTHS: Final = {
    name: number
    for number, names in enumerate(zip(MONTHS, MONTHS_ELSEWHERE, strict=True), 1)
    for name in (names[0], names[0][:3], *names[1])
}
_MONTH: Final = "|".join(sorted(_NUMBERS_OF_MONTHS, key=len, reverse=True))
_DATE_IN_DIGITS: Final = re.compile(r"(?<!\d)(?:(\d{4})([-/.])(\d\d?)\2(\d\d?)|(\d\d?)([-/.])(\d\d?)\6(\d{4}))(?!\d)")
_DAY_MONTH: Final = re.compile(
    rf"(?<!\d)(\d\d?)(?:st|nd|rd|th|er)?\.? (?:of |de )?({_MONTH})\.?,? (?:de )?(\d{{4}})(?!\d)", re.I
)
_MONTH_DAY: Final = re.compile(rf"(?<![^\W\d_])({_MONTH})\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{{4}})(?!\d)", re.I)
_YEAR_MONTH: Final = re.compile(rf"(?<!\d)(\d{{4}})\.? ({_MONTH})\.? (\d\d?)(?!\d)", re.I)


def add_numbers(phrase: str, terms: SearchTerms) -> None:
    """Adds the terms of one phrase."""
    for digits in other_forms.amounts(phrase):
        terms.add(NUMBER, digits, phrase)
        for form in other_forms.scaled(digits):
            terms.add(NUMBER, form, phrase, manner=Manner.DECIMAL)
    for value in spelled_numbers.numbers_in(phrase):
        terms.add(NUMBER, str(value), phrase)
        for form in other_forms.scaled(str(value)):
            terms.add(NUMBER, form, phrase, manner=Manner.DECIMAL)
    for found in _ALONE.finditer(phrase):
        for form in spelled_numbers.spellings(int("".join(filter(str.isdigit, _without_cents(found[0]))))):
            terms.add(NUMBER, form, phrase, manner=Manner.SPELLED)
    for found in _NUMBER.finditer(phrase):
        if sum(map(str.isdigit, found[0])) >= _MIN_DIGITS:
            number = _without_cents(found[0])
            terms.add(NUMBER, number, phrase)
            _in_other_numbers(number, phrase, terms)
            _dialled_otherwise(found[0], phrase, terms)
    if any(map(str.isdigit, phrase)):
        _dates(phrase, terms)
        if any(map(str.isalpha, phrase)):
            terms.with_digits.setdefault(phrase)


def add_measures(terms: SearchTerms) -> None:
    """Adds measures in other units, up to half of the limits."""
    added: set[str] = set()
    for phrase in terms.with_digits:
        for form in measures(phrase):
            if terms.is_half_full:
                return
            if form in added:
                continue
            added.add(form)
            known = terms.by_fold.get(fold(form)) if form.endswith(_TONNES) else None
            if known is not None and known.text == form and known.manner is Manner.DECIMAL and known.origin == phrase:
                del terms.by_fold[known.folded]  # 1.5 t are 1,500 kg here, not 1,500 euros
            terms.add(SUGGESTION, form, phrase, manner=Manner.MEASURE)


def _in_other_numbers(number: str, origin: str, terms: SearchTerms) -> None:
    """The last digits of a possible account number; rounded amounts, and amounts in millions."""
    digits = "".join(filter(str.isdigit, number))
    if len(digits) >= _MIN_ACCOUNT:
        terms.add(NUMBER, digits[-_LAST_DIGITS:], origin, manner=Manner.ENDING)
    if not GROUPED.fullmatch(number) or int(digits) < _MIN_ROUNDED:
        return
    for places in range(2, len(digits)):
        terms.add(NUMBER, str(round(int(digits), places - len(digits))), origin)
    for scale, size in _SCALES.items():
        for decimals in range(4):
            rounded = f"{int(digits) / size:.{decimals}f}"
            if int(digits) >= size and len(rounded.replace(".", "")) > 1:
                terms.add(NUMBER, f"{rounded} {scale}", origin, manner=Manner.DECIMAL)


def _dialled_otherwise(number: str, origin: str, terms: SearchTerms) -> None:
    """A possible telephone number as dialled within its country, within its town and from abroad."""
    digits = "".join(filter(str.isdigit, number))
    country = ""
    if number.startswith("+") or digits.startswith("00"):
        try:
            dialled = phonenumbers.parse("+" + digits.lstrip("0"))
        except phonenumbers.NumberParseException:
            return
        country, national = str(dialled.country_code), phonenumbers.national_significant_number(dialled)
    elif digits.startswith("0"):
        national = digits.lstrip("0")
    else:
        return
    if len(national) not in _TELEPHONE_DIGITS:
        return
    forms = [national, f"0{national}"]
    if country:
        forms += [f"00{country}{national}", f"{country}0{national}"]
    # Within the town, without the area code, which is the first group.
    _, *in_town = _GROUPS.findall(number.removeprefix("+").removeprefix(country).lstrip(" 0()"))
    if len("".join(in_town)) >= _MIN_IN_TOWN:
        forms.append("".join(in_town))
    for form in forms:
        terms.add(NUMBER, form, origin)


def _without_cents(number: str) -> str:
    return re.sub(r"(?<=\d)[.,]00?$", "", number)


def _dates(phrase: str, terms: SearchTerms) -> None:
    for found in _DATE_IN_DIGITS.finditer(phrase):
        if found[1]:
            _date(int(found[1]), int(found[3]), int(found[4]), found[0], terms)
        else:
            one, two, full_year = int(found[5]), int(found[7]), int(found[8])
            _date(full_year, two, one, found[0], terms)
            _date(full_year, one, two, found[0], terms)
    for pattern, day, month, year in ((_DAY_MONTH, 1, 2, 3), (_MONTH_DAY, 2, 1, 3), (_YEAR_MONTH, 3, 2, 1)):
        for found in pattern.finditer(phrase):
            number = _NUMBERS_OF_MONTHS[found[month].lower()]
            _date(int(found[year]), number, int(found[day]), found[0], terms)


def _date(year: int, month: int, day: int, origin: str, terms: SearchTerms) -> None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return
    terms.dates.setdefault((year, month, day), origin)
    for d in {str(day), f"{day:02}"}:
        for m in {str(month), f"{month:02}"}:
            for order in ((year, m, d), (d, m, year), (m, d, year)):
                text = "-".join(map(str, order))
                terms.add(DATE, text, origin, in_pieces=len(text) < 10)
        for name in {MONTHS[month - 1], MONTHS[month - 1][:3]}:
            for text in (f"{d} {name} {year}", f"{name} {d} {year}", f"{d} of {name} {year}"):
                terms.add(DATE, text, origin)
    ordinal = f"{day}{spelled_numbers.ending_of(day)}"
    name = MONTHS[month - 1]
    terms.add(DATE, f"{ordinal} {name} {year}", origin)
    terms.add(DATE, f"{name} {ordinal} {year}", origin)
    terms.add(DATE, f"{ordinal} of {name} {year}", origin)


def add_rarer_dates(year: int, month: int, day: int, origin: str, terms: SearchTerms) -> None:
    """A date in other languages, with its day in words, and without its year."""
    for form in spelled_numbers.dates(month, day):
        terms.add(DATE, f"{form} {year}", origin)
        terms.add(DATE, form, origin, manner=Manner.YEARLESS)
    for d in {str(day), f"{day:02}"}:
        for m in {str(month), f"{month:02}"}:
            terms.add(DATE, f"{d}-{m}-{year % 100:02}", origin, in_pieces=True)
            terms.add(DATE, f"{m}-{d}-{year % 100:02}", origin, in_pieces=True)
            terms.add(DATE, f"{year}年{m}月{d}日", origin)
        for name in {MONTHS[month - 1], MONTHS[month - 1][:3], _ROMAN[month - 1]}:
            terms.add(DATE, f"{d} {name} {year % 100:02}", origin)
            terms.add(DATE, f"{year} {name} {d}", origin)
        terms.add(DATE, f"{d} {_ROMAN[month - 1]} {year}", origin)
        for name in {MONTHS[month - 1], MONTHS[month - 1][:3]}:
            for text in (f"{d} {name}", f"{name} {d}", f"{d} of {name}"):
                terms.add(DATE, text, origin, manner=Manner.YEARLESS)
        for name in MONTHS_ELSEWHERE[month - 1]:
            terms.add(DATE, f"{d} {name} {year}", origin)
            terms.add(DATE, f"{d} de {name} de {year}", origin)
            terms.add(DATE, f"{d} {name}", origin, manner=Manner.YEARLESS)
            terms.add(DATE, f"{year} {name} {d}", origin)
    terms.add(SUGGESTION, f"{day:02}.{month:02}", origin, manner=Manner.DAY_MONTH)
