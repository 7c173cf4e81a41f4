"""A zip archive of files of any kind, looked through by the leak guard; for who marks it, it is bytes.

The law: what can be read in it is, each file as what its bytes say; of anything else there is a unit that says so, for
it would travel plain unseen. No archive in an archive is opened, and no more is unpacked than `MAX_BYTES`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import ClassVar, Final
from zipfile import BadZipFile, ZipFile

from sieve.core.units import Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import Damaged, FormatError, TooLarge
from sieve.formats.text_encoding import encoding_of
from sieve.formats.zip_container import ZipContainer

MAX_BYTES: Final = 64 << 20
"""Of all its files together, unpacked."""

ReadContainer = Callable[[bytes], Iterator[Unit] | None]
"""The units of a file that has a reader of its own; None if it is none such."""

_DIRECTORY: Final = b"PK\x01\x02"
_DESCRIPTOR: Final = 24
"""Bytes at most that tell after a file how large it is."""
_SIGNATURES: Final = (b"PK\x03\x04", b"PK\x05\x06")


def is_archive(data: bytes) -> bool:
    """Whether `data` says that it is a zip archive."""
    return data.startswith(_SIGNATURES)


class ArchiveReading(BytesReading):
    """An archive, unpacked."""

    name: ClassVar[str] = "archive"

    def __init__(self, data: bytes, read_container: ReadContainer) -> None:
        """Raises FormatError: it is damaged, protected or too large."""
        super().__init__(len(data))
        self._container = ZipContainer(data)
        if sum(entry.size for entry in self._container.entries.values()) > MAX_BYTES:
            raise TooLarge(f"the archive unpacks to more than {MAX_BYTES >> 20} MiB; send it wholly classified")
        self._read_container = read_container

    def units(self) -> Iterator[Unit]:
        """The names of its files and what is remarked on them, and then the files."""
        yield Unit("archive/names", "\n".join(self._container.entries), "text")
        if remarks := _remarks(self._container.whole):
            yield Unit("archive/remarks", remarks, "text")
        if self._has_more_than_files():
            yield Unit("archive/between", "", "file", "what stands between its files")
        for name in self._container.entries:
            yield from self._file(f"archive/{name}", self._container.read(name))

    def _has_more_than_files(self) -> bool:
        """Whether more stands between two files, or before the directory, than tells of their sizes."""
        data, at = self._container.whole, 0
        for entry in sorted(self._container.entries.values(), key=lambda entry: entry.header):
            if entry.header - at > _DESCRIPTOR:
                return True
            at = entry.end
        return data.find(_DIRECTORY, at) - at > _DESCRIPTOR

    def _file(self, address: str, data: bytes) -> Iterator[Unit]:
        try:
            units = self._read_container(data)
            if units is not None:
                yield from (replace(unit, address=f"{address}/{unit.address}") for unit in units)
                return
        except FormatError:
            yield Unit(address, "", "file", "a file that cannot be read here")
            return
        encoding = encoding_of(data)
        if encoding is not None:
            yield Unit(address, data.decode(encoding, "replace"), "text")
        else:
            yield Unit(address, "", "file", "a file of a format that is not read here")


def _remarks(data: bytes) -> str:
    """What people, or programs, wrote beside the files."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            remarks = [archive.comment, *(entry.comment for entry in archive.infolist())]
    except BadZipFile as error:
        raise Damaged("the directory of the archive is damaged; fetch the file anew") from error
    return "\n".join(remark.decode("utf-8", "replace") for remark in remarks if remark)
