"""What a file is opened as: what it is known to be, or what its bytes say.

Invariant: the leak check goes by the bytes, and by a file's name only where the bytes are ambiguous. A file that still
cannot be checked shows this by its units.
"""

from collections import deque
from typing import Final, NamedTuple

from sieve.formats.archive import ArchiveReading, is_archive
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.office.reading import OfficeReading
from sieve.formats.registry import Reading, container_of, container_said, read, read_as, table_of
from sieve.formats.tables.reading import TableReading
from sieve.formats.text.encoding import encoding_of
from sieve.formats.text.reading import TextReading

_UTF_8: Final = "utf-8"


class Opened(NamedTuple):
    """`encoding`: of its text. `table`: the kind of table that it is called, though it was not read as one."""

    reading: Reading
    encoding: str = _UTF_8
    table: str | None = None


def opened(data: bytes, *, name: str, media_type: str | None, size: int, format_name: str | None) -> Opened:
    """The file. `format_name`: what it is known to be. One that is not known is looked through, for what is wrong with
    it is better told now. Of one that is "unknown" the bytes say what can be read in it: it is for the leak guard. Of
    bytes only the size counts.

    Raises:
        FormatError, NotUtf8: it cannot be read.
    """
    if format_name is None:
        reading = read(name, data, media_type)
        _look_through(reading)
        return Opened(reading)
    if format_name == "unknown":
        return _by_its_bytes(data, name, media_type)
    if format_name == "bytes":
        return Opened(BytesReading(size))
    return Opened(read_as(format_name, data))


def _by_its_bytes(data: bytes, name: str, media_type: str | None) -> Opened:
    if (container := container_of(data)) is not None:
        return Opened(read_as(container, data))
    encoding, called = encoding_of(data), container_said(name, media_type)
    if is_archive(data) or encoding is None:
        if called:
            return Opened(read_as(called, data))
        return Opened(ArchiveReading(data) if is_archive(data) else BytesReading(len(data)))
    # In UTF-8, too: a few bytes of it may be wrong.
    whole = data.decode(encoding, "replace").encode()
    return Opened(TextReading(data if whole == data else whole), encoding, table_of(name, media_type))


def _look_through(reading: Reading) -> None:
    """Raises what is wrong with a file, as far as that takes no longer than showing it does."""
    if isinstance(reading, TableReading):
        deque(reading.rows, maxlen=0)
    elif isinstance(reading, OfficeReading):
        reading.units()
