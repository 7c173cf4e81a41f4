"""Finds where search terms occur in a text.

Invariant: a hit of the automaton is only a candidate, since folded text has no words. The text itself decides: a term
begins and ends where a word does; white space in the text must be where the term has a break, unless a line ends there
or its letters are spaced out; digits in other groups are the same number only if people would read them as one.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import ahocorasick

from sieve.marking.leaks import other_forms
from sieve.marking.leaks.finding import ACRONYM, PART, PHRASE, SUGGESTION
from sieve.marking.leaks.folding import Folded, fold
from sieve.marking.leaks.joined_text import RangeSet
from sieve.marking.leaks.measures import is_measure
from sieve.marking.leaks.number_terms import GROUPED
from sieve.marking.leaks.spelled_numbers import has_comma_within, is_part
from sieve.marking.leaks.term_collection import SHORT, Manner, SearchTerm, SearchTerms

MAX_HITS: Final = 2_000_000
"""Candidates that are checked in one text."""

_PART_OF_WORD: Final = re.compile(r"[^\W_]+")
_WHITE: Final = re.compile(r"\s+")
# PDF readers return U+FFFE and U+0002 for a hyphen at the end of a line.
_HYPHENS: Final = "-\u00ad\u2010\u2011\ufffe\x02"
_BETWEEN_DIGITS: Final = re.compile(r"[ \u00a0\u202f.,'’()/:-]{0,3}")
_CENTS_OR_END: Final = re.compile(r"(?:[.,]\d?0(?!\d))?(?![.,]?\d)")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)
_BEFORE_AN_ENDING: Final = re.compile(
    r"(?:[*•·#xX]{2,}|\.{2,}|…|\bend(?:s|ing)(?: (?:in|with|on))?"
    r"|\blast (?:four|4)(?: digits)?(?: are| were|:)?)[ \u00a0-]?\Z"
)
_LONGEST_BEFORE: Final = 32
_YEAR: Final = re.compile(r",?\s+(?:de )?\d{4}(?!\d)")
_ALSO_WORDS: Final = frozenset({"may", "march"})
_ENDING: Final = re.compile(rf"[^\W\d_A-Z]{{1,{other_forms.LONGEST_ENDING}}}(?![^\W_])")
_DOTTED: Final = re.compile(r"[^\W\d_](?:\.[ \u00a0-]{0,2}[^\W\d_])+\Z")
_AFTER_INITIALS: Final = re.compile(r"(?!\.? ?[^\W\d_]\.)\.?(?!\w)(?! ?[A-ZА-Я][^\W\d_A-Z])")
_CAPITALS: Final = "[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩЀ-Я]"
_INITIALS: Final = re.compile(rf"({_CAPITALS})(?:\.[ \u00a0-]?)?({_CAPITALS})(?!\w)")
_FULL_STOP: Final = re.compile(r"\.(?! ?\d)")
_MONEY: Final = frozenset("€$£¥₹")
_LONG_ENOUGH_TO_CUT: Final = 6
_LONGEST_STRETCH: Final = 64


class Occurrence(NamedTuple):
    """A term and its range."""

    start: int
    end: int
    term: SearchTerm


def opens_word(text: str, place: int) -> bool:
    """Whether a word may begin or end at `place`: between a letter and something else, a letter and a digit, "aB", or
    in scripts that do not part words.
    """
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if not (before.isalnum() or unicodedata.combining(before)) or not after.isalnum():
        return True
    if before.isdigit() != after.isdigit() or (before.islower() and after.isupper()):
        return True
    return not (before.isascii() and after.isascii()) and bool(_UNSPACED.match(before) or _UNSPACED.match(after))


class Search:
    """Searches for all terms in one pass over each text."""

    def __init__(self, terms: SearchTerms) -> None:
        self._automaton = ahocorasick.Automaton()
        for folded, term in terms.by_fold.items():
            self._automaton.add_word(folded, term)
        if terms.by_fold:
            self._automaton.make_automaton()
        self._empty = not terms.by_fold
        self._initials = terms.initials

    def occurrences(
        self, folded: Folded, marked: RangeSet | None = None, *, as_name: bool = False
    ) -> Iterator[Occurrence]:
        """Occurrences of terms that are not completely `marked`. `as_name`: for file names, in which case means little.

        Raises:
            TooManyHits: there are more than `MAX_HITS` candidates.
        """
        if self._empty:
            return
        text = folded.source
        for hits, (last, term) in enumerate(self._automaton.iter(folded.text)):
            if hits == MAX_HITS:
                raise TooManyHits
            start, end = folded.place(last - len(term.folded) + 1), folded.place(last) + 1
            if marked is not None and marked.holds(start, end):
                continue
            whole = _end(term, text, end)
            if not whole:
                if inflected := _inflected(term, text, start, end, as_name):
                    yield inflected
            elif _begins(term, text, start) and _reads_as(term, text, start, whole, as_name):
                yield Occurrence(start, whole, term)
        if self._initials:
            for found in _INITIALS.finditer(text):
                term = self._initials.get(found[1] + found[2])
                if term and not (marked and marked.holds(*found.span())) and _are_initials(found):
                    yield Occurrence(*found.span(), term)


class TooManyHits(Exception):
    """A text contains too many candidates to check."""


def _begins(term: SearchTerm, text: str, start: int) -> bool:
    if not opens_word(text, start):
        return False
    if not term.is_number or term.manner is Manner.ENDING:
        return True
    before = text[max(0, start - 2) : start]
    if len(before) == 2 and before[1] in ".,:" and before[0].isdigit():
        return False
    return len(term.folded) >= 5 or not before[-1:].isalnum()


def _end(term: SearchTerm, text: str, end: int) -> int:
    """The end of the occurrence, with accents and a plural or genitive s; 0 if the word continues there."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    if term.cut:
        return end
    if not opens_word(text, end):
        plural = len(term.folded) > SHORT and not term.is_number and text[end] in "sS" and opens_word(text, end + 1)
        return end + 1 if plural else 0
    if term.is_number:
        if not _CENTS_OR_END.match(text, end):
            return 0
        if len(term.folded) < 5 and text[end : end + 1].isalnum():
            return 0
    return end


def _inflected(term: SearchTerm, text: str, start: int, end: int, as_name: bool) -> Occurrence | None:
    """The term with an ending that may inflect a name; None if it is none, or another word."""
    if term.kind not in (PHRASE, PART) or term.manner or not (text[start].isupper() or as_name):
        return None
    if len(term.folded) <= SHORT or not (term.text[0].isupper() and term.text.isalpha()):
        return None
    tail = _ENDING.match(text, end)
    if not tail:
        return None
    means = other_forms.ending(text[start:end], tail[0])
    if means is False or not text[start:end].isalpha() or not _begins(term, text, start):
        return None
    return Occurrence(start, tail.end(), replace(term, kind=PART if means else SUGGESTION))


def _are_initials(found: re.Match[str]) -> bool:
    """Whether two capitals are separate, with two full stops or none, and without a surname after them."""
    text, start, end = found.string, found.start(), found.end()
    before = text[max(0, start - 1) : start]
    if before.isalnum() or before in {".", "_"}:
        return False
    if end - start == 2:
        return True
    return text[end : end + 1] == "." and bool(_AFTER_INITIALS.match(text, end))


def _reads_as(term: SearchTerm, text: str, start: int, end: int, as_name: bool) -> bool:
    if end - start > 4 * len(term.folded) + _LONGEST_STRETCH:
        return False
    if term.manner:
        return _meets_condition(term, text, start, end)
    found = text[start:end]
    if found == term.text:
        return True
    if term.kind == ACRONYM:
        if _WHITE.search(found) and _DOTTED.match(found):
            return text[end : end + 1] == "." and all(c.isupper() for c in found if c.isalpha())
        return as_name or (not _WHITE.search(found) and all(c.isupper() for c in found if c.isalpha()))
    if term.is_number:
        return _same_number(term, found)
    if len(term.folded) <= SHORT and not as_name:
        letters = [c for c in term.text if c.isalnum()]
        same_case = [c.isupper() for c in found] == [c.isupper() for c in letters]
        return len(found) == len(letters) and (same_case or found.isupper())
    return _joined(term, found)


def _meets_condition(term: SearchTerm, text: str, start: int, end: int) -> bool:
    """Whether the occurrence meets the condition of its term."""
    found = text[start:end]
    match term.manner:
        case Manner.ENDING:
            before = text[max(0, start - _LONGEST_BEFORE) : start]
            return found == term.text and bool(_BEFORE_AN_ENDING.search(before))
        case Manner.YEARLESS:
            words = _PART_OF_WORD.findall(found)
            return not _YEAR.match(text, end) and not _ALSO_WORDS & {*words} and _joined(term, found)
        case Manner.DECIMAL:
            if text[start - 1 : start] in {".", ","} and text[start - 2 : start - 1].isdigit():
                return False
            if "".join(found.split()).replace(",", ".").lower() != term.text.replace(" ", ""):
                return False
            unit = term.text.rpartition(" ")[2]
            beside = {*text[max(0, start - 2) : start], text[end : end + 1]}
            # 1.25 m is a length, and 5 t a weight.
            return len(unit) > 1 or bool(_MONEY & beside) or (unit != "t" and not _WHITE.search(found))
        case Manner.SPELLED:
            words = [_PART_OF_WORD.findall(one.lower()) for one in (found, term.text)]
            before = text[max(0, start - _LONGEST_STRETCH) : start]
            return (
                words[0] == words[1]
                and not has_comma_within(found)
                and not is_part(before, text[end : end + _LONGEST_STRETCH])
            )
        case Manner.MEASURE:
            return is_measure(text, start, end, term.text)
        case Manner.MISSPELT:
            return found.isalpha() and found[0].isupper()
        case Manner.SHORTENED:
            initial_last = len(found) > 1 and not found[-2].isalnum() and text[end : end + 1] == "."
            return initial_last and _PART_OF_WORD.findall(found) == _PART_OF_WORD.findall(term.text)
        case Manner.DAY_MONTH:
            return found == term.text and bool(_FULL_STOP.match(text, end))
        case Manner.REFERENCE:
            words = found.lower().replace("’", "'").split()
            return words == term.text.split() and not found[-1].isupper()
        case _:
            return found.isalnum() or _PART_OF_WORD.findall(found) == _PART_OF_WORD.findall(term.text)


def _same_number(term: SearchTerm, found: str) -> bool:
    groups = _PART_OF_WORD.findall(found)
    if term.in_pieces:
        return any(groups == _PART_OF_WORD.findall(text) for text in term.text.split())
    if groups == _PART_OF_WORD.findall(term.text):
        return True
    if len(groups) == 1 or GROUPED.fullmatch(found):
        return True
    gaps = _PART_OF_WORD.split(found)[1:-1]
    return len(term.folded) >= 7 and all(map(_BETWEEN_DIGITS.fullmatch, gaps))


def _joined(term: SearchTerm, found: str) -> bool:
    """Whether the white space in `found` is where the term has a break."""
    breaks = [gap for gap in _WHITE.finditer(found) if found[gap.start() - 1] not in _HYPHENS]
    if not breaks:
        return True
    words = found.split()
    if all(len(word) == 1 for word in words):
        return True
    if len(term.folded) >= 8 and sum(map(str.isdigit, term.folded)) >= 4:
        return True  # an account number with letters, in groups
    allowed = set()
    length = 0
    for word in _PART_OF_WORD.findall(term.text[: 4 * len(term.folded) + _LONGEST_STRETCH]):
        length += len(fold(word))
        allowed.add(length)
    length = at = inside = 0
    for gap in breaks:
        length += len(fold(found[at : gap.start()]))
        at = gap.end()
        if length not in allowed:
            # One word split by a line end, as in the texts of PDF files.
            inside += 1 if "\n" in gap[0] and len(term.folded) >= _LONG_ENOUGH_TO_CUT else 2
            if inside > 1:
                return False
    return True


def longest_of_findings(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """As `_longest`, and without suggestions that touch findings."""
    every = list(occurrences)
    findings = list(_longest(found for found in every if found.term.kind != SUGGESTION))
    taken = RangeSet([(found.start, found.end) for found in findings])
    suggestions = _longest(found for found in every if found.term.kind == SUGGESTION)
    return [*findings, *(found for found in suggestions if not taken.touches(found.start, found.end))]


def _longest(occurrences: Iterable[Occurrence]) -> Iterator[Occurrence]:
    """In order, without occurrences inside other ones."""
    reached = -1
    for occurrence in sorted(occurrences, key=lambda found: (found.start, -found.end)):
        if occurrence.end > reached:
            reached = occurrence.end
            yield occurrence
