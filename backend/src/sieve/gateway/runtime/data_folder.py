"""The data folder's lock: one gateway at a time uses the folder, and owns the leases in its database. Commands that
need the folder for themselves take it, too.

This is an `flock` on an open file: the kernel releases it when the last process that holds it ends, in any way.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sieve.gateway.errors import StartError

RESTORING: Final = "restoring.json"
"""The journal of a restore that is putting files into place; see `restore`."""

_RETRY_S = 0.02


class InUseError(StartError):
    """Another process uses the data folder. It may end soon."""


def lock(folder: Path, patience_s: float = 3.0) -> int:
    """Locks `folder`, which is created with mode 0700 if needed; returns the descriptor to keep open.

    Waits `patience_s` for a gateway that is just ending.

    Raises:
        InUseError: another process uses it.
        StartError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StartError(
            f"cannot use the data folder {folder}: {error.strerror}; make it writable or set SIEVE_DATA_DIR"
        ) from error
    until = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(_RETRY_S)
                continue
            os.close(fd)
            raise InUseError(
                f"another process uses the data folder {folder}: a gateway, or a sieve command that changes its data; "
                "try again when it has ended, or set another SIEVE_DATA_DIR"
            ) from None
        except OSError as error:
            os.close(fd)
            raise StartError(
                f"cannot lock the data folder {folder}: {error.strerror}; set SIEVE_DATA_DIR to a local disk"
            ) from error
        return fd


@contextmanager
def locked_if_free(folder: Path) -> Iterator[bool]:
    """Locks `folder` in the block, if no other process uses it; says whether. A gateway that starts meanwhile waits
    for a few seconds, then ends with the status for a start that may succeed later.

    Raises:
        StartError: it cannot be written.
    """
    try:
        fd = lock(folder, patience_s=0)
    except InUseError:
        yield False
        return
    try:
        yield True
    finally:
        os.close(fd)


def check_not_half_restored(folder: Path) -> None:
    """Checks that no restore was interrupted.

    Raises:
        StartError: one was.
    """
    if (folder / RESTORING).exists():
        raise StartError(
            f"a restore into {folder} was cut off; run sieve restore again, with that backup, to finish it"
        )


def check_user(folder: Path, command: str) -> None:
    """Checks that root does not write files for another user, who could not open them.

    Raises:
        StartError: root does.
    """
    if os.geteuid() == 0 and folder.exists() and folder.stat().st_uid != 0:
        raise StartError(f"run {command} as the user that {folder} belongs to, not as root")
