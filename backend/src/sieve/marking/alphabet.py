"""Few characters as one byte each, so that a long text in them is looked at as fast as bytes are.

The law: what is got is what looking at each character by itself gives. Nearly all scripts have fewer letters than there
are bytes; a text of another is looked at character by character.
"""

import codecs
from collections.abc import Iterator
from typing import Final

UNDEFINED: Final = "\ufffe"
"""What the codecs below take for no character. In a text it counts as a hyphen, which it stands for in those of PDF."""

BLOCK: Final = 4096
"""Characters that are encoded together: few enough to be of one script, and enough to be worth an alphabet."""
_MOST: Final = 256
_ASCII_CHARACTERS: Final = "".join(map(chr, range(128)))


class Alphabet:
    """ASCII, and up to 128 characters beyond it."""

    def __init__(self, beyond_ascii: frozenset[str] = frozenset()) -> None:
        self._beyond_ascii = beyond_ascii
        self.characters = _ASCII_CHARACTERS + "".join(sorted(beyond_ascii))
        """Each at its byte."""
        self._bytes = codecs.charmap_build(self.characters)

    def encoded(self, text: str) -> bytes | None:
        """`text`, a byte for each character; None if it has others."""
        try:
            return codecs.charmap_encode(text.replace(UNDEFINED, "-"), "strict", self._bytes)[0]
        except UnicodeEncodeError:
            return None

    def with_those_of(self, text: str) -> "Alphabet | None":
        """This one with the characters of `text`, too, or, if those are too many, only with them; None if they are."""
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
    """What `characters`, up to 256 of them, has for each byte."""
    return codecs.charmap_decode(encoded, "strict", characters)[0]


def encoded_blocks(text: str) -> Iterator[tuple[str, Alphabet, bytes | None]]:
    """The text in pieces of `BLOCK` characters, each with an alphabet and its bytes in it; with None if it has too many
    characters for any. Alphabets grow with what is met, so that there are few.
    """
    alphabet = ASCII
    for at in range(0, len(text), BLOCK):
        block = text[at : at + BLOCK]
        encoded = alphabet.encoded(block)
        if encoded is None and (wider := alphabet.with_those_of(block)) is not None:
            alphabet, encoded = wider, wider.encoded(block)
        yield block, alphabet, encoded
