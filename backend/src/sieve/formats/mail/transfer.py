"""The transfer encodings of mail, with the position in the mail of each byte that they decode to.

Invariant: of a body with a mark, only those bytes travel plain that are the same in each of 7bit, 8bit and
quoted-printable, since a program may choose another encoding if the marked text is another. In base64, none do.
"""

import binascii
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from sieve.formats.errors import Damaged, Unsupported

_IDENTITY: Final = frozenset({"7bit", "8bit", "binary", ""})
_QUOTED: Final = re.compile(rb"=([0-9A-Fa-f]{2})|=[ \t]*(?:\r?\n|\Z)|(?<![ \t])[ \t]++(?=\r?\n|\Z)")
_CHANGED: Final = re.compile(rb"[^!-<>-~\t\n\r ]++|\r(?!\n)|[ \t]++(?=\r?\n|\Z)")
"""What quoted-printable changes: "=", bytes that are not ASCII, white space at the end of a line."""
_BLANKS: Final = re.compile(rb"[ \t]*+")
_AT_LINE_START: Final = re.compile(rb"(?:^|(?<=\n))(?:From |\.)")
_DASHES: Final = re.compile(rb"^--", re.MULTILINE)
_BYTES_IN_LINE: Final = 57
_NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/=]+")


@dataclass(frozen=True, slots=True, repr=False)
class Body:
    """A decoded body. `starts` and `places`: at which decoded byte each stretch begins, and where it is in the mail;
    in a stretch, positions rise by one. An escaped byte has the place -1. Both are empty for base64. `is_exact`: every
    byte in the mail is of the data, or a line end.
    """

    data: bytes
    starts: list[int]
    places: list[int]
    is_exact: bool = True

    def in_mail(self, plain: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The positions in the mail of ranges of decoded bytes, without what depends on the transfer encoding."""
        if not self.starts:
            return
        for start, end in plain:
            for low, high in _same_in_all(self.data, start, end):
                yield from self._placed(low, high)

    def _placed(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        number = bisect_right(self.starts, start) - 1
        while start < end:
            stop = min(end, self.starts[number + 1] if number + 1 < len(self.starts) else end)
            place = self.places[number] + start - self.starts[number]
            if self.places[number] >= 0:
                yield place, place + stop - start
            start = stop
            number += 1


def body(mail: bytes, start: int, end: int, encoding: str) -> Body:
    """The body that is encoded in bytes `start` to `end` of the mail.

    Raises:
        Damaged: it is not base64 although it says so.
        Unsupported: the encoding is unknown.
    """
    raw = mail[start:end]
    if encoding in _IDENTITY:
        return Body(raw, [0], [start])
    if encoding == "quoted-printable":
        return _quoted(raw, start)
    if encoding == "base64":
        try:
            data = binascii.a2b_base64(_NOT_BASE64.sub(b"", raw))
        except binascii.Error:
            raise Damaged("the attachment is not valid base64; save the mail again") from None
        # Programs disagree on what follows the padding, and on other characters.
        return Body(data, [], [], binascii.b2a_base64(data, newline=False) == raw.translate(None, b"\r\n"))
    raise Unsupported("the transfer encoding is unknown; classify the whole file")


def encoded(data: bytes, encoding: str, line_end: bytes, *, is_text: bool) -> bytes:
    """`data` as a body in an encoding that `body` decodes. `is_text`: line ends may become those of the mail."""
    if encoding == "base64":
        lines = (data[at : at + _BYTES_IN_LINE] for at in range(0, len(data), _BYTES_IN_LINE))
        return line_end.join(binascii.b2a_base64(line, newline=False) for line in lines)
    if encoding == "quoted-printable":
        quoted = binascii.b2a_qp(data, istext=is_text)
        if not is_text:  # then each line end of the result is a soft one
            quoted = quoted.replace(b"\r\n", b"\n").replace(b"\n", line_end)
        # A line that begins with the boundary would end the body.
        return _DASHES.sub(b"=2D-", quoted)
    return data


def _quoted(raw: bytes, offset: int) -> Body:
    pieces: list[bytes] = []
    starts: list[int] = []
    places: list[int] = []
    at = size = 0
    for found in _QUOTED.finditer(raw):
        if at < found.start():
            starts.append(size)
            places.append(offset + at)
            pieces.append(raw[at : found.start()])
            size += found.start() - at
        at = found.end()
        if found[1]:
            starts.append(size)
            places.append(-1)
            pieces.append(bytes([int(found[1], 16)]))
            size += 1
    starts.append(size)
    places.append(offset + at)
    pieces.append(raw[at:])
    return Body(b"".join(pieces), starts, places)


def _same_in_all(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a range that quoted-printable does not change: no "=", no byte that is not ASCII, no white space at
    the end of a line, no "." or "From " at its start.
    """
    for low, last in _stretches(data, start, end):
        for change in _AT_LINE_START.finditer(data, low, last):
            if low < change.start():
                yield low, change.start()
            low = change.start() + 1
        if low < last:
            yield low, last


def _stretches(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    if data[max(0, start - 1) : start] in (b" ", b"\t") and (rest := _BLANKS.match(data, start, end)):
        start = rest.end()  # of white space that began earlier
    for change in _CHANGED.finditer(data, start, end):
        if start < change.start():
            yield start, change.start()
        start = change.end()
    if start < end:
        yield start, end
