"""A file that a command was given, read as what it is, and the marks that were made for it."""

from dataclasses import dataclass
from pathlib import Path

from sieve import marks_file
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.registry import Reading, read
from sieve.separated_folder import read_source


@dataclass(frozen=True, repr=False)
class MarkedFile:
    """A file of any format with its marks."""

    data: bytes
    reading: Reading
    marks: list[Mark]

    @property
    def document(self) -> Document:
        """The file's bytes, and which of them are classified.

        Raises:
            FormatError: a mark does not fit the file, or the file is damaged.
            SpanError: the marks come to too many spans.
        """
        return Document(self.data, self.reading.spans(self.marks))


def read_marked(file: str, marks: Path) -> MarkedFile:
    """The file `file`, standard input if it is `-`, and the marks file `marks`.

    Raises:
        InputUnusable: one of them cannot be read.
        FormatError, NotUtf8: the file cannot be read as what it is.
        MarksFileError: the marks were not made for this file.
    """
    return read_marked_bytes(Path(file).name, read_source(file), marks)


def read_marked_bytes(name: str, data: bytes, marks: Path, media_type: str | None = None) -> MarkedFile:
    """The file `data`, which is called `name`, and the marks file `marks`. Raises as `read_marked` does."""
    # First, because it takes no time: whether the marks are this file's.
    found = marks_file.load(read_source(str(marks)), data)
    return MarkedFile(data, read(name, data, media_type), found)
