"""Errors about a file that name the file: a command may have several, and readers of formats do not know the name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sieve.cli.errors import BadInput
from sieve.cli.files import display_name
from sieve.core.errors import MarkupError, SpanError
from sieve.formats.errors import FormatError, RedactionFailed, UnknownPlace
from sieve.marks_file import MarksFileError


@contextmanager
def naming(file: str, marks: Path | None = None) -> Iterator[None]:
    """Puts the name of `file`, or of its marks file, in front of errors about them.

    Raises:
        BadInput: instead of such an error. RedactionFailed passes unchanged, because the input is not at fault.
    """
    try:
        yield
    except RedactionFailed:
        raise
    except (MarksFileError, UnknownPlace) as error:
        raise BadInput(f"{marks or display_name(file)}: {error}") from None
    except (FormatError, MarkupError, SpanError) as error:
        raise BadInput(f"{display_name(file)}: {error}") from None
