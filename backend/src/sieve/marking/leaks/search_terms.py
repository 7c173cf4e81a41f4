"""Derives from the marked text what to search for: phrases, names and their parts, acronyms, numbers and dates.

Invariant: every rule here can be explained to an author in one sentence, and needs no list of names. Rules with many
false positives are left out; docs/leak-guard.md lists them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

import phonenumbers

from sieve.marking.leaks import other_forms, spelled_numbers
from sieve.marking.leaks.common_words import COMMON_IN_NAMES, FUNCTION_WORDS, LINKS, MONTHS, MONTHS_ELSEWHERE
from sieve.marking.leaks.finding import ACRONYM, DATE, NUMBER, PART, PHRASE, PHRASE_KINDS, SUGGESTION
from sieve.marking.leaks.folding import fold

MAX_TERMS: Final = 100_000
MAX_TERM_LENGTH: Final = 256
MAX_TOTAL_LENGTH: Final = 1_000_000
"""Folded characters of all terms, which determine the memory of the search."""
MAX_READ: Final = 8_000_000
"""Characters of marks from which terms are derived."""

SHORT: Final = 3
"""A term of so few letters or digits matches only in the same case and in one piece."""
_NESTED_LENGTH: Final = 300
_MIN_PART: Final = 3
_MIN_DIGITS: Final = 5
_MIN_NUMBER: Final = 3
_MAX_LINKS: Final = 2
_ACRONYM_WORDS: Final = range(3, 9)
_MIN_MISSPELT: Final = 6
"""Letters that a surname needs for a search for misspellings: too many words are similar to shorter ones."""
_MIN_ACCOUNT: Final = 8
_LAST_DIGITS: Final = 4
_MIN_ROUNDED: Final = 1_000_000
_TELEPHONE_DIGITS: Final = range(7, 13)
"""Without the country code."""
_MIN_IN_TOWN: Final = 6
_ROMAN: Final = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_SCALES: Final = {"million": 10**6, "billion": 10**9}
_GROUP_LENGTH: Final = 64

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|[\n\r\u2028\u2029]+")
_GROUPS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"(?<![\w.,])\+?\(?\d(?:[ \u00a0\u202f.,'’()/:-]{0,2}\d){4,39}(?![\d])")
GROUPED: Final = re.compile(r"\d{1,3}(?:([,.'’ \u00a0\u202f])\d{3})(?:\1\d{3})*")
_ALONE: Final = re.compile(rf"(?<![\w.,-])(?:{GROUPED.pattern}|\d{{3,9}})(?:[.,]00?)?(?![\w-]|[.,]\d)")
"""A number of three digits or more that is no part of something longer."""
_LISTED: Final = re.compile(r"\s*([^\W\d_][^\W\d_'’-]{2,}), ([^\W\d_]+(?: [^\W\d_]+)?)\s*")
"""A name as in registers: surname, given names."""
_SPACE: Final = re.compile(r"\.?\s+|-")
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


class Manner(StrEnum):
    """A condition for terms that would otherwise match too often."""

    ANY = ""
    ENDING = "ending"
    """The last digits of an account, where the text says that they are the last ones."""
    YEARLESS = "yearless"
    """A day and a month without a year after it."""
    DECIMAL = "decimal"
    """A number with its decimal point in the same position: 1.25 million is not 12.5 million."""
    COINED = "coined"
    """A name with initials, also as a user name, in one word: I. Halvorsen, ihalvorsen."""
    SHORTENED = "shortened"
    """A given name with the initial of the surname, or the other way round: Ida H., Halvorsen, I."""
    DAY_MONTH = "day and month"
    """A day and a month in two digits each, with a full stop after both: 03.03."""
    REFERENCE = "reference"
    """Words that may refer to what is marked: the ship."""
    SPELLED = "spelled"
    """A number in words that is no part of a longer one."""
    MISSPELT = "misspelt"
    """A name with a letter missing, or two letters swapped."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchTerm:
    """Something to search for. `text`: its usual spelling. `origin`: the marked text that it comes from.

    `in_pieces`: its digits must have the groups of one of the texts that `text` lists, since in one piece they would be
    another number. `cut`: it is the beginning of something longer.
    """

    kind: str
    text: str
    origin: str
    group: str
    folded: str
    in_pieces: bool = False
    cut: bool = False
    manner: Manner = Manner.ANY

    @property
    def is_number(self) -> bool:
        """Whether it has no letters."""
        return self.folded.isdigit()

    def __repr__(self) -> str:
        return f"<SearchTerm: {self.kind}>"


@dataclass(slots=True)
class SearchTerms:
    """Search terms by their folded text, collected until there are too many."""

    by_fold: dict[str, SearchTerm] = field(default_factory=dict, repr=False)
    cut_short: bool = False
    initials: dict[str, SearchTerm] = field(default_factory=dict, repr=False)
    """Those of names of two words. The automaton would find two letters in every other word."""
    surnames: dict[str, str] = field(default_factory=dict, repr=False)
    """Last words of names, with the names."""
    dates: dict[tuple[int, int, int], str] = field(default_factory=dict, repr=False)
    """Years, months and days, with the dates as written."""
    _total: int = 0

    def add(self, kind: str, text: str, origin: str, *, in_pieces: bool = False, manner: Manner = Manner.ANY) -> None:
        """Adds `text`. Of two equal terms, one without a condition wins, then the one first in `PHRASE_KINDS`."""
        text, cut = _shorten(text)
        folded = fold(text)
        if len(folded) < (_MIN_NUMBER if folded.isdigit() else 2) or (kind == PHRASE and folded in FUNCTION_WORDS):
            return
        known = self.by_fold.get(folded)
        if known is None:
            if len(self.by_fold) == MAX_TERMS or self._total + len(folded) > MAX_TOTAL_LENGTH:
                self.cut_short = True
                return
            self._total += len(folded)
        elif _rank(known.kind, known.manner) <= _rank(kind, manner):
            if known.in_pieces and in_pieces and text not in known.text.split():  # 1-11-2026 and 11-1-2026
                self.by_fold[folded] = replace(known, text=f"{known.text} {text}")
            return
        group = folded if kind in (PHRASE, PART) else fold(origin[:_GROUP_LENGTH])
        self.by_fold[folded] = SearchTerm(kind, text, origin, group[:_GROUP_LENGTH], folded, in_pieces, cut, manner)

    @property
    def is_half_full(self) -> bool:
        """Whether half of the limits is used."""
        return len(self.by_fold) * 2 > MAX_TERMS or self._total * 2 > MAX_TOTAL_LENGTH

    def folded(self, phrase: str) -> str:
        """The folded text under which `phrase` is searched for."""
        return fold(_shorten(phrase)[0])


def _rank(kind: str, manner: Manner) -> tuple[bool, bool, int]:
    return kind == SUGGESTION, bool(manner), PHRASE_KINDS.index(kind)


def gather(text: str, runs: Iterable[tuple[int, int]], nested: Iterable[tuple[int, int]]) -> SearchTerms:
    """All search terms. `runs`: the marked ranges, merged where marks touch; `nested`: the marks one by one."""
    terms = SearchTerms()
    seen: set[str] = set()
    left = MAX_READ
    for start, end in runs:
        if left <= 0 or terms.cut_short:
            break
        marked = text[start : min(end, start + left)]
        left -= len(marked)
        if marked not in seen:
            seen.add(marked)
            _of_run(marked, terms)
    for start, end in nested:
        if left <= 0 or terms.cut_short:
            break
        # A mark in a longer one: a name that a rule found in a paragraph marked by hand. Marks that end inside a word
        # are pieces of one that formatting cuts.
        if end - start > _NESTED_LENGTH or _cuts_word(text, start) or _cuts_word(text, end):
            continue
        left -= end - start
        marked = text[start:end]
        if marked not in seen:
            seen.add(marked)
            _of_phrase(marked, terms)
    terms.cut_short |= left <= 0
    _rarer(terms)
    return terms


def phrases(marked: str) -> Iterator[str]:
    """The phrases of a marked text: the text itself, or its sentences and lines if it is long."""
    if len(marked) <= MAX_TERM_LENGTH:
        yield marked
        return
    at = 0
    for end in _SENTENCE_END.finditer(marked):
        yield marked[at : end.start()]
        at = end.end()
    yield marked[at:]


def _shorten(text: str) -> tuple[str, bool]:
    text = text.strip()
    if len(text) <= MAX_TERM_LENGTH:
        return text, False
    words = text[:MAX_TERM_LENGTH].rsplit(None, 1)
    return words[0], True


def _cuts_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _of_run(marked: str, terms: SearchTerms) -> None:
    whole = len(marked) <= MAX_TERM_LENGTH
    for phrase in phrases(marked):
        if terms.cut_short:
            return
        # Not every word of a long passage is secret: "Yes." on a separate line.
        if whole or (" " in phrase.strip() and len(phrase) >= 20):
            _of_phrase(phrase, terms)


def _of_phrase(phrase: str, terms: SearchTerms) -> None:
    terms.add(PHRASE, phrase, phrase)
    if listed := _LISTED.fullmatch(phrase):
        terms.add(PART, f"{listed[2]} {listed[1]}", phrase)
        for word in listed[1], *listed[2].split():
            if len(word) >= _MIN_PART:
                terms.add(PART, word, phrase)
    for name, words, leads in _names(phrase):
        whole = name == phrase.strip()
        if not whole:
            terms.add(PART, name, phrase)
        if len(words) > 2 and words[0].lower() in COMMON_IN_NAMES:  # "Operation North Wind", "Dr Ida Halvorsen"
            terms.add(PART, name[name.index(words[1], len(words[0])) :], name)
        # A capital at the beginning of a sentence does not show a name.
        for word in words[1 if leads and not whole else 0 :]:
            if len(word) >= _MIN_PART and word.lower() not in COMMON_IN_NAMES:
                terms.add(PART, word, name)
        # A given name without one letter is another name: Petter, Peter.
        if len(words[-1]) >= _MIN_MISSPELT and words[-1].lower() not in COMMON_IN_NAMES:
            terms.surnames.setdefault(words[-1], name)
        if not COMMON_IN_NAMES & {word.lower() for word in words}:
            _with_initials(words, name, terms)
        for word in words:
            if len(word) >= _MIN_PART and word.lower() not in COMMON_IN_NAMES:
                _in_other_forms(word, name, terms)
        _acronyms(name, terms)
    if len(phrase.split()) == 1 and phrase[:1].isupper() and phrase.strip().isalpha():
        _in_other_forms(phrase.strip(), phrase, terms)
    for form in other_forms.references(phrase):
        terms.add(SUGGESTION, form, phrase, manner=Manner.REFERENCE)
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


def _names(phrase: str) -> Iterator[tuple[str, list[str], bool]]:
    """Consecutive capitalised words: the whole name, the words, and whether it begins a sentence.

    Small words may link them or separate two names, so the parts between small words are names, too.
    """
    for run in _runs(phrase, LINKS):
        yield from _name(phrase, run)
        if any(not _SPACE.fullmatch(phrase, one.end(), two.start()) for one, two in pairwise(run)):
            start, end = run[0].start(), run[-1].end()
            for part in _runs(phrase, frozenset()):
                if start <= part[0].start() and part[-1].end() <= end:
                    yield from _name(phrase, part)


def _runs(phrase: str, links: frozenset[str]) -> Iterator[list[re.Match[str]]]:
    run: list[re.Match[str]] = []
    reached = linked = 0
    for word in _WORD.finditer(phrase):
        if run and not _SPACE.fullmatch(phrase, reached, word.start()):
            yield run
            run = []
        reached = word.end()
        if word[0][0].isupper():
            run.append(word)
            linked = 0
        elif run:
            linked += 1
            if word[0] not in links or linked > _MAX_LINKS:
                yield run
                run = []
    if run:
        yield run


def _name(phrase: str, run: list[re.Match[str]]) -> Iterator[tuple[str, list[str], bool]]:
    while run and run[0][0].lower() in LINKS | {"a", "an"}:
        del run[0]
    if 2 <= len(run) <= _ACRONYM_WORDS[-1]:
        name = phrase[run[0].start() : run[-1].end()]
        before = phrase[: run[0].start()].rstrip()
        yield name, [word[0] for word in run], not before or before[-1] in ".!?:…"


def _with_initials(words: list[str], name: str, terms: SearchTerms) -> None:
    *given, surname = words
    letters = other_forms.initials(given)
    if len(surname) > _MIN_PART:
        terms.add(
            PART, f"{letters} {name[name.index(given[-1]) + len(given[-1]) :].strip()}", name, manner=Manner.COINED
        )
    if len(words) != 2:
        return
    if len(letters) == 1:
        terms.add(PART, f"{given[0]} {surname[0]}", name, manner=Manner.SHORTENED)
        terms.add(PART, f"{surname} {letters}", name, manner=Manner.SHORTENED)
        both = letters + surname[0]
        if both.isupper() and not other_forms.is_abbreviation(both):
            group = fold(name)[:_GROUP_LENGTH]
            terms.initials.setdefault(both, SearchTerm(SUGGESTION, both, name, group, fold(both)))
    else:
        terms.add(ACRONYM, f"{letters} {surname[0]}", name)


def _in_other_forms(word: str, name: str, terms: SearchTerms) -> None:
    for form in (*other_forms.spellings(word), *other_forms.inflected(word)):
        terms.add(PART, form, name)
    for form in other_forms.umlauts(word):
        terms.add(SUGGESTION, form, name)


def _acronyms(name: str, terms: SearchTerms) -> None:
    words = [word[0] for word in _WORD.finditer(name)]
    capitals = [word for word in words if word[0].isupper()]
    if all(word.isupper() for word in capitals) and len(capitals) * 3 > sum(map(len, capitals)):
        return  # initials already
    for chosen in (capitals, words):
        if len(chosen) in _ACRONYM_WORDS:
            terms.add(ACRONYM, "".join(word[0].upper() for word in chosen), name)


def _rarer(terms: SearchTerms) -> None:
    """Adds rarer forms with many terms each, up to half of the limits."""
    for (year, month, day), origin in terms.dates.items():
        if terms.is_half_full:
            return
        _add_rarer_dates(year, month, day, origin, terms)
    # Names with a letter missing or two swapped, except the first: people notice that typing error.
    for word, origin in terms.surnames.items():
        if terms.is_half_full:
            return
        for at in range(1, len(word)):
            terms.add(PART, word[:at] + word[at + 1 :], origin, manner=Manner.MISSPELT)
            terms.add(PART, word[:at] + word[at : at + 2][::-1] + word[at + 2 :], origin, manner=Manner.MISSPELT)


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


def _add_rarer_dates(year: int, month: int, day: int, origin: str, terms: SearchTerms) -> None:
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
