"""Archives of any files that are called something else than .zip, unpacked for the leak scanner; authors mark them as
bytes.

Invariant: each file inside is read as the format that its bytes show. A file that cannot be read becomes a unit that
says so, because it would travel plain without a check. An archive inside an archive is not opened, and at most
`MAX_BYTES` are unpacked: of all files together, and again of the Word and Excel files among them together.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Final

from sieve.core.units import Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import FormatError, TooLarge
from sieve.formats.reading import read_as
from sieve.formats.recognition import container_of
from sieve.formats.text.encoding import encoding_of
from sieve.formats.zip.container import ZipContainer, unpacked_size
from sieve.formats.zip.extra_data import extra_data

MAX_BYTES: Final = 64 << 20
"""Unpacked bytes of all files together, and again of the archives among them."""
MAX_CONTAINERS: Final = 1_000
"""Files with a reader of their own that are opened; each takes time, however small it is."""

_SIGNATURES: Final = (b"PK\x03\x04", b"PK\x05\x06")


def is_archive(data: bytes) -> bool:
    """Whether `data` begins as a zip archive does."""
    return data.startswith(_SIGNATURES)


class ArchiveReading(BytesReading):
    """An archive, unpacked."""

    name: ClassVar[str] = "archive"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected or too large."""
        super().__init__(len(data))
        if unpacked_size(data) > MAX_BYTES:
            raise TooLarge(f"the archive unpacks to more than {MAX_BYTES >> 20} MiB; classify the whole file")
        self._container = ZipContainer(data)

    def units(self) -> Iterator[Unit]:
        """The names of its files, their comments, then the files."""
        yield Unit("archive/names", "\n".join(self._container.entries), "text")
        comments, unexplained = extra_data(self._container)
        encodings = [(comment, encoding_of(comment)) for comment in comments]
        if read := [comment.decode(encoding, "replace") for comment, encoding in encodings if encoding]:
            yield Unit("archive/remarks", "\n".join(read), "text")
        if unexplained or not all(encoding for _, encoding in encodings):
            yield Unit("archive/between", "", "file", "unknown data between its files or next to their names")
        bytes_left, containers_left = MAX_BYTES, MAX_CONTAINERS
        for name in self._container.entries:
            address, data = f"archive/{name}", self._container.read(name)
            kind = container_of(data)
            if kind is None:
                yield _other(address, data)
                continue
            containers_left -= 1
            bytes_left -= _unpacked(data)
            if min(bytes_left, containers_left) < 0:
                yield Unit(address, "", "file", "a file beyond the limits for one archive")
            else:
                yield from _of_container(address, kind, data)


def _unpacked(data: bytes) -> int:
    """Unpacked bytes of a Word or Excel file; the size of any other file."""
    try:
        return unpacked_size(data)
    except FormatError:  # its reader will report the error
        return len(data)


def _of_container(address: str, kind: str, data: bytes) -> Iterator[Unit]:
    try:
        for unit in read_as(kind, data).units():
            yield replace(unit, address=f"{address}/{unit.address}")
    except FormatError:
        yield Unit(address, "", "file", "a file that cannot be read")


def _other(address: str, data: bytes) -> Unit:
    encoding = encoding_of(data)
    if encoding is None:
        return Unit(address, "", "file", "a file of an unsupported format")
    return Unit(address, data.decode(encoding, "replace"), "text")
