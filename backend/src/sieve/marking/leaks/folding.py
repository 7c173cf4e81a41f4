"""Text without what does not change who reads it: letters and digits alone, all in one form.

Two texts that a reader takes for the same fold to the same: case, accents, white space, hyphens and punctuation,
soft hyphens and zero-width characters, compatibility forms (full-width, mathematical, ligatures), digits of any script,
and Cyrillic and Greek letters that look Latin. What must not count as the same is for `occurrences` to tell, which sees
the text itself.

The law: each code point folds by itself. So a place in the folded text has one place in the text.
"""

import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain, compress, repeat
from typing import Final

# Letters that look like Latin ones, after Unicode Technical Standard 39, data file confusables.txt, without those that
# only some typefaces make alike. A letter has one fold in both cases, so a Greek letter goes by its capital.
_LOOK_ALIKES: Final = {
    **dict(zip("авекмнорстухѕіјһԁԍԛԝүѵ", "abekmhopctyxsijhdgqwyv", strict=True)),
    **dict(zip("αβεζηικμνορτυχϲϳ", "abezhikmnoptyxcj", strict=True)),
    **dict(zip("ðøđħıłŧ", "dodhilt", strict=True)),
    "æ": "ae",
    "œ": "oe",
}
_BLOCK: Final = 4096
_ASCII_FOLDED: Final = bytes(ord(chr(code).lower()) for code in range(128)) + bytes(128)
_ASCII_KEPT: Final = bytes(chr(code).isalnum() for code in range(128)) + bytes(128)
_ASCII_DROPPED: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_NOTHING: Final = "-"


def _kept(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Mn":
        # Accents and the vowel points of Hebrew and Arabic go. Signs that are letters to their readers stay: those of
        # Indic scripts and Thai, and the Japanese voicing marks.
        points = unicodedata.combining(char)
        return not (points >= 200 or 10 <= points <= 36 or points == 1 or "\ufe00" <= char <= "\ufe0f")
    return category[0] in "LNM"


def _fold_character(char: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(
        str(unicodedata.digit(part)) if unicodedata.category(part) == "Nd" else _LOOK_ALIKES.get(part, part)
        for part in folded
        if _kept(part)
    )


class _Table(dict[str, str]):
    """The fold of each character that was met."""

    def __missing__(self, char: str) -> str:
        folded = self[char] = _fold_character(char)
        return folded


_folds: Final = _Table()


class _ToAscii(dict[int, int]):
    """For `str.translate`: one ASCII character that folds to the same, or the character itself if there is none."""

    def __missing__(self, code: int) -> int:
        folded = _folds[chr(code)] or _NOTHING
        alike = self[code] = ord(folded) if code > 127 and len(folded) == 1 and folded.isascii() else code
        return alike


_to_ascii: Final = _ToAscii()


def _encode(block: str) -> bytes | None:
    """`block` in ASCII, character for character, if it can be had: much the fastest to fold."""
    if not block.isascii():
        block = block.translate(_to_ascii)
    return block.encode("ascii") if block.isascii() else None


def _fold_block(block: str, encoded: bytes | None) -> str:
    if encoded is None:
        return "".join(map(_folds.__getitem__, block))
    return encoded.translate(_ASCII_FOLDED, _ASCII_DROPPED).decode("ascii")


def _blocks(text: str) -> Iterator[str]:
    return (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))


def fold(text: str) -> str:
    """The folded text.

    >>> fold("Ida  HALVOR\u00adSEN")
    'idahalvorsen'
    """
    return "".join(_fold_block(block, _encode(block)) for block in _blocks(text))


class Folded:
    """A text, folded, that knows where each folded character came from."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._encoded = [_encode(block) for block in _blocks(source)]
        blocks = list(map(_fold_block, _blocks(source), self._encoded))
        self._ends = array("Q", accumulate(map(len, blocks)))
        self.text = "".join(blocks)
        # Questions come in the order of the text, so two blocks are enough: the one at hand, and the one before.
        self._maps: dict[int, array[int]] = {}

    def place(self, index: int) -> int:
        """Where in the source the folded character `index` comes from."""
        number = bisect_right(self._ends, index)
        places = self._maps.get(number)
        if places is None:
            places = self._map(number)
            if len(self._maps) == 2:
                del self._maps[next(iter(self._maps))]
            self._maps[number] = places
        return places[index - (self._ends[number - 1] if number else 0)]

    def _map(self, number: int) -> "array[int]":
        at = number * _BLOCK
        block = self.source[at : at + _BLOCK]
        positions = range(at, at + len(block))
        encoded = self._encoded[number]
        if encoded is None:
            lengths = [len(_folds[char]) for char in block]
            return array("Q", chain.from_iterable(map(repeat, positions, lengths)))
        return array("Q", compress(positions, encoded.translate(_ASCII_KEPT)))
