"""The strings of a PDF object that a person may have written, at any depth.

Invariant: every string counts except those that only programs read according to the standard (digests, dates,
identifiers, tables of fonts and colours), and those that are no text. A list of visible keys would always miss one.
"""

import re
from collections.abc import Iterator
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, Stream, String

from sieve.formats.errors import TooLarge
from sieve.formats.pdf.opening import FAULTS

MAX_VALUES: Final = 1_000_000
"""Strings, arrays and dictionaries in one object."""

_NOT_TEXT: Final = frozenset(
    {
        *("/ID", "/NM", "/IDTree", "/CheckSum", "/DigestValue", "/Cert", "/ByteRange", "/DA", "/DS"),
        *("/CharSet", "/Panose", "/Registry", "/Ordering"),
    }
)
"""Keys whose strings only programs read."""
_OF_ENCRYPTION: Final = frozenset({"/O", "/U", "/OE", "/UE", "/Perms"})
_TYPES_WITHOUT_TEXT: Final = frozenset({"/Font", "/FontDescriptor", "/Encoding", "/CMap", "/XRef", "/ObjStm"})
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_DATE: Final = re.compile(r"D:[0-9]{4}[0-9+\-Z']*")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


def strings(value: Object) -> Iterator[str]:
    """The strings in `value` itself, without those of objects that it refers to.

    Raises:
        TooLarge: it contains too much.
    """
    if not isinstance(value, (Dictionary, Stream, Array, String)):
        return
    try:
        if isinstance(value, (Dictionary, Stream)) and str(value.get("/Type", "")) in _TYPES_WITHOUT_TEXT:
            return
        yield from _strings(value)
    except FAULTS:
        return


def _strings(value: Object) -> Iterator[str]:
    waiting: list[tuple[str, object]] = [("", value)]
    left = MAX_VALUES
    while waiting:
        left -= 1
        if left < 0:
            raise TooLarge(f"this PDF has an object with more than {MAX_VALUES:,} values; classify the whole file")
        key, item = waiting.pop()
        if isinstance(item, String):
            text = str(item)
            if _is_text(text) and not (key == "/Lang" and _LANGUAGE.fullmatch(text)):
                yield text
        elif isinstance(item, (Dictionary, Stream)):
            below = dict(item.items())
            left_out = _NOT_TEXT
            if "/ByteRange" in below:
                left_out |= {"/Contents"}  # a signature
            if "/R" in below and "/P" in below:
                left_out |= _OF_ENCRYPTION
            waiting.extend(
                (name, each)
                for name, each in reversed(below.items())
                if _is_inside(each) and (name not in left_out or isinstance(each, Dictionary))
            )
        elif isinstance(item, Array) and not (len(item) == 4 and item[0] == Name.Indexed):
            waiting.extend((key, each) for each in reversed(list(item)) if _is_inside(each))


def _is_inside(value: object) -> bool:
    """Whether it is a direct object that may contain a string."""
    return isinstance(value, (String, Dictionary, Array)) and not value.is_indirect


def _is_text(text: str) -> bool:
    # Some producers write a switch such as /Tabs as a string of one letter.
    return sum(map(str.isalnum, text)) > 1 and not (_CONTROLS.search(text) or _DATE.fullmatch(text))
