"""Encodes text with few distinct characters as one byte each, so that long texts can be processed as fast as bytes.

Invariant: the result is the same as processing each character by itself. Nearly all scripts have fewer letters than
there are bytes; text in any other script is processed character by character.
"""

import codecs
from collections.abc import Iterator
from typing import Final

UNDEFINED: Final = "\ufffe"
"""No character to the codecs below. In a text it counts as a hyphen, as PDF readers use it."""

BLOCK: Final = 4096
"""Characters that are encoded together: few enough to be in one script, and enough to justify an alphabet."""
_MOST: Final = 256
_ASCII_CHARACTERS: Final = "".join(map(chr, range(128)))


class Alphabet:
    """ASCII and up to 128 other characters."""

    def __init__(self, beyond_ascii: frozenset[str] = frozenset()) -> None:
        self._beyond_ascii = beyond_ascii
        self.characters = _ASCII_CHARACTERS + "".join(sorted(beyond_ascii))
        """Each character at the index of its byte."""
        self._bytes = codecs.charmap_build(self.characters)

    def encoded(self, text: str) -> bytes | None:
        """`text` with a byte for each character; None if it has other characters."""
        try:
            return codecs.charmap_encode(text.replace(UNDEFINED, "-"), "strict", self._bytes)[0]
        except UnicodeEncodeError:
            return None

    def with_those_of(self, text: str) -> "Alphabet | None":
        """This alphabet with the characters of `text` added; if that is too many, one of these alone, or None."""
        met = set(text)
        if len(met) > _MOST:
            return None
        here = met.difference(_ASCII_CHARACTERS) - {UNDEFINED}
        for characters in (self._beyond_ascii | here, frozenset(here)):
            if len(characters) <= _MOST - len(_ASCII_CHARACTERS):
                return Alphabet(characters)
        return None


ASCII: Final = Alphabet()


def decoded(encoded: bytes, characters: str) -> str:
    """The text in which each byte is the index of one of up to 256 `characters`."""
    return codecs.charmap_decode(encoded, "strict", characters)[0]


def encoded_blocks(text: str) -> Iterator[tuple[str, Alphabet, bytes | None]]:
    """The text in pieces of `BLOCK` characters, each with an alphabet and its bytes; None instead of bytes if a piece
    has too many distinct characters. Alphabets grow as needed, so that there are few.
    """
    alphabet = ASCII
    for at in range(0, len(text), BLOCK):
        block = text[at : at + BLOCK]
        encoded = alphabet.encoded(block)
        if encoded is None and (wider := alphabet.with_those_of(block)) is not None:
            alphabet, encoded = wider, wider.encoded(block)
        yield block, alphabet, encoded
