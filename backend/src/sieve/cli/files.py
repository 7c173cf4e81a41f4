"""Files that a command writes: mode 0600, and whole or not at all."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sieve.cli.errors import Failed

STANDARD_STREAM = "-"


def write_stream(target: str, pieces: Iterable[bytes]) -> None:
    """Puts `pieces` at the path `target`, once they are all there; on stdout, as they come, for `-`.

    Raises:
        Failed: it cannot be written; what was there before still is.
    """
    if target == STANDARD_STREAM:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            # A device or a pipe is written to, not replaced.
            with path.open("wb") as out:
                out.writelines(pieces)
            return
        _replace(path, pieces)
    except OSError as error:
        raise Failed(f"cannot write {target}: {error.strerror}") from error


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    # Made with mode 0600 from the first moment.
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
