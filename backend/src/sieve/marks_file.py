"""Marks files: the marks of a file of any format, as JSON, written by `sieve mark` and read by other commands.

Invariant: marks are only valid for the bytes that they were made for. A file of another size or digest is refused,
because a mark that is off by one character protects the wrong one. `ranges` is for people; no program reads it, so it
cannot contradict the marks.

A marks file reveals what is classified, and where: only its owner may read it.
"""

import json
from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final

from blake3 import blake3

from sieve.core.document import Spans
from sieve.core.errors import SieveError
from sieve.core.units import Mark

VERSION: Final = 1

_TEXTS: Final = ("label", "rule", "reason")
_FIELDS: Final = frozenset({"address", "start", "end", *_TEXTS})


class MarksFileError(SieveError):
    """A marks file cannot be read, or was made for another file."""


def dump(format_name: str, data: bytes, marks: Iterable[Mark], spans: Spans) -> bytes:
    """The marks file of the file `data`, which was read as `format_name`: a mark on each line."""
    head = {"version": VERSION, "format": format_name, "size": len(data), "blake3": blake3(data).hexdigest()}
    # Piece by piece into one buffer: a list of a million lines would take twice the memory.
    out = BytesIO()
    out.write(f'{json.dumps(head)[:-1]},\n"marks": ['.encode())
    _write_list(out, map(_print_mark, marks), ",\n")
    out.write(b'],\n"ranges": ')
    out.write(print_ranges(spans))
    out.write(b"}\n")
    return out.getvalue()


def print_ranges(spans: Spans) -> bytes:
    """The spans as a JSON array of [start, end] pairs."""
    out = BytesIO()
    out.write(b"[")
    _write_list(out, (f"[{start},{end}]" for start, end in spans), ",")
    out.write(b"]")
    return out.getvalue()


def _write_list(out: BytesIO, items: Iterable[str], separator: str) -> None:
    between = ""
    for item in items:
        out.write(f"{between}{item}".encode())
        between = separator


def load(raw: bytes, data: bytes) -> list[Mark]:
    """The marks in the marks file `raw`, which must have been made for the file `data`.

    The reading of the format checks addresses and positions.

    Raises:
        MarksFileError: it is not a marks file, a mark is not valid, or it was made for another file.
    """
    try:
        file = json.loads(raw)
    except (ValueError, RecursionError):
        # Without the cause: a JSON error holds the text.
        raise MarksFileError("this is no marks file: it is not JSON; make one with `sieve mark`") from None
    if not isinstance(file, dict) or not {"version", "size", "blake3", "marks"} <= file.keys():
        raise MarksFileError("this is no marks file: version, size, blake3 or marks is missing")
    if file["version"] != VERSION:
        raise MarksFileError(f"the marks file is of another version; this program reads version {VERSION}")
    if file["size"] != len(data) or file["blake3"] != blake3(data).hexdigest():
        raise MarksFileError("the marks file was made for another file, or the file has changed since; mark it again")
    return read_marks(file["marks"], " of the marks file")


def read_marks(items: Any, whose: str = "") -> list[Mark]:
    """The marks in a list of JSON objects. `whose`: follows the number of an invalid mark in the error.

    Raises:
        MarksFileError: a mark is not valid, or this is not a list.
    """
    if not isinstance(items, list):
        raise MarksFileError(f"the marks{whose} are no list")
    return [_read_mark(number, fields, whose) for number, fields in enumerate(items, 1)]


def print_marks(marks: Iterable[Mark]) -> bytes:
    """The marks as a JSON array."""
    out = BytesIO()
    out.write(b"[")
    _write_list(out, map(_print_mark, marks), ",")
    out.write(b"]")
    return out.getvalue()


def _print_mark(mark: Mark) -> str:
    fields = {"address": mark.address, "start": mark.start, "end": mark.end}
    fields.update((name, getattr(mark, name)) for name in _TEXTS)
    return json.dumps(fields)


def _read_mark(number: int, fields: Any, whose: str) -> Mark:
    complaint = _complaint(fields)
    if complaint:
        raise MarksFileError(f"mark {number}{whose} {complaint}")
    return Mark(fields["address"], fields.get("start"), fields.get("end"), *(fields.get(name, "") for name in _TEXTS))


def _complaint(fields: Any) -> str:
    if not isinstance(fields, dict):
        return "is no object"
    if fields.keys() - _FIELDS:
        return f"has a field that is none of {', '.join(sorted(_FIELDS))}"
    if not isinstance(fields.get("address"), str) or not fields["address"]:
        return "has no address"
    for name in _TEXTS:
        if not isinstance(fields.get(name, ""), str):
            return f"has a {name} that is no text"
    start, end = fields.get("start"), fields.get("end")
    if start is None and end is None:
        return ""
    if type(start) is not int or type(end) is not int or start < 0:
        return "needs both start and end, as whole numbers from 0, or neither for the whole of what it names"
    return "" if start <= end else "ends before it begins"
