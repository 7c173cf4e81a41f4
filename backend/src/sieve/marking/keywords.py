"""Keywords: a list of words and phrases of any length, found in one pass over the text.

Invariant: a keyword is found however its text is wrapped (any white space matches any other), in its composed and its
decomposed spelling, and in any case unless case matters. A whole word neither begins nor ends inside a word; characters
other than letters and digits never belong to the word next to them, so commas and quotes neither hide nor join hits.

Whole words are searched in the text with spaces in place of all other characters, each keyword between two spaces. So
the automaton stops only at whole words and not at every "an" inside a word, which is four times as fast for lists with
short words. For keywords of several words, the characters that the spaces replaced are compared afterwards.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from heapq import merge
from operator import itemgetter
from typing import Final

import ahocorasick

from sieve.marking.errors import PolicyError
from sieve.marking.folding import Folded
from sieve.marking.ranges import BETWEEN_UNITS, Range, Ranges
from sieve.marking.words import is_of_word, stands_alone, words_only

MAX_KEYWORDS: Final = 1_000_000
MAX_KEYWORD_CHARACTERS: Final = 1_000
# Each position in the text is checked once for each keyword that may end there. Keywords with a common ending, each
# inside the next ("a", "aa", "aaa"), would make a list of n keywords cost n passes.
MAX_ENDING_ALIKE: Final = 64

_END: Final = itemgetter(1)


class Keywords:
    """Finds the keywords of one rule."""

    def __init__(self, keywords: Iterable[str], *, case: bool = False, whole_word: bool = True) -> None:
        """Raises PolicyError: no keyword, too many, an empty one, one too long, or too many that end alike."""
        self._case = case
        self._spellings = frozenset(
            spelling for number, keyword in enumerate(keywords, 1) for spelling in _spellings(number, keyword, case)
        )
        if not self._spellings:
            raise PolicyError("it has no keyword; list at least one")
        # "C++" does not end with a letter, so no space has to follow it: such keywords are searched for unchanged.
        words = {spelling for spelling in self._spellings if whole_word and _is_word_at_both_ends(spelling)}
        self._whole_word = whole_word
        # A single word needs no further comparison, which a negative length shows.
        lengths = {spelling: len(spelling) * (1 if " " in words_only(spelling) else -1) for spelling in words}
        self._words = _automaton({f" {words_only(spelling)} ": length for spelling, length in lengths.items()})
        self._others = _automaton({spelling: len(spelling) for spelling in self._spellings - words})

    def find(self, text: str) -> Ranges:
        """The ranges of keywords in `text`."""
        folded = Folded(text, case=self._case)
        ways = [
            way(automaton, folded.text)
            for way, automaton in ((self._find_words, self._words), (self._find_others, self._others))
            if automaton is not None
        ]
        # Joined before mapping back, since there may be many times as many overlapping hits.
        hits = Ranges(ways[0] if len(ways) == 1 else merge(*ways, key=_END))
        return hits if folded.is_in_place else Ranges(folded.origins(hits))

    def _find_words(self, automaton: ahocorasick.Automaton, text: str) -> Iterator[Range]:
        for space_after, length in automaton.iter(f" {words_only(text)} "):
            # The space before the text shifts positions by one, and the one after the keyword is not part of it.
            end = space_after - 1
            if length < 0:
                yield end + length, end
            elif text[end - length : end] in self._spellings:
                yield end - length, end

    def _find_others(self, automaton: ahocorasick.Automaton, text: str) -> Iterator[Range]:
        for last, length in automaton.iter(text):
            start, end = last + 1 - length, last + 1
            if not self._whole_word or stands_alone(text, start, end):
                yield start, end


def _spellings(number: int, keyword: str, case: bool) -> set[str]:
    if number > MAX_KEYWORDS:
        raise PolicyError(f"it has more than {MAX_KEYWORDS:,} keywords; make several rules of it")
    if len(keyword) > MAX_KEYWORD_CHARACTERS:
        raise PolicyError(f"keyword {number} has more than {MAX_KEYWORD_CHARACTERS:,} characters; shorten it")
    if BETWEEN_UNITS in keyword:
        raise PolicyError(f"keyword {number} contains a NUL character; remove it")
    forms = {keyword, unicodedata.normalize("NFC", keyword), unicodedata.normalize("NFD", keyword)}
    spellings = {Folded(form, case=case).text.strip() for form in forms}
    if "" in spellings:
        raise PolicyError(f"keyword {number} is empty; remove it")
    return spellings


def _is_word_at_both_ends(spelling: str) -> bool:
    return is_of_word(spelling[0]) and is_of_word(spelling[-1])


def _automaton(sought: dict[str, int]) -> ahocorasick.Automaton | None:
    if not sought:
        return None
    automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
    for string, length in sought.items():
        automaton.add_word(string, length)
    automaton.make_automaton()
    for string in sought:
        _check_endings(automaton, string)
    return automaton


def _check_endings(automaton: ahocorasick.Automaton, sought: str) -> None:
    where, count = -1, 0
    for last, _ in automaton.iter(sought):
        where, count = last, count + 1 if last == where else 1
        if count > MAX_ENDING_ALIKE:
            complaint = f"more than {MAX_ENDING_ALIKE} keywords end alike, each inside the next; keep the shortest"
            raise PolicyError(complaint)
