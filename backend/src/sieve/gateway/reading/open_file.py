"""Opens a file in its known format, or in the one that its bytes show.

Invariant: for the leak check the bytes decide, and the file's name only where the bytes are ambiguous. The units of a
file that still cannot be checked say so.
"""

from collections import deque
from typing import Final, NamedTuple

from sieve.formats.archive.unpacked import ArchiveReading, is_archive
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.office.reading import OfficeReading
from sieve.formats.reading import Reading, read, read_as
from sieve.formats.recognition import container_of, container_said, decoded_as, table_of
from sieve.formats.tables.reading import TableReading
from sieve.formats.text.encoding import encoding_of
from sieve.formats.text.reading import TextReading
from sieve.gateway.reading.decoded_text import DecodedText

_UTF_8: Final = "utf-8"


class Opened(NamedTuple):
    """`encoding`: of its text. `table`: the format of the table that its name claims, if it was not read as one."""

    reading: Reading
    encoding: str = _UTF_8
    table: str | None = None


def open_file(data: bytes, *, name: str, media_type: str | None, size: int, format_name: str | None) -> Opened:
    """The file. `format_name`: its format; None to determine it, and to read the file through, so that errors show now;
    "claimed" to determine it only; "unknown" for the leak check, which goes by the bytes. Of "bytes" only the size is
    used.

    Raises:
        FormatError, NotUtf8: it cannot be read.
    """
    if format_name is None:
        reading = read(name, data, media_type)
        _read_through(reading)
        return Opened(reading)
    if format_name == "claimed":
        return Opened(read(name, data, media_type))
    if format_name == "unknown":
        return _by_its_bytes(data, name, media_type)
    if format_name == "bytes":
        return Opened(BytesReading(size))
    return Opened(read_as(format_name, data))


def _by_its_bytes(data: bytes, name: str, media_type: str | None) -> Opened:
    if (container := container_of(data)) is not None:
        return Opened(read_as(container, data))
    encoding, claimed = encoding_of(data), container_said(name, media_type)
    if is_archive(data) or encoding is None:
        if claimed:
            return Opened(read_as(claimed, data))
        return Opened(ArchiveReading(data) if is_archive(data) else BytesReading(len(data)))
    # In UTF-8, too: a few bytes of it may be wrong.
    whole = data.decode(encoding, "replace").encode()
    text = data if whole == data else whole
    if kind := decoded_as(data, name, media_type):
        return Opened(DecodedText(text, data, kind), encoding)
    return Opened(TextReading(text), encoding, table_of(name, media_type))


def _read_through(reading: Reading) -> None:
    """Raises the errors of a file, as far as finding them takes no longer than showing it."""
    if isinstance(reading, TableReading):
        deque(reading.rows, maxlen=0)
    elif isinstance(reading, OfficeReading):
        reading.units()
