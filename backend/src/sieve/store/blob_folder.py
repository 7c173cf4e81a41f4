"""The blob folder as a start finds it: its id, its files, and the quarantine of those that no row names (ADR 21).

    folder-id                      the folder's id; a database names the folder that it belongs to
    00/ to ff/                     the blobs
    quarantine/SINCE/              files that the start at SINCE moved away
    quarantine/SINCE_OVERDUE/      the same, once a start at OVERDUE found them older than `GRACE_NS`

Invariant: a start deletes only files that an earlier start, at least `PAUSE_NS` before, found overdue. So a start whose
clock is days ahead deletes nothing that it or a start just before it moved away: it can only note them as overdue, and
a later start drops a note that lies in its future. A clock that was behind when files were moved away shortens their
grace, but not below `PAUSE_NS`.
"""

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from sieve.store import blob_file

ID: Final = re.compile(r"[0-9a-f]{32}")
"""The name of a blob's file, and the id of a folder."""
GRACE_NS: Final = 7 * 24 * 3600 * 1_000_000_000
"""How long a file stays in quarantine, by the wall clock."""
PAUSE_NS: Final = 24 * 3600 * 1_000_000_000
"""How long before its end a start must have found it overdue."""

_NS_PER_S: Final = 1_000_000_000
_BATCH: Final = re.compile(r"(\d{8}T\d{6}Z)(?:_(\d{8}T\d{6}Z))?")
_TIME: Final = "%Y%m%dT%H%M%SZ"


class Compared(NamedTuple):
    """How many blob files there are, and those of them that no row names."""

    found: int
    unknown: Sequence[Path]


class BlobFolder:
    """Everything here blocks, and belongs to a start: nobody else uses the folder yet."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root
        self.quarantine: Final = root / "quarantine"
        self.id_file: Final = root / "folder-id"

    # --- whose it is -----------------------------------------------------------------------------------------------

    def id(self) -> str | None:
        """Its id; None if it has none, or the file does not hold one."""
        try:
            text = self.id_file.read_bytes().decode("ascii", "replace").strip()
        except FileNotFoundError:
            return None
        return text if ID.fullmatch(text) else None

    def name(self, folder_id: str) -> None:
        """Gives it that id, durably."""
        draft = self.id_file.with_name(".folder-id.new")
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(f"{folder_id}\n".encode())
            file.flush()
            os.fsync(fd)
        draft.rename(self.id_file)
        blob_file.sync_folder(self.root)

    # --- what lies in it -------------------------------------------------------------------------------------------

    def compared(self, known_ids: Collection[str]) -> Compared:
        """The blobs' files, compared with what rows name."""
        found, unknown = 0, []
        for path in self.root.glob("[0-9a-f][0-9a-f]/*"):
            if ID.fullmatch(path.name):
                found += 1
                if path.name not in known_ids:
                    unknown.append(path)
        return Compared(found, unknown)

    def move_away(self, files: Sequence[Path], now_ns: int) -> Path:
        """Moves blobs' files to quarantine; returns the folder that they lie in now."""
        batch = self.quarantine / _written(now_ns)
        for folder in (self.quarantine, batch):
            folder.mkdir(exist_ok=True, mode=0o700)
        for path in files:
            path.rename(batch / path.name)
        return batch

    def move_back(self, known_ids: Collection[str]) -> int:
        """Moves back the files in quarantine that rows name, unless they are in their places; returns how many."""
        moved = 0
        for path in self.quarantine.glob("*/*"):
            if path.name in known_ids and not (home := self.root / path.name[:2] / path.name).exists():
                home.parent.mkdir(exist_ok=True, mode=0o700)
                path.rename(home)
                moved += 1
        return moved

    def remove_overdue(self, now_ns: int) -> int:
        """Removes the files whose time in quarantine is over, and notes which are overdue; returns how many it removed.

        `move_back` comes first: what rows name must not lie there any more.
        """
        removed = 0
        for batch in list(self.quarantine.glob("*")):
            if not (named := _BATCH.fullmatch(batch.name)):
                continue
            since, noted = named.groups()
            if now_ns - _read(since) < GRACE_NS:
                if noted is not None:  # by a clock that was ahead
                    batch.rename(batch.with_name(since))
            elif noted is None or _read(noted) > now_ns:
                batch.rename(batch.with_name(f"{since}_{_written(now_ns)}"))
            elif now_ns - _read(noted) >= PAUSE_NS:
                removed += _remove(batch)
        return removed


def _remove(batch: Path) -> int:
    """Removes a folder of the quarantine; what is no blob in it stays, and the folder then, too."""
    files = [path for path in batch.iterdir() if ID.fullmatch(path.name)]
    for path in files:
        path.unlink()
    with suppress(OSError):
        batch.rmdir()
    return len(files)


def _written(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns // _NS_PER_S, UTC).strftime(_TIME)


def _read(time: str) -> int:
    """Nanoseconds since the epoch."""
    return int(datetime.strptime(time, _TIME).replace(tzinfo=UTC).timestamp()) * _NS_PER_S
