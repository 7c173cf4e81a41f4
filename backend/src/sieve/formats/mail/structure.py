"""The parts of a mail with their positions: header fields, and the bytes of each body.

Invariant: bodies do not overlap, and what is in none (headers, boundaries, text around parts) is never plain. A mail
program that divides the mail in another way can therefore show nothing plain that is not in a body.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from itertools import count
from typing import Final, NamedTuple

from sieve.formats.errors import Damaged, TooLarge

MAX_PARTS: Final = 2_000
MAX_DEPTH: Final = 20
"""How deep parts may contain parts."""
MAX_FIELDS: Final = 10_000
MAX_ENCODED: Final = 100_000
"""Characters of a field with encoded words."""
_FIELD: Final = re.compile(rb"([!-9;-~]+)[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)(?:\r?\n|\Z)")
_DESCRIBING: Final = frozenset({"content-type", "content-transfer-encoding"})
_UNFOLDED: Final = re.compile(r"\r?\n(?=[ \t])")
_BLANK: Final = re.compile(rb"\r?\n")


class Field(NamedTuple):
    """A header field. `text`: its value as mail programs show it."""

    name: str
    text: str


@dataclass(slots=True, repr=False)
class Part:
    """A leaf. Bytes `start` to `end` of the mail are its encoded body. `branches`: for each enclosing
    multipart/alternative, its number and which of its alternatives the part is in.
    """

    fields: list[Field]
    message: Message
    start: int
    end: int
    branches: tuple[tuple[int, int], ...] = ()

    @property
    def media_type(self) -> str:
        """Such as "text/plain"."""
        return self.message.get_content_type()

    @property
    def charset(self) -> str | None:
        """The declared encoding of a text."""
        found = self.message.get_param("charset")
        return found if isinstance(found, str) else None

    @property
    def file_name(self) -> str:
        """The name to save it as; empty if it has none."""
        try:
            return readable(self.message.get_filename() or "")
        except (LookupError, ValueError, TypeError):
            return ""

    @property
    def is_attached(self) -> bool:
        """Whether it is a file, not text of the mail."""
        return bool(self.file_name) or self.message.get_content_disposition() == "attachment"

    @property
    def transfer_encoding(self) -> str:
        """Such as "base64"; "7bit" if nothing is said."""
        return str(self.message.get("Content-Transfer-Encoding", "7bit")).strip().lower()

    @property
    def is_ambiguous(self) -> bool:
        """Whether a field that describes it occurs twice, so that mail programs may read it in different ways."""
        return _is_ambiguous(self.fields)


@dataclass(slots=True, repr=False)
class Structure:
    """A mail. `outside`: text before, between and after its parts."""

    fields: list[Field] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def structure(data: bytes) -> Structure:
    """The parts of a mail.

    Raises:
        Damaged: it does not begin with a header field.
        TooLarge: it has too many parts, or parts in parts.
    """
    found = Structure()
    first = _BLANK.search(data) if data.startswith((b"From ", b">From ")) else None
    start = first.end() if first else 0
    if _FIELD.match(data, start) is None:
        raise Damaged("this is no e-mail: it does not begin with a header field; save it again as .eml")
    _divide(data, start, len(data), found, (), 0, count())
    return found


def _divide(
    data: bytes,
    start: int,
    end: int,
    found: Structure,
    branches: tuple[tuple[int, int], ...],
    depth: int,
    alternatives: Iterator[int],
) -> None:
    fields, body = _header(data, start, end)
    if depth == 0:
        found.fields = fields
    message = _message(fields)
    boundary = None if _is_ambiguous(fields) else _boundary(message)
    if boundary is None:
        found.parts.append(Part(fields, message, body, end, branches))
        if len(found.parts) > MAX_PARTS:
            raise TooLarge(f"the mail has more than {MAX_PARTS:,} parts; classify the whole file")
        return
    if depth == MAX_DEPTH:
        raise TooLarge(f"the mail has parts in parts more than {MAX_DEPTH} deep; classify the whole file")
    number = next(alternatives) if message.get_content_type() == "multipart/alternative" else None
    last = body
    for branch, (part_start, part_end) in enumerate(_between(data, body, end, boundary)):
        _take_outside(found, data[last:part_start])
        inside = branches if number is None else (*branches, (number, branch))
        _divide(data, part_start, part_end, found, inside, depth + 1, alternatives)
        last = part_end
    _take_outside(found, data[last:end])


def _header(data: bytes, start: int, end: int) -> tuple[list[Field], int]:
    """The fields, and where the body begins."""
    fields: list[Field] = []
    at = start
    while at < end:
        if blank := _BLANK.match(data, at, end):
            return fields, blank.end()
        one = _FIELD.match(data, at, end)
        if one is None:
            return fields, at  # As mail programs do: the body begins at a line that is no field.
        fields.append(Field(one[1].decode(), _UNFOLDED.sub("", _text(one[2])).strip()))
        if len(fields) > MAX_FIELDS:
            raise TooLarge(f"a header has more than {MAX_FIELDS:,} fields; classify the whole file")
        at = one.end()
    return fields, end


def _is_ambiguous(fields: list[Field]) -> bool:
    names = [one.name.lower() for one in fields if one.name.lower() in _DESCRIBING]
    return len(set(names)) < len(names)


def _message(fields: list[Field]) -> Message:
    message = Message()
    for name, text in fields:
        if name.lower().startswith("content-") and name not in message:
            message[name] = text
    return message


def _boundary(message: Message) -> bytes | None:
    if message.get_content_maintype() != "multipart":
        return None
    try:
        found = message.get_boundary()
    except (LookupError, ValueError, TypeError):
        return None
    return found.encode("utf-8", "surrogateescape") if found else None


def _between(data: bytes, start: int, end: int, boundary: bytes) -> Iterator[tuple[int, int]]:
    """The parts between the lines with the boundary. The line end before such a line belongs to it."""
    line = re.compile(rb"(?<=\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\r?\n|\Z)")
    part: int | None = None
    for one in line.finditer(data, start, end):
        if part is not None:
            stop = one.start()
            stop -= data.endswith(b"\n", part, stop)
            stop -= data.endswith(b"\r", part, stop)
            yield part, max(part, stop)
        part = None if one[1] else one.end()
        if part is None:
            return
    if part is not None:
        yield part, end


def _take_outside(found: Structure, between: bytes) -> None:
    lines = [line for line in _text(between).splitlines() if line.strip() and not line.startswith("--")]
    if lines and not (len(lines) == 1 and "MIME format" in lines[0]):
        found.outside.append("\n".join(lines))


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def readable(text: str) -> str:
    """A header's text with its encoded words decoded, as one line.

    Raises:
        TooLarge: it is too long to decode.
    """
    if "=?" in text:
        if len(text) > MAX_ENCODED:
            raise TooLarge(f"a field of the header has more than {MAX_ENCODED:,} characters; classify the whole file")
        with suppress(MessageError, LookupError, ValueError):
            text = str(make_header(decode_header(text)))
    return " ".join(text.split())
