"""A file of any format together with its marks."""

from dataclasses import dataclass
from pathlib import Path

from sieve import marks_file
from sieve.cli.files import read_source
from sieve.cli.text_encoding import Encoding, converted
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.reading import Reading, read


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
            FormatError: a mark is not valid for the file, or the file is damaged.
            SpanError: the marks make too many spans.
        """
        return Document(self.data, self.reading.spans(self.marks))


def read_marked(file: str, marks: Path, encoding: Encoding | None = None) -> MarkedFile:
    """Reads `file`, or `-` for standard input, and the marks file `marks`. An `encoding` is converted to UTF-8.

    Raises:
        BadInput: one of them cannot be read.
        FormatError, NotUtf8: the file is not valid in its format, or not in that encoding.
        MarksFileError: the marks were not made for this file.
    """
    return read_marked_bytes(Path(file).name, converted(read_source(file), encoding), marks)


def read_marked_bytes(name: str, data: bytes, marks: Path, media_type: str | None = None) -> MarkedFile:
    """Reads the file `data` with the name `name`, and the marks file `marks`. Raises as `read_marked` does."""
    # First the quick check that the marks are for this file.
    found = marks_file.load(read_source(str(marks)), data)
    return MarkedFile(data, read(name, data, media_type), found)
