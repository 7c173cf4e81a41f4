"""A file of audit entries, one line of JSON each. It may be moved away at any time: each batch opens it again."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sieve.gateway.auditing.forwarded_entry import MAX_MESSAGE, ForwardedEntry
from sieve.gateway.errors import ForwardingFailed

_MODE: Final = 0o640
"""For programs of the file's group, which ship logs."""


class AuditFile:
    """The file. A line that a crash cut off stays; the entry follows in a line of its own."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path

    async def last(self) -> tuple[int, str] | None:
        """Number and link of the last entry in the file; None if there is none."""
        try:
            return await asyncio.to_thread(self._last)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    async def send(self, entries: Sequence[ForwardedEntry]) -> None:
        """Writes entries; returns when they are on the disk.

        Raises:
            ForwardingFailed: perhaps they are not.
        """
        data = b"".join(entry.text.encode("ascii") + b"\n" for entry in entries)
        try:
            await asyncio.to_thread(self._append, data)
        except OSError as error:
            raise ForwardingFailed(f"it cannot be written: {error.strerror}") from error

    def _append(self, data: bytes) -> None:
        is_new = not self._path.exists()
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _MODE)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                data = b"\n" + data
            while data:
                data = data[os.write(file, data) :]
            os.fsync(file)
        finally:
            os.close(file)
        if is_new:
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _last(self) -> tuple[int, str] | None:
        with self._path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 2 * MAX_MESSAGE))
            lines = file.read().split(b"\n")
        # The last piece is what follows the last newline: a line that was cut off, or nothing.
        found = json.loads(lines[-2]) if len(lines) > 1 else None
        return None if found is None else (int(found["number"]), str(found["link"]))
