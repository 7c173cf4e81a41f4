"""Derives from the marked text what to search for: phrases, names and their parts, acronyms, numbers and dates.

Invariant: every rule here can be explained to an author in one sentence, and needs no list of names. Rules with many
false positives are left out; docs/leak-guard.md lists them.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from sieve.marking.leaks import other_forms
from sieve.marking.leaks.common_words import COMMON_IN_NAMES, LINKS
from sieve.marking.leaks.finding import ACRONYM, PART, PHRASE, SUGGESTION
from sieve.marking.leaks.folding import fold
from sieve.marking.leaks.number_terms import add_measures, add_numbers, add_rarer_dates
from sieve.marking.leaks.term_collection import GROUP_LENGTH, MAX_TERM_LENGTH, Manner, SearchTerm, SearchTerms

MAX_READ: Final = 8_000_000
"""Characters of marks from which terms are derived."""

_NESTED_LENGTH: Final = 300
_MIN_PART: Final = 3
_MAX_LINKS: Final = 2
_ACRONYM_WORDS: Final = range(3, 9)
_MIN_MISSPELT: Final = 6
"""Letters that a surname needs for a search for misspellings: too many words are similar to shorter ones."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|[\n\r\u2028\u2029]+")
_LISTED: Final = re.compile(r"\s*([^\W\d_][^\W\d_'’-]{2,}), ([^\W\d_]+(?: [^\W\d_]+)?)\s*")
"""A name as in registers: surname, given names."""
_SPACE: Final = re.compile(r"\.?\s+|-")


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
    add_numbers(phrase, terms)


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
            group = fold(name)[:GROUP_LENGTH]
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
        add_rarer_dates(year, month, day, origin, terms)
    # Names with a letter missing or two swapped, except the first: people notice that typing error.
    for word, origin in terms.surnames.items():
        if terms.is_half_full:
            return
        for at in range(1, len(word)):
            terms.add(PART, word[:at] + word[at + 1 :], origin, manner=Manner.MISSPELT)
            terms.add(PART, word[:at] + word[at : at + 2][::-1] + word[at + 2 :], origin, manner=Manner.MISSPELT)
    add_measures(terms)
