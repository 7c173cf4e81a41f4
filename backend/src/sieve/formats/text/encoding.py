"""Guesses whether bytes are text, and in which encoding, so that they can be searched whatever the file is called.

Invariant: in doubt, bytes count as text. A guess never changes what is stored, sent or shown.
"""

import codecs
import unicodedata
from typing import Final

# The longer ones first: that of UTF-32 begins as that of UTF-16 does.
_BYTE_ORDER_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Of each four bytes, which are mostly zero where no mark says the encoding: of all spaces, digits and line ends every
# second one is, and of Latin letters, too.
_ZEROS: Final[dict[tuple[bool, ...], str]] = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
_UTF_16: Final = ("utf-16-le", "utf-16-be")
_UTF_32: Final = {"utf-32-le": (2, 3), "utf-32-be": (1, 0)}
"""Which of each four bytes are zero, but for few."""
_LATER_PAGES: Final = bytes(range(32, 256))
"""First bytes of two-byte characters after U+1FFF: before it are all alphabets, and nothing that text is full of."""
_SAMPLE: Final = 64 * 1024
"""Characters that are checked one by one."""
_MOST_STRANGE: Final = 1 / 20
"""Of what reads as UTF-16 and is none, an eighth are halves of pairs, or of no script."""
# What no text in an encoding of one byte a character has more than a few of; nearly every other file has many.
_CONTROLS: Final = bytes({*range(32), 0x7F} - {*b"\t\n\v\f\r\x1b"})
_MOST_CONTROLS: Final = 1 / 50
_BETWEEN_WORDS: Final = (b" ", b"\n", b"\r", b"\t")
_LONGEST_WORD: Final = 100
"""Bytes, on average: between words there is space."""


def encoding_of(data: bytes) -> str | None:
    """The encoding in which `data` is text, except for a few bytes; None if there is none.

    One single-byte encoding stands for all of them: letters that are not ASCII may decode as other letters, but equal
    letters decode alike.
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return encoding
    if wide := _wide(data) or _wide_script(data):
        return wide
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    if _has_controls(data, data):
        return _wide_signs(data)
    if _is_mostly_utf_8(data):
        return "utf-8"
    if sum(map(data.count, _BETWEEN_WORDS)) * _LONGEST_WORD < len(data):
        return _wide_signs(data)
    return "cp1252"


def _wide(data: bytes) -> str | None:
    """The encoding of two or four bytes a character that the positions of zero bytes show."""
    if b"\0" not in data:
        return None
    lanes = [data[at::4] for at in range(4)]
    encoding = _ZEROS.get(tuple(lane.count(0) * 2 > len(lane) for lane in lanes))
    return None if _has_controls(data, data.replace(b"\0", b"")) else encoding


def _wide_script(data: bytes) -> str | None:
    """UTF-32 of any script, or UTF-16 in Greek, Cyrillic or another alphabet, which may well be valid UTF-8: one of
    each two bytes is a control character, as it is in nothing else, and is zero between words.
    """
    if b"\0" not in data or not _has_controls(data, data):
        return None
    for encoding, lanes in _UTF_32.items():
        if all(data[at::4].count(0) * 4 > len(data) // 4 * 3 for at in lanes):
            return encoding if _strange(data, encoding) <= _MOST_STRANGE else None
    for at, encoding in ((1, _UTF_16[0]), (0, _UTF_16[1])):
        pages, others = data[at::2], data[1 - at :: 2]
        few_pages = len(pages.translate(None, _LATER_PAGES)) * 2 > len(pages)
        if few_pages and b"\0" in pages and others.count(0) * 50 < len(others):
            return encoding if _strange(data, encoding) <= _MOST_STRANGE else None
    return None


def _wide_signs(data: bytes) -> str | None:
    """UTF-16 in Chinese, Japanese or Korean, if `data` can be nothing else."""
    strange, encoding = min((_strange(data, encoding), encoding) for encoding in _UTF_16)
    return encoding if strange <= _MOST_STRANGE else None


def _strange(data: bytes, encoding: str) -> float:
    """The share of characters that text does not have; 1 if hardly any is a letter."""
    text = data[: 2 * _SAMPLE].decode(encoding, "replace")
    categories = [unicodedata.category(character) for character in text if character not in "\t\n\r"]
    letters = sum(category[0] in "LNM" for category in categories)
    if letters * 2 < len(categories) or not letters:
        return 1
    return sum(category[0] == "C" and category != "Cf" for category in categories) / len(categories) + text.count(
        "\ufffd"
    ) / len(text)


def _has_controls(data: bytes, looked_at: bytes) -> bool:
    return len(looked_at) - len(looked_at.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(data)


def _is_mostly_utf_8(data: bytes) -> bool:
    """Whether less than half of what is not ASCII is wrong: in another encoding, nearly all is."""
    not_ascii = len(data.translate(None, bytes(range(128))))
    return data.decode("utf-8", "replace").count("\ufffd") * 2 < not_ascii
