"""A marks file: what is classified in a file of any format, as JSON, for `sieve mark` and the commands that follow it.

The law: marks belong to the very bytes that they were made for. A file of another size or digest is refused, for a
mark that has slipped by one character protects the wrong one. `ranges` is there for whoever reads the file; no program
reads it back, so that marks and ranges cannot disagree.

A marks file says what is secret and where: it is for its owner's eyes only.
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
    # Into one buffer, piece by piece: a million marks as lines of their own would take twice the memory.
    out = BytesIO()
    out.write(f'{json.dumps(head)[:-1]},\n"marks": ['.encode())
    _write_list(out, map(_print_mark, marks), ",\n")
    out.write(b'],\n"ranges": ')
    out.write(print_ranges(spans))
    out.write(b"}\n")
    return out.getvalue()


def print_ranges(spans: Spans) -> bytes:
    """The spans as a list in JSON, each a pair of its start and its end."""
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

    Whether their addresses exist and their ends lie inside is for the format's reading to say.

    Raises:
        MarksFileError: it is no marks file, a mark is not well-formed, or it was made for another file.
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
    """The marks that a list of JSON objects writes. `whose`: said behind the number of one that is not well-formed.

    Raises:
        MarksFileError: one of them is not, or it is no list.
    """
    if not isinstance(items, list):
        raise MarksFileError(f"the marks{whose} are no list")
    return [_read_mark(number, fields, whose) for number, fields in enumerate(items, 1)]


def print_marks(marks: Iterable[Mark]) -> bytes:
    """The same marks as a list in JSON."""
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
