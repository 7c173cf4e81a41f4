"""Reads, redacts and highlights a file by the row of its format.

Invariant: a file that claims a format and breaks its rules is refused and never read as a simpler format: a table read
as bytes would have no cell that a policy could find. The exceptions are zip archives that are encrypted or packed in
other ways, and pictures of unusual pixels: they are bytes, which nobody can read, and can be classified as a whole.
"""

from collections.abc import Callable, Iterable, Sequence
from pkgutil import resolve_name
from typing import Literal, Protocol, cast

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.units import Mark, Unit
from sieve.formats.errors import Protected, Unsupported
from sieve.formats.recognition import format_of
from sieve.formats.registry import FORMATS, PICTURES


class Reading(Protocol):
    """A file that was read: its units, and which bytes marks on them classify."""

    @property
    def name(self) -> str:
        """The name of the format, such as "docx"."""

    def units(self) -> Iterable[Unit]:
        """In reading order, hidden ones too."""

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the file that must travel classified.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """A function that says whether hidden text at an address may travel plain with these marks. It also says yes
        for text that is not hidden.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """A function that says whether unmarked text at an address travels plain with these marks. If not, only readers
        of the redacted edition see it.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """


def read(name: str, data: bytes, media_type: str | None = None) -> Reading:
    """The file `data`, called `name`, read as the format that its bytes, name or media type say.

    Raises:
        FormatError: the file is damaged, protected or too large for its format.
        NotUtf8: a table is in another encoding.
    """
    kind = format_of(name, data, media_type)
    if kind == "zip" or kind in PICTURES:
        try:
            return read_as(kind, data)
        except (Protected, Unsupported):
            return read_as("bytes", data)
    if kind:
        return read_as(kind, data)
    try:
        return read_as("text", data)
    except NotUtf8:
        return read_as("bytes", data)


def read_as(name: str, data: bytes) -> Reading:
    """The file `data`, known to be of the format `name`: the `name` of the reading that `read` returned for it.

    Raises:
        FormatError, NotUtf8: as `read` does.
    """
    if name not in FORMATS:
        raise ValueError(f"there is no format called {name}")
    reader = cast("Callable[[bytes], Reading]", resolve_name(FORMATS[name].reader))
    return reader(data)


def redact(reading: Reading, marks: Sequence[Mark]) -> bytes:
    """The redacted edition: a file of the same format that contains nothing that is marked.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in the edition.
        Unsupported: files of this format have no redacted edition.
    """
    row = FORMATS.get(reading.name)
    if row is None or row.redactor is None:
        raise Unsupported(
            f"files of this format have no redacted edition; text and these formats have one: {_known('redactor')}"
        )
    redactor = cast("Callable[[Reading, Sequence[Mark]], bytes]", resolve_name(row.redactor))
    return redactor(reading, marks)


def highlight(reading: Reading, marks: Sequence[Mark]) -> bytes:
    """The file with the marked text highlighted: a file of the same format, for cleared readers.

    Raises:
        UnknownPlace: a mark does not fit the file.
        Unsupported: this file, or its format, cannot be highlighted.
    """
    row = FORMATS.get(reading.name)
    if row is None or row.highlighter is None:
        raise Unsupported(f"files of this format cannot be highlighted; only these can: {_known('highlighter')}")
    highlighter = cast("Callable[[Reading, Sequence[Mark]], bytes]", resolve_name(row.highlighter))
    return highlighter(reading, marks)


def _known(what: Literal["redactor", "highlighter"]) -> str:
    """The endings of the formats that have this function."""
    return ", ".join(f".{row.endings[0]}" for row in FORMATS.values() if getattr(row, what) and row.endings)
