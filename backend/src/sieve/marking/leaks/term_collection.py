"""Search terms and how they are collected: each folded text once, up to limits.

`search_terms` derives them from the marked text.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from sieve.marking.leaks.common_words import FUNCTION_WORDS
from sieve.marking.leaks.finding import PART, PHRASE, PHRASE_KINDS, SUGGESTION
from sieve.marking.leaks.folding import fold

MAX_TERMS: Final = 100_000
MAX_TERM_LENGTH: Final = 256
MAX_TOTAL_LENGTH: Final = 1_000_000
"""Folded characters of all terms, which determine the memory of the search."""
SHORT: Final = 3
"""A term of so few letters or digits matches only in the same case and in one piece."""
GROUP_LENGTH: Final = 64
_MIN_NUMBER: Final = 3


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
    MEASURE = "measure"
    """A number with a unit: 1.5 t is not 15 t, and no million."""
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
    with_digits: dict[str, None] = field(default_factory=dict, repr=False)
    """Phrases in which there may be measures."""
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
        group = folded if kind in (PHRASE, PART) else fold(origin[:GROUP_LENGTH])
        self.by_fold[folded] = SearchTerm(kind, text, origin, group[:GROUP_LENGTH], folded, in_pieces, cut, manner)

    @property
    def is_half_full(self) -> bool:
        """Whether half of the limits is used."""
        return len(self.by_fold) * 2 > MAX_TERMS or self._total * 2 > MAX_TOTAL_LENGTH

    def folded(self, phrase: str) -> str:
        """The folded text under which `phrase` is searched for."""
        return fold(_shorten(phrase)[0])


def _rank(kind: str, manner: Manner) -> tuple[bool, bool, int]:
    return kind == SUGGESTION, bool(manner), PHRASE_KINDS.index(kind)


def _shorten(text: str) -> tuple[str, bool]:
    text = text.strip()
    if len(text) <= MAX_TERM_LENGTH:
        return text, False
    words = text[:MAX_TERM_LENGTH].rsplit(None, 1)
    return words[0], True
