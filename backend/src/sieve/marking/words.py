"""Defines a word: letters and digits of any script, with combining marks.

Invariant: punctuation is never part of a word, be it comma, quote or underscore. A combining accent is, like the vowel
signs of Indic scripts.
"""

import unicodedata
from typing import Final

from sieve.marking.alphabet import decoded, encoded_blocks

# Below it Unicode has no combining mark (the first is U+0300), so that most text never asks for a category.
_FIRST_COMBINING_MARK: Final = "\u0300"
# Of a byte each, characters are translated at once, and need no alphabet made for them.
_BYTES: Final = "latin-1"


def is_of_word(character: str) -> bool:
    """Whether the character is a letter, a digit, or a mark on a letter."""
    return character.isalnum() or (
        character >= _FIRST_COMBINING_MARK and unicodedata.category(character).startswith("M")
    )


class _OfWords(dict[str, str]):
    """Maps each character to itself, or to a space if it belongs to no word."""

    def __missing__(self, character: str) -> str:
        met = self[character] = character if is_of_word(character) else " "
        return met


_of_words: Final = _OfWords()
_BYTES_OF_WORDS: Final = bytes(byte if is_of_word(chr(byte)) else ord(" ") for byte in range(256))


def words_only(text: str) -> str:
    """The text with a space in place of each character that belongs to no word."""
    try:
        return text.encode(_BYTES).translate(_BYTES_OF_WORDS).decode(_BYTES)
    except UnicodeEncodeError:
        pass
    last, with_spaces = None, ""
    pieces: list[str] = []
    for block, alphabet, encoded in encoded_blocks(text):
        if encoded is None:  # a script of more letters than there are bytes
            pieces.append("".join(map(_of_words.__getitem__, block)))
            continue
        if alphabet is not last:
            last, with_spaces = alphabet, "".join(map(_of_words.__getitem__, alphabet.characters))
        pieces.append(decoded(encoded, with_spaces))
    return "".join(pieces)


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether characters `start` to `end` neither begin nor end inside a word."""
    return not (start > 0 and is_of_word(text[start - 1]) and is_of_word(text[start])) and not (
        end < len(text) and is_of_word(text[end]) and is_of_word(text[end - 1])
    )
