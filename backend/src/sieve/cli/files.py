"""Files that commands read and write; `-` is standard input or output."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sieve.cli.errors import BadInput, Failed

STANDARD_STREAM: Final = "-"


class Unreadable(BadInput):
    """A file that cannot be read; the message names it."""


def read_source(source: str, limit: int = -1) -> bytes:
    """The file `source`, or standard input for `-`; its first `limit` bytes if that is not negative.

    Raises:
        Unreadable: it cannot be read.
    """
    try:
        if source == STANDARD_STREAM:
            return sys.stdin.buffer.read(limit)
        with Path(source).open("rb") as file:
            return file.read(limit)
    except OSError as error:
        raise Unreadable(f"cannot read {display_name(source)}: {error.strerror}") from error


def display_name(source: str) -> str:
    """The name of a file in messages."""
    return "standard input" if source == STANDARD_STREAM else source


def write_target(target: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Writes `data` to the file `target` with mode 0600, whole or not at all; to standard output for `-`.

    A device or pipe is written to, not replaced.

    Raises:
        Failed: it cannot be written; the file is as it was before.
    """
    pieces = (data,) if isinstance(data, bytes) else data
    try:
        if target == STANDARD_STREAM:
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
            return
        path = Path(target).resolve()
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            with path.open("wb") as out:
                out.writelines(pieces)
        else:
            _replace(path, pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if target == STANDARD_STREAM else target
        raise Failed(f"cannot write {where}: {error.strerror}") from error


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    # The file has mode 0600 from the first moment.
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".sieve-", delete=False) as file:
        unfinished = Path(file.name)
        try:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
