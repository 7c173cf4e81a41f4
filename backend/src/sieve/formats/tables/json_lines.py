"""Rows of .jsonl files: an object on each line, with its members as cells. There is no header; each member has its own
key. Keys can be secret, too, so each key is a unit once.

A string is read with its escapes resolved. Any other value is read as it is written, except for escapes in its
strings, and can only be marked as a whole. The contents of a nested object or array are only checked for matching
brackets and quotes, because only the end of the value matters.

Invariant: a classified member takes its key and one comma with it. A key that only some rows have reveals something
about them; without it the plain stream is the same for a value of any type and for no value. If a part of a string is
classified, the quotes stay plain: the plain rest can only be part of a string.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sieve.formats.errors import Damaged, TooLarge
from sieve.formats.marker import MARKER
from sieve.formats.tables.coverage import Coverage, covered_characters
from sieve.formats.tables.escaped_text import Piece, literal, placed
from sieve.formats.tables.heading import Heading
from sieve.formats.tables.reading import Chosen, TableReading, whole_runs
from sieve.formats.text.reading import read_text

MAX_MEMBERS: Final = 100_000
"""Of an object, to bound its memory."""

_BOM: Final = "\ufeff".encode()
_SPACE: Final = rb"[ \t\r]*+"
# All repetition is possessive, so that the engine never backtracks and reads each byte once. In a possessive group
# nothing may fail after a repetition: Python 3.11.2 then continues at the wrong position. So digits of escapes are
# checked separately, and fractions and exponents are not such groups.
_STRING: Final = rb'"[^"\\\x00-\x1f]*+(?:\\["\\/bfnrtu][^"\\\x00-\x1f]*+)*+"'
_CUT_ESCAPE: Final = re.compile(rb"(?<!\\)(?:\\\\)*+\\u(?![0-9a-fA-F]{4})")
# NaN and the infinities are not JSON, but Python and others write them.
_SCALAR: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity"
_KEY: Final = re.compile(rb"%b(%b)%b:%b" % (_SPACE, _STRING, _SPACE, _SPACE))
_SIMPLE_VALUE: Final = re.compile(rb"%b|%b" % (_STRING, _SCALAR))
_IN_NESTED: Final = re.compile(rb'[^"\[\]{}]*+(%b|[\[\]{}])' % _STRING)
_OPENING: Final = re.compile(rb"%b\{%b" % (_SPACE, _SPACE))
_AFTER: Final = re.compile(rb"%b([,}])" % _SPACE)
_BLANK: Final = re.compile(rb"%b" % _SPACE)
_ESCAPE: Final = re.compile(
    rb'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])'
)
_SHORT: Final = {b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}


class _Member(NamedTuple):
    start: int
    value: int
    end: int


def read_jsonl(data: bytes) -> TableReading:
    """The .jsonl file `data`. Its lines are read on demand.

    Raises:
        NotUtf8: it is in another encoding; with the line and column of the first wrong byte.
    """
    read_text(data)
    return TableReading("jsonl", data, JsonRows(data))


class JsonRows:
    """The objects of a file in UTF-8, read again for each iteration.

    Raises, on reaching the line:
        Damaged: a line is not a JSON object.
        TooLarge: an object has too many members.
    """

    keyed = True

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __iter__(self) -> Iterator["JsonRow"]:
        return self.since(1, 0)

    def since(self, number: int, start: int) -> Iterator["JsonRow"]:
        """The rows from row `number` on, which starts at `start`."""
        data = self._data
        at = start or (len(_BOM) if data.startswith(_BOM) else 0)
        heading = Heading([])
        number -= 1
        line = data.count(b"\n", 0, at)
        while at < len(data):
            end = data.find(b"\n", at) + 1 or len(data)
            line += 1
            if _end_of(_BLANK.match(data, at, end)) < end - data.endswith(b"\n", at, end):
                number += 1
                members, keys = _object(data, at, end, line)
                if not heading.has_keys(keys):
                    heading = Heading(keys)
                yield JsonRow(data, number, at, end, members, heading)
            at = end

    def withheld(self, *, headless: bool) -> bytes:
        """An object with a marker."""
        return b"{%b}\n" % _MARKER_MEMBER


_MARKER_MEMBER: Final = f'"{MARKER}": "{MARKER}"'.encode()


class JsonRow:
    """An object on a line, from the line's first byte to its end."""

    __slots__ = ("_data", "_members", "end", "heading", "number", "size", "start")

    def __init__(
        self, data: bytes, number: int, start: int, end: int, members: list[_Member], heading: Heading
    ) -> None:
        self._data = data
        self._members = members
        self.number = number
        self.start = start
        self.end = end
        self.heading = heading
        self.size = len(members)

    def text(self, index: int) -> str:
        return _read(self._inside(index))

    def divisible(self, index: int) -> bool:
        return self._data.startswith(b'"', self._members[index].value)

    def irregularity(self) -> str:
        """None: each row has its own keys."""
        return ""

    def spans(self, chosen: Chosen) -> Iterator[tuple[int, int]]:
        members = self._members
        for first, stop in whole_runs(chosen):
            parts = chosen[first]
            if parts is not None:
                at = members[first].value + 1
                yield from ((at + start, at + end) for start, end in placed(_pieces(self._inside(first)), parts))
            elif stop == self.size:
                yield members[first - 1].end, members[-1].end
            else:
                yield members[first].start, members[stop].start

    def classified(self, coverage: Coverage) -> Chosen:
        chosen: Chosen = {}
        for index, (_, value, end) in enumerate(self._members):
            if coverage.covers(value, end) or (coverage.touches(value, end) and not self.divisible(index)):
                chosen[index] = None
            elif parts := covered_characters(_pieces(self._inside(index)), value + self.divisible(index), coverage):
                chosen[index] = parts
        return chosen

    def redacted(self, chosen: Chosen) -> bytes:
        """One marker replaces all whole members, so that their number and keys are withheld, too."""
        written: list[bytes] = []
        marker_there = False
        for index, (start, _, end) in enumerate(self._members):
            if index not in chosen:
                written.append(self._data[start:end])
            elif chosen[index] is not None:
                written.append(self._with_markers(index, chosen))
            elif not marker_there:
                written.append(_MARKER_MEMBER)
                marker_there = True
        line_end = b"\n" if self._data.endswith(b"\n", self.start, self.end) else b""
        return b"{%b}%b" % (b", ".join(written), line_end)

    def _with_markers(self, index: int, chosen: Chosen) -> bytes:
        member = self._members[index]
        at = member.start
        kept: list[bytes] = []
        for start, end in placed(_pieces(self._inside(index)), chosen[index] or ()):
            kept += self._data[at : member.value + 1 + start], MARKER.encode()
            at = member.value + 1 + end
        return b"".join([*kept, self._data[at : member.end]])

    def _inside(self, index: int) -> bytes:
        """A value as it is written, without its quotes if it is a string."""
        _, value, end = self._members[index]
        quote = 1 if self.divisible(index) else 0
        return self._data[value + quote : end - quote]


def _object(data: bytes, at: int, end: int, line: int) -> tuple[list[_Member], list[str]]:
    members: list[_Member] = []
    keys: list[str] = []
    opening = _OPENING.match(data, at, end)
    if opening is None or (data.find(b"\\u", at, end) >= 0 and _CUT_ESCAPE.search(data, at, end)):
        raise _no_object(line)
    at = opening.end()
    more = not data.startswith(b"}", at)
    at += not more
    while more:
        key = _KEY.match(data, at, end)
        if key is None:
            raise _no_object(line)
        stop = _end_of_value(data, key.end(), end)
        after = _AFTER.match(data, stop, end) if stop else None
        if after is None:
            raise _no_object(line)
        members.append(_Member(key.start(1), key.end(), stop))
        keys.append(_read(key[1][1:-1]))
        if len(members) > MAX_MEMBERS:
            raise TooLarge(f"line {line} has more than {MAX_MEMBERS:,} members; classify the whole file")
        more = after[1] == b","
        at = after.end()
    rest = _end_of(_BLANK.match(data, at, end))
    if data[rest:end] not in (b"", b"\n"):
        raise _no_object(line)
    return members, keys


def _end_of_value(data: bytes, at: int, end: int) -> int:
    """0 if no value begins at `at` and ends before `end`."""
    simple = _SIMPLE_VALUE.match(data, at, end)
    if simple is not None:
        return simple.end()
    open_brackets = bytearray()
    while token := _IN_NESTED.match(data, at, end):
        if not open_brackets and (token.start(1) > at or token[1][0] not in b"[{"):
            return 0
        at = token.end()
        match token[1]:
            case b"[" | b"{":
                open_brackets += token[1]
            case b"]" | b"}":
                if open_brackets.pop() != {b"]": 0x5B, b"}": 0x7B}[token[1]]:
                    return 0
                if not open_brackets:
                    return at
    return 0


def _pieces(data: bytes) -> Iterator[Piece]:
    at = 0
    for escape in _ESCAPE.finditer(data) if b"\\" in data else ():
        if escape.start() > at:
            yield literal(data[at : escape.start()])
        at = escape.end()
        yield Piece(_character(escape[0][1:]), at - escape.start())
    if at < len(data):
        yield literal(data[at:])


def _read(data: bytes) -> str:
    return "".join(text for text, _ in _pieces(data))


def _character(escape: bytes) -> str:
    if len(escape) == 1:
        return _SHORT.get(escape) or escape.decode()
    high = int(escape[1:5], 16)
    if len(escape) > 5:
        return chr(0x10000 + ((high - 0xD800) << 10) + int(escape[7:11], 16) - 0xDC00)
    # Half of a surrogate pair is not a character, and UTF-8 cannot encode it.
    return "\ufffd" if 0xD800 <= high < 0xE000 else chr(high)


def _end_of(found: re.Match[bytes] | None) -> int:
    return found.end() if found is not None else 0


def _no_object(line: int) -> Damaged:
    return Damaged(f"line {line} is not a JSON object; a .jsonl file has one on each line")
