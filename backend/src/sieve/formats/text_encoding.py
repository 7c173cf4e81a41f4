"""Whether bytes can be read as text, and how: for who looks for what is classified in them, whatever they are called.

The law: too much is taken for text rather than too little. A guess here never changes what is stored, sent or shown.
"""

import codecs
import re
from typing import Final

_BYTE_ORDER_MARKS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# What no text in an encoding of one byte a character has; nearly every other file has some of it at its beginning.
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BETWEEN_WORDS: Final = (b" ", b"\n", b"\r", b"\t")
_LONGEST_WORD: Final = 100
"""Bytes, on average: between words there is space."""


def encoding_of(data: bytes) -> str | None:
    """The name of the encoding that `data` reads as text in; None if it does in none.

    Of the encodings with one byte a character one stands for all: letters that are not ASCII may come out as others,
    and the same ones come out alike.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    if encoding := _BYTE_ORDER_MARKS.get(data[:2]):
        return encoding
    if _CONTROL.search(data) or sum(map(data.count, _BETWEEN_WORDS)) * _LONGEST_WORD < len(data):
        return None
    return "cp1252"
