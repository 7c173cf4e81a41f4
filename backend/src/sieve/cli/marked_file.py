"""A file that a command was given, read as what it is, and the marks that were made for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sieve import marks_file
from sieve.cli.errors import BadInput
from sieve.core.document import Document
from sieve.core.errors import MarkupError, SpanError
from sieve.core.units import Mark
from sieve.formats.errors import FormatError, RedactionFailed, UnknownPlace
from sieve.formats.registry import Reading, read
from sieve.separated_folder import STANDARD_STREAM, read_source


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


@contextmanager
def told_by_name(file: str, marks: Path | None = None) -> Iterator[None]:
    """What is wrong with the file `file`, or with the marks file `marks`, is told with its name: a command is given
    several, and the sentences speak of "the file".

    Raises:
        BadInput: instead of any such error. That a redacted edition failed, which was given right, is told as it is.
    """
    try:
        yield
    except RedactionFailed:
        raise
    except (marks_file.MarksFileError, UnknownPlace) as error:
        raise BadInput(f"{marks or _shown(file)}: {error}") from None
    except (FormatError, MarkupError, SpanError) as error:
        raise BadInput(f"{_shown(file)}: {error}") from None


def _shown(file: str) -> str:
    return "standard input" if file == STANDARD_STREAM else file


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
