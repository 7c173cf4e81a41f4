"""How much a hit marks: only itself, or its words, sentences, paragraphs, pages, or the whole document.

Invariant: in doubt, more. A word extends to the next white space or punctuation, across apostrophes and hyphens inside
it; in scripts without spaces between words, too. A sentence does not end at an abbreviation, an initial or a line end.
A paragraph ends only at an empty line. The time is that of one pass, since text that one hit marks is not searched
again for the next.

ICU finds the sentences. It counts in UTF-16 units and splits after "Dr." and at each line end; this module corrects
both.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from icu4py.breakers import SentenceBreaker

from sieve.core.unseen import UNSEEN_CHARACTERS
from sieve.marking.ranges import Range, Ranges
from sieve.marking.words import is_of_word


class Granularity(StrEnum):
    """How much a hit marks."""

    MATCH = "match"
    WORD = "word"
    SENTENCE = "sentence"
    PARAGRAPH = "paragraph"
    PAGE = "page"
    DOCUMENT = "document"


_IN_WORDS: Final = "'’-\u2010\u2011_"
_LONGEST_UNSEEN: Final = 32
"""Characters in a row that nobody sees, in a word. A bound, so that time is linear."""
_BETWEEN: Final = UNSEEN_CHARACTERS | frozenset(_IN_WORDS)
_LINE_END: Final = r"(?:\r\n|[\n\r\x85\u2028])"
_PARAGRAPH_END: Final = re.compile(rf"{_LINE_END}(?:[^\S\r\n\f\x85\u2028\u2029]*{_LINE_END})+|\u2029|\f")
_PAGE_END: Final = re.compile("\f")
_LINE_ENDS: Final = re.compile("[\n\r\x0b\x85\u2028]")
# Characters that are two units in UTF-16, or none at all. As a small letter they end no sentence.
_NO_SINGLE_UNIT: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_LAST_WORD: Final = re.compile(r"(\S+)\.[\"'”’»)\]]*\Z")
_LONGEST_TAIL: Final = 24
_LONGEST_INITIAL: Final = 2
_ABBREVIATED: Final = """
    adm al ann app appx approx apr apt arr art assn assoc asst attn aug ave bd bldg blvd bn brig bros bsp bzgl
    bzw ca capt cdr cf cfr ch chap cie cit cmdr cmdt co col comdr comdt cons corp cpl cpt ct dec dep dept dipl
    dir dist div dr drs ea ed eds enc encl eng engr ens esp esq est etc eur ex ext fax feb ff fig figs fl fn
    fr fri ft fwd gal gen ges ggf gov govt hon hosp hq hr hrs ibid inc incl inst int intl jan jr jul jun lat
    lb lbs lieut lim ln lon long lt ltd maj mar max med messrs mfg mgr mi mil min misc mlle mme mon mr mrs ms
    msgr mt mtg mx nat natl no nos nov nr op oct ord orig oz para paras pl pls pos pp pres prof pt pte pty pub
    pvt qty rd ref refs reg rep reps rev rm rt sat sec sect sen sens sep sept ser sfc sgt sig sq sr sra srta
    st sta ste str sub subpara sun sup supp supt tab tel temp thu tue tues univ usu vgl viz vol vols vs wed wk
    yd yr yrs z zb
"""
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())


def widened(text: str, hits: Ranges, granularity: Granularity) -> Iterator[Range]:
    """The hits extended in `text`, in order and without overlaps.

    Form feeds separate pages. The caller handles pages in other formats, and whole documents.
    """
    match granularity:
        case Granularity.MATCH:
            return iter(hits)
        case Granularity.WORD:
            return _words(text, hits)
        case Granularity.SENTENCE:
            # A sentence is within a paragraph, so only paragraphs with hits need splitting.
            paragraphs = _touched(hits, _between(text, _PARAGRAPH_END))
            return _touched(hits, (sentence for place in paragraphs for sentence in _sentences(text, *place)))
        case Granularity.PARAGRAPH:
            return _touched(hits, _between(text, _PARAGRAPH_END))
        case Granularity.PAGE:
            return _touched(hits, _between(text, _PAGE_END))
        case Granularity.DOCUMENT:
            return _touched(hits, iter([(0, len(text))]))


def _touched(hits: Ranges, pieces: Iterator[Range]) -> Iterator[Range]:
    """Each hit with the pieces that it overlaps. Pieces are in order, without overlaps, and need not cover the text."""
    piece = next(pieces, None)
    done = 0
    for start, end in hits:
        if end <= done:
            continue
        while piece and piece[1] <= start:
            piece = next(pieces, None)
        first, done_before, done = start, done, end
        if piece and piece[0] < end:
            first = min(start, piece[0])
        while piece and piece[0] < end:
            done = max(done, piece[1])
            if piece[1] >= end:
                break
            piece = next(pieces, None)
        yield max(first, done_before), done


def _words(text: str, hits: Ranges) -> Iterator[Range]:
    done = 0
    for start, end in hits:
        if end <= done:
            continue
        # At the edge of a word nothing is added: a comma next to it stays out.
        while start > done and _goes_on(text, start):
            start -= 1
        while end < len(text) and _goes_on(text, end):
            end += 1
        yield max(start, done), end
        done = end


def _goes_on(text: str, place: int) -> bool:
    """Whether a word continues across `place`."""
    before, after = text[place - 1], text[place]
    if is_of_word(before) and is_of_word(after):
        return True
    start = end = place
    while start > max(0, place - _LONGEST_UNSEEN) and text[start - 1] in _BETWEEN:
        start -= 1
    while end < min(len(text), place + _LONGEST_UNSEEN) and text[end] in _BETWEEN:
        end += 1
    seen = sum(character in _IN_WORDS for character in text[start:end])
    return seen <= 1 and is_of_word(text[start - 1 : start] or " ") and is_of_word(text[end : end + 1] or " ")


def _between(text: str, separator: re.Pattern[str]) -> Iterator[Range]:
    start = 0
    for found in separator.finditer(text):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _sentences(text: str, start: int, end: int) -> Iterator[Range]:
    readable = _LINE_ENDS.sub(" ", _NO_SINGLE_UNIT.sub("a", text[start:end]))
    begin = 0
    for _, after in SentenceBreaker(readable, "en").segments():
        sentence = readable[begin:after]
        seen = sentence.rstrip()
        if after < len(readable) and (not seen or _ends_abbreviated(seen)):
            continue
        yield start + begin + len(sentence) - len(sentence.lstrip()), start + begin + len(seen)
        begin = after


def _ends_abbreviated(sentence: str) -> bool:
    found = _LAST_WORD.search(sentence[-_LONGEST_TAIL:])
    if not found:
        return False
    parts = found[1].strip("([{\"'“‘«").casefold().split(".")
    # An initial, "U.S.", "e.g.", "Ph.D.", the number of an item or of an ordinal.
    return all(len(part) <= _LONGEST_INITIAL and part.isalpha() for part in parts[:-1]) and (
        parts[-1] in _ABBREVIATIONS or len(parts[-1]) == 1 or parts[-1].isdecimal() or len(parts) > 1
    )
