"""A file that a test opens for the plain listener in place of a blob."""

from dataclasses import dataclass
from pathlib import Path

from sieve.gateway.plain.files import StreamPart
from sieve.store.direct_file import DirectFile


@dataclass(frozen=True)
class FileAt:
    path: Path

    def open_direct(self, *, around: bool) -> DirectFile:
        return DirectFile.open(self.path, around=around)


def part_of(path: Path | None, start: int, end: int, tag_key: str = "") -> StreamPart[FileAt]:
    return StreamPart(FileAt(path) if path is not None else None, start, end, tag_key)
