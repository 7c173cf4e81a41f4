"""Gaps whose surroundings reveal what was withheld.

Invariant: a reader of the plain stream sees neither where a gap is nor how long it was, so a rule may only use the
plain text. Each finding is about plain text next to a gap, and marking that text resolves it. There are few rules, each
of them certain: none of them guesses the meaning of a passage.
"""

import re
from collections.abc import Iterator
from typing import Final

from sieve.core.sentence import Sentence
from sieve.marking.leaks.finding import short
from sieve.marking.leaks.folding import fold
from sieve.marking.leaks.joined_text import JoinedText, RangeSet
from sieve.marking.leaks.occurrences import opens_word

WORD: Final = "part of a word"
CHOICE: Final = "one of a few answers"
LETTER: Final = "a single letter or digit"
REMAINDER: Final = "little is left"

_CHOICES: Final = {
    fold(answer): others
    for others in (
        ("yes", "no"),
        ("true", "false"),
        ("male", "female"),
        ("man", "woman"),
        ("he", "she"),
        ("him", "her"),
        ("his", "hers"),
        ("mr", "mrs", "ms"),
        ("positive", "negative"),
        ("pass", "fail"),
        ("passed", "failed"),
        ("approved", "rejected", "denied", "declined"),
        ("accepted", "refused"),
        ("guilty", "not guilty"),
        ("for", "against"),
        ("agree", "disagree"),
        ("alive", "dead"),
        ("married", "single", "divorced", "widowed"),
    )
    for answer in others
}
_LONGEST_CHOICE: Final = 16
_REACH: Final = 200
_WORD_REACH: Final = 40
_SENTENCE_END: Final = re.compile(r"[.!?…](?=\s)|[\n\r\u2028\u2029]")
_LITTLE_SHARE: Final = 0.05
_LITTLE: Final = 400
_ENOUGH: Final = 200

Place = tuple[int, int, str, Sentence]
"""Start, end, group, sentence."""


def gaps(joined: JoinedText, marked: RangeSet) -> Iterator[Place]:
    """Plain text next to a gap that reveals what was withheld."""
    yield from _remainder(joined, marked)
    text = joined.text
    for start, end in marked:
        cut = False
        if not opens_word(text, start):
            cut = True
            yield _rest_of_word(text, max(_left(text, start), marked.end_before(start)), start)
        if not opens_word(text, end):
            cut = True
            yield _rest_of_word(text, end, min(_right(text, end), marked.start_after(end, len(text))))
        if not cut and end - start <= _LONGEST_CHOICE:
            yield from _choice(joined, marked, start, end)


def _rest_of_word(text: str, start: int, end: int) -> Place:
    sentence = Sentence(
        "leak-rest-of-word",
        "The mark covers only part of a word: the rest of it, “{text}”, hints at what is marked",
        text=short(text[start:end]),
    )
    return start, end, WORD, sentence


def _left(text: str, place: int) -> int:
    end = max(0, place - _WORD_REACH)
    while place > end and text[place - 1].isalnum():
        place -= 1
    return place


def _right(text: str, place: int) -> int:
    end = min(len(text), place + _WORD_REACH)
    while place < end and text[place].isalnum():
        place += 1
    return place


def _choice(joined: JoinedText, marked: RangeSet, start: int, end: int) -> Iterator[Place]:
    text = joined.text
    answer = fold(text[start:end])
    others = _CHOICES.get(answer)
    few = len(answer) == 1 or (len(answer) == 2 and answer.isdigit())
    if not others and not few:
        return
    unit_start, unit_end = joined.bounds(joined.number_at(start))
    first = max(unit_start, start - _REACH)
    last = min(unit_end, end + _REACH)
    first = _asked_or_begun(text, first, start)
    if after := _SENTENCE_END.search(text, end, last):
        last = after.start()
    for plain_start, plain_end in (*marked.gaps(first, start), *marked.gaps(end, last)):
        plain = text[plain_start:plain_end]
        if fold(plain):
            if others:
                sentence = Sentence(
                    "leak-few-answers",
                    "“{text}” can be completed by guessing, since the marked text next to it is one of a few answers "
                    "({answers}); mark the sentence",
                    text=short(plain),
                    answers=", ".join(others),
                )
            else:
                sentence = Sentence(
                    "leak-short-answer",
                    "“{text}” can be completed by guessing, since the marked text next to it is a single letter or a "
                    "small number; mark the sentence",
                    text=short(plain),
                )
            yield plain_start, plain_end, CHOICE if others else LETTER, sentence


def _asked_or_begun(text: str, first: int, start: int) -> int:
    """The start, not before `first`, of the sentence that contains `start`; or of the question before it, if `start` is
    where the sentence begins and so answers the question.
    """
    begins = [first, *(found.end() for found in _SENTENCE_END.finditer(text, first, start))]
    asked = first + len(text[first:start].rstrip())
    if text[first:asked].endswith("?"):
        return max(begin for begin in begins if begin < asked)
    return begins[-1]


def _remainder(joined: JoinedText, marked: RangeSet) -> Iterator[Place]:
    text = joined.text
    plain = len(text) - marked.size
    if marked.size < _ENOUGH or plain > min(_LITTLE, _LITTLE_SHARE * len(text)):
        return
    for start, end in marked.gaps(0, len(text)):
        for _, piece_start, piece_end in joined.pieces(start, end):
            piece = text[piece_start:piece_end]
            if fold(piece):
                sentence = Sentence(
                    "leak-little-left",
                    "“{text}” is part of the little plain text left; mark it, too, or the whole document",
                    text=short(piece),
                )
                yield piece_start, piece_end, REMAINDER, sentence
