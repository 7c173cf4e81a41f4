"""Whether bytes can be read as text, and how: for who looks for what is classified in them, whatever they are called.

The law: too much is taken for text rather than too little. A guess here never changes what is stored, sent or shown.
"""

import codecs
from typing import Final

# The longer ones first: that of UTF-32 begins as that of UTF-16 does.
_BYTE_ORDER_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Of each four bytes, which are mostly zero where no mark says the encoding: half the letters of most scripts in use
# and all spaces, digits and line ends are.
_ZEROS: Final[dict[tuple[bool, ...], str]] = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
# What no text in an encoding of one byte a character has more than a few of; nearly every other file has many.
_CONTROLS: Final = bytes({*range(32), 0x7F} - {*b"\t\n\v\f\r\x1b"})
_MOST_CONTROLS: Final = 1 / 50
_BETWEEN_WORDS: Final = (b" ", b"\n", b"\r", b"\t")
_LONGEST_WORD: Final = 100
"""Bytes, on average: between words there is space."""


def encoding_of(data: bytes) -> str | None:
    """The name of the encoding that `data` reads as text in, but for a few bytes; None if it does in none.

    Of the encodings with one byte a character one stands for all: letters that are not ASCII may come out as others,
    and the same ones come out alike.
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return encoding
    if wide := _wide(data):
        return wide
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    if _has_controls(data, data):
        return None
    if _is_mostly_utf_8(data):
        return "utf-8"
    return None if sum(map(data.count, _BETWEEN_WORDS)) * _LONGEST_WORD < len(data) else "cp1252"


def _wide(data: bytes) -> str | None:
    """The encoding of two or four bytes a character that shows in where the zeros are."""
    if b"\0" not in data:
        return None
    lanes = [data[at::4] for at in range(4)]
    encoding = _ZEROS.get(tuple(lane.count(0) * 2 > len(lane) for lane in lanes))
    return None if _has_controls(data, data.replace(b"\0", b"")) else encoding


def _has_controls(data: bytes, looked_at: bytes) -> bool:
    return len(looked_at) - len(looked_at.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(data)


def _is_mostly_utf_8(data: bytes) -> bool:
    """Whether less than half of what is not ASCII is wrong: in another encoding, nearly all is."""
    not_ascii = len(data.translate(None, bytes(range(128))))
    return data.decode("utf-8", "replace").count("\ufffd") * 2 < not_ascii
