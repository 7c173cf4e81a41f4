"""Folds text to its letters and digits, all in one form, without anything that does not change how people read it.

Two texts that look the same to a reader fold to the same text. Folding removes case, accents, white space, hyphens and
punctuation, soft hyphens and zero-width characters, compatibility forms (full-width, mathematical, ligatures), scripts
of digits, and the difference between Latin letters and Cyrillic or Greek ones that look alike. `occurrences`, which
sees the text itself, decides what must still count as different.

Invariant: each code point folds by itself, so each position in the folded text has one position in the text.
"""

import unicodedata
from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import Final

from sieve.core.unseen import UNSEEN_CHARACTERS
from sieve.marking.alphabet import ASCII, Alphabet, decoded, encoded_blocks

# Letters that look like Latin ones, after Unicode Technical Standard 39, data file confusables.txt, without those that
# only some typefaces make alike. A letter has one fold in both cases, so a Greek letter goes by its capital.
_LOOK_ALIKES: Final = {
    **dict(zip("авекмнорстухѕіјһԁԍԛԝүѵ", "abekmhopctyxsijhdgqwyv", strict=True)),
    **dict(zip("αβεζηικμνορτυχϲϳ", "abezhikmnoptyxcj", strict=True)),
    **dict(zip("ðøđħıłŧ", "dodhilt", strict=True)),
    "æ": "ae",
    "œ": "oe",
}
_PIECE: Final = 256
"""Characters whose origins are computed together. Fewer than are folded together, since most are never needed."""
_FIRST_STANDING_IN: Final = 0xE000
"""First of the private-use characters, which fold to nothing, so that no folded text contains one."""


def _kept(char: str) -> bool:
    if char in UNSEEN_CHARACTERS:
        return False
    category = unicodedata.category(char)
    if category == "Mn":
        # Accents and the vowel points of Hebrew and Arabic go. Signs that are letters to their readers stay: those of
        # Indic scripts and Thai, and the Japanese voicing marks.
        points = unicodedata.combining(char)
        return not (points >= 200 or 10 <= points <= 36 or points == 1)
    return category[0] in "LNM"


def _fold_character(char: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(
        str(unicodedata.digit(part)) if unicodedata.category(part) == "Nd" else _LOOK_ALIKES.get(part, part)
        for part in folded
        if _kept(part)
    )


class _Table(dict[str, str]):
    """The fold of each character, computed on first use."""

    def __missing__(self, char: str) -> str:
        folded = self[char] = _fold_character(char)
        return folded


_folds: Final = _Table()


class _Folds:
    """Folds text of one alphabet, byte by byte."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        folds = [_folds[char] for char in alphabet.characters]
        self._lengths = bytes(map(len, folds)).ljust(256, b"\0")
        self._dropped = bytes(code for code, fold in enumerate(folds) if not fold)
        self._longer = {chr(_FIRST_STANDING_IN + code): fold for code, fold in enumerate(folds) if len(fold) > 1}
        self._folded = "".join(
            fold if len(fold) == 1 else chr(_FIRST_STANDING_IN + code) for code, fold in enumerate(folds)
        )

    def folded(self, encoded: bytes) -> str:
        """The folded text of an encoded block."""
        folded = decoded(encoded.translate(None, self._dropped), self._folded)
        for standing_in, fold in self._longer.items():
            folded = folded.replace(standing_in, fold)
        return folded

    def lengths(self, encoded: bytes) -> bytes:
        """The number of characters that each character of an encoded block folds to."""
        return encoded.translate(self._lengths)


_ASCII: Final = _Folds(ASCII)


def fold(text: str) -> str:
    """The folded text.

    >>> fold("Ida  HALVOR\u00adSEN")
    'idahalvorsen'
    """
    return _ASCII.folded(text.encode()) if text.isascii() else "".join(map(_folds.__getitem__, text))


class Folded:
    """A folded text that knows where each of its characters came from."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lengths: list[bytes] = []
        folded: list[str] = []
        by = _ASCII
        for block, alphabet, encoded in encoded_blocks(source):
            if encoded is None:  # a script of more letters than there are bytes
                folds = list(map(_folds.__getitem__, block))
                folded.append("".join(folds))
                lengths = bytes(map(len, folds))
            else:
                if alphabet is not by.alphabet:
                    by = _Folds(alphabet)
                folded.append(by.folded(encoded))
                lengths = by.lengths(encoded)
            self._lengths += [lengths[at : at + _PIECE] for at in range(0, len(lengths), _PIECE)]
        self._ends = array("Q", accumulate(map(_sum, self._lengths)))
        self.text = "".join(folded)
        # Calls come in the order of the text, so two pieces are enough: the current one and the one before.
        self._maps: dict[int, list[int]] = {}

    def place(self, index: int) -> int:
        """The position in the source of the folded character `index`."""
        number = bisect_right(self._ends, index)
        ends = self._maps.get(number)
        if ends is None:
            ends = list(accumulate(self._lengths[number]))
            if len(self._maps) == 2:
                del self._maps[next(iter(self._maps))]
            self._maps[number] = ends
        return number * _PIECE + bisect_right(ends, index - (self._ends[number - 1] if number else 0))


def _sum(lengths: bytes) -> int:
    # Counting is many times faster than adding, and hardly anything folds to more than one character.
    short = lengths.count(0), lengths.count(1)
    return short[1] if sum(short) == len(lengths) else sum(lengths)
