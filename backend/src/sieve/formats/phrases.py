"""Finds further copies of marked text, whatever their case, white space, normal form and invisible characters.

Invariant: a phrase of at least four characters with a letter in it is found anywhere, even inside words. A shorter
phrase, or one of digits, is found only as a separate word, since "12" would match in every document. All phrases are
searched for in one pass, however many there are.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import ahocorasick

from sieve.core.unseen import UNSEEN
from sieve.formats.marker import MARKER

PIECE_CHARACTERS: Final = 64
LONGEST_NAME: Final = 255
"""Characters. No style, sheet or bookmark has a longer name."""
PIECES: Final = 16
"""Pieces of a long text that are searched for. Any copy of the text contains them."""

_WHITE: Final = re.compile(r"\s+")
_BETWEEN: Final = re.compile(r"[^\w\n]+|_+")
_UNSEEN: Final = re.compile(f"[\0{UNSEEN}]")


def folded(text: str) -> str:
    """`text` in the form that is compared.

    >>> folded("Mrs\\n Éve")
    'mrs e\\u0301ve'
    """
    if not text.isascii():
        text = _UNSEEN.sub("", unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()))
        return _WHITE.sub(" ", text)
    return _WHITE.sub(" ", _UNSEEN.sub("", text.lower()))


def bare(text: str) -> str:
    """The letters and digits of each line without anything between them: programs derive names this way from names that
    people chose.

    >>> bare("Operation North-Wind")
    'OperationNorthWind'
    """
    return _BETWEEN.sub("", unicodedata.normalize("NFC", text))


def derived_names(texts: Iterable[str]) -> Iterator[str]:
    """Names that programs derive from `texts`, where they differ: `bare`, and `bare` without the letters that are not
    ASCII, if there are few.
    """
    for text in texts:
        if len(text) <= LONGEST_NAME:
            name = bare(text.replace("\n", " "))
            in_ascii = name.encode("ascii", "ignore").decode()
            names = {name, in_ascii} if 4 * len(in_ascii) >= 3 * len(name) else {name}
            yield from names - {text}


def is_wordy(phrase: str) -> bool:
    """Whether a folded phrase is distinctive enough to be found inside words."""
    return len(phrase) >= 4 and any(character.isalpha() for character in phrase)


def is_distinctive(phrase: str) -> bool:
    """Whether a folded phrase is distinctive enough to be withheld elsewhere: no single letter, no small number."""
    return len(phrase) >= 4 or (len(phrase) >= 2 and any(character.isalpha() for character in phrase))


class Phrases:
    """Phrases to search for."""

    def __init__(self, texts: Iterable[str], *, distinctive: bool = False, wordy: bool = False) -> None:
        """`distinctive`, `wordy`: leave out phrases for which `is_distinctive` or `is_wordy` is false."""
        self._automaton = ahocorasick.Automaton()
        self._any = False
        for text in texts:
            phrase = folded(text).strip()
            if not phrase or (distinctive and not is_distinctive(phrase)) or (wordy and not is_wordy(phrase)):
                continue
            for piece in _pieces(phrase):
                self._automaton.add_word(piece, (len(piece), is_wordy(piece)))
                self._any = True
        if self._any:
            self._automaton.make_automaton()

    def __bool__(self) -> bool:
        return self._any

    def in_text(self, text: str) -> bool:
        """Whether `text` contains one of the phrases."""
        return next(self._found(folded(text)), None) is not None

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """The ranges of characters of `text` where they occur."""
        if not self._any:
            return []
        whole, places = _folded_with_places(text)
        return [(places[start], places[end - 1] + 1) for start, end in self._found(whole)]

    def _found(self, whole: str) -> Iterator[tuple[int, int]]:
        if not self._any:
            return
        for last, (length, anywhere) in self._hits(whole):
            start, end = last + 1 - length, last + 1
            if anywhere or not (_joined(whole, start) or _joined(whole, end)):
                yield start, end

    def _hits(self, whole: str) -> Iterator[tuple[int, tuple[int, bool]]]:
        yield from self._automaton.iter(whole)


def _pieces(phrase: str) -> Iterator[str]:
    if len(phrase) <= PIECE_CHARACTERS:
        yield phrase
        return
    for at in range(0, min(len(phrase), PIECES * PIECE_CHARACTERS), PIECE_CHARACTERS):
        piece = phrase[at : at + PIECE_CHARACTERS].strip()
        if len(piece) >= PIECE_CHARACTERS // 2:
            yield piece


def _joined(text: str, at: int) -> bool:
    """Whether a word continues across `at`."""
    return 0 < at < len(text) and _is_of_word(text[at - 1]) and _is_of_word(text[at])


def _is_of_word(character: str) -> bool:
    # The rest of a word next to a marker is not a separate word.
    return character.isalnum() or character in MARKER


def _folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """`folded(text)`, and for each of its characters the index in `text` that it came from."""
    if text.isascii() and len(whole := folded(text)) == len(text):
        return whole, range(len(text))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for small in folded(character):
            if small == " " and characters and characters[-1] == " ":
                continue
            characters.append(small)
            places.append(place)
    return "".join(characters), places
