"""Decodes text whose encoding a file or mail declares, so that each character maps back to its own bytes.

Invariant: encoding the decoded text gives exactly the bytes of the file, piece by piece. Encodings with states, such as
ISO-2022-JP, are refused, since their bytes depend on the text before them.
"""

import codecs
from typing import Final, NamedTuple

from sieve.formats.errors import Damaged, Unsupported

_ALIASES: Final = {
    **dict.fromkeys(("ascii", "iso8859-1", "latin_1"), "cp1252"),  # as browsers and mail programs read them
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_STATELESS: Final = frozenset(
    {"utf-8", "gb18030", "big5", "cp932", "cp949", "euc_jp", "koi8-r", "koi8-u", "mac-roman", "tis-620", "cp874"}
    | {f"cp125{number}" for number in range(9)}
    | {f"iso8859-{number}" for number in range(2, 17)}
)
_WITH_ASCII_BYTES: Final = frozenset({"gb18030", "big5", "cp932", "cp949", "utf-16-le", "utf-16-be"})
_MARKS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Decoded(NamedTuple):
    """A text without its byte order mark, which has `mark` bytes."""

    text: str
    encoding: str
    mark: int


def decoded(data: bytes, declared: str | None) -> Decoded:
    """`data` in the encoding of its byte order mark, or else the declared one, or else UTF-8 or Windows-1252.

    Raises:
        Damaged: it is not text in the declared encoding.
        Unsupported: the encoding is unknown or has states.
    """
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    body = data[len(mark) :]
    if mark:
        encoding = _MARKS[mark]
    elif declared:
        encoding = _codec(declared)
    else:
        encoding = "utf-8" if _is_utf_8(body) else "cp1252"
    try:
        text = body.decode(encoding)
        exact = text.encode(encoding) == body
    except UnicodeError:
        exact = False
    if not exact:
        raise Damaged(f"the text is not valid in its encoding ({encoding}); save it again as UTF-8")
    return Decoded(text, encoding, len(mark))


def has_ascii_bytes_in_letters(encoding: str) -> bool:
    """Whether the bytes of letters that are not ASCII may look like ASCII."""
    return encoding in _WITH_ASCII_BYTES


def _codec(declared: str) -> str:
    try:
        name = codecs.lookup(declared.strip()).name
    except (LookupError, ValueError):
        name = ""
    name = _ALIASES.get(name, name)
    if name not in _STATELESS:
        raise Unsupported("the gateway does not read the encoding that the text declares; save it again as UTF-8")
    return name


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
