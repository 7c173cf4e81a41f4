"""Telling what is wrong with a file by its name: a command is given several, and the sentences speak of "the file"."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sieve.cli.errors import BadInput
from sieve.core.errors import MarkupError, SpanError
from sieve.formats.errors import FormatError, RedactionFailed, UnknownPlace
from sieve.marks_file import MarksFileError
from sieve.separated_folder import STANDARD_STREAM


@contextmanager
def told_by_name(file: str, marks: Path | None = None) -> Iterator[None]:
    """What is wrong with the file `file`, or with the marks file `marks`, is told with its name.

    Raises:
        BadInput: instead of any such error. That a redacted edition failed, which was given right, is told as it is.
    """
    try:
        yield
    except RedactionFailed:
        raise
    except (MarksFileError, UnknownPlace) as error:
        raise BadInput(f"{marks or shown(file)}: {error}") from None
    except (FormatError, MarkupError, SpanError) as error:
        raise BadInput(f"{shown(file)}: {error}") from None


def shown(file: str) -> str:
    """What the file is called before people."""
    return "standard input" if file == STANDARD_STREAM else file
