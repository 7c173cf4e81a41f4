"""Finds further copies of marked texts in a PDF.

Invariant: linear time in what is searched. A text is found whatever its white space, hyphens and compatibility forms,
and in bytes in every way in which a PDF writes text: Latin, UTF-8, UTF-16, hexadecimal, octal, split.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final

import re2

from sieve.core.unseen import UNSEEN

_DROPPED: Final = re.compile(rf"[\s\x00{UNSEEN}\u2010\u2011-]+")
_LEAST_BYTES: Final = 4
"""Any image contains shorter texts by chance."""
_MAX_MEMORY: Final = 256 << 20
_LONGEST: Final = 256
"""Characters of a text that are looked for: a copy of a longer text contains its middle. The number of texts must not
depend on how long they are."""

_OCTAL: Final = re.compile(rb"\\([0-7]{1,3})")
_HEX_STRING: Final = re.compile(rb"<([0-9A-Fa-f\s]+)>")
_LITERAL: Final = re.compile(rb"\(((?:[^()\\]++|\\.)*+)\)", re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(\r\n|.)", re.DOTALL)
_ESCAPED: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BROKEN_LINE: Final = (b"\r\n", b"\r", b"\n")


class TooManyTexts(Exception):
    """There are too many marked texts to search for at once."""


def folded(text: str) -> str:
    """`text` without what may differ between two copies of it."""
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text))


class SearchTerms:
    """Texts to search for."""

    def __init__(self, texts: Iterable[str], least: int = 1) -> None:
        """Leaves out texts of less than `least` bytes.

        Raises:
            TooManyTexts: they would take too much memory.
        """
        distinct = {text for text in texts if len(folded(text).encode("utf-8", "replace")) >= max(1, least)}
        self._text = _compiled({re2.escape(_middle(folded(text))) for text in distinct})
        # Latin-1: each byte is a character, so that a pattern of it matches bytes.
        written = {form for text in distinct for form in _written(text) if len(form) >= _LEAST_BYTES}
        self._bytes = _compiled({re2.escape(form.decode("latin-1")) for form in written}, latin=True)

    def __bool__(self) -> bool:
        return self._text is not None

    def in_text(self, text: str) -> bool:
        """Whether `text` contains one of them."""
        return self._text is not None and self._text.search(folded(text)) is not None

    def in_bytes(self, data: bytes, strings: bool = True) -> bool:
        """Whether `data` contains one of them, directly or in `strings` written in it."""
        if self._bytes is None:
            return False
        return any(self._bytes.search(view) is not None for view in (_views(data) if strings else [data]))


def _middle(text: str) -> str:
    start = max(0, (len(text) - _LONGEST) // 2)
    return text[start : start + _LONGEST]


def _compiled(patterns: set[str], latin: bool = False) -> Any:
    if not patterns:
        return None
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    if latin:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        expression = "|".join(sorted(patterns))
        return re2.compile(expression.encode("latin-1") if latin else expression, options)
    except re2.error:
        raise TooManyTexts from None


def _written(text: str) -> Iterator[bytes]:
    """The ways in which a PDF writes a text."""
    for form in {_middle(" ".join(text.split())), _middle("".join(text.split()))}:
        for encoding in ("utf-8", "cp1252", "mac-roman", "utf-16-be", "utf-16-le"):
            encoded = form.encode(encoding, "replace")
            if b"?" in encoded and "?" not in form:
                continue  # this encoding cannot write it
            yield encoded
            yield encoded.hex().encode()
            yield encoded.hex().upper().encode()


def _views(data: bytes) -> Iterator[bytes]:
    """The bytes, and the strings written in them, joined, since kerning splits words."""
    yield data
    if b"(" in data:
        yield b"".join(_unescaped(literal) for literal in _LITERAL.findall(data))
    if b"<" in data:
        yield b"".join(_unhexed(digits) for digits in _HEX_STRING.findall(data))
    if b"\\" in data:
        yield _unescaped(data)


def _unescaped(literal: bytes) -> bytes:
    if b"\\" not in literal:
        return literal
    octal = _OCTAL.sub(lambda digits: bytes([int(digits[1], 8) & 0xFF]), literal)
    return _ESCAPE.sub(lambda one: b"" if one[1] in _BROKEN_LINE else _ESCAPED.get(one[1], one[1]), octal)


def _unhexed(digits: bytes) -> bytes:
    digits = b"".join(digits.split())
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
