"""One gateway at a time on a data folder; a lock ends with the last process that holds it, however it ends."""

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sieve.gateway.errors import StartError
from sieve.gateway.runtime import data_folder


def test_it_makes_the_folder_for_its_owner_alone(tmp_path: Path) -> None:
    fd = data_folder.lock(tmp_path / "a" / "data")
    assert (tmp_path / "a" / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / "data" / "lock").stat().st_mode & 0o777 == 0o600
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_a_second_gateway_is_refused_in_one_line(tmp_path: Path) -> None:
    fd = data_folder.lock(tmp_path)
    with pytest.raises(StartError, match=r"^another process uses the data folder .*; try again when it has ended"):
        data_folder.lock(tmp_path, patience_s=0)
    os.close(fd)
    os.close(data_folder.lock(tmp_path, patience_s=0))


def test_it_waits_for_one_that_is_just_ending(tmp_path: Path) -> None:
    fd = data_folder.lock(tmp_path)
    ending = threading.Timer(0.05, os.close, [fd])
    ending.start()
    os.close(data_folder.lock(tmp_path, patience_s=5))
    ending.join()


def test_a_child_that_was_given_the_lock_keeps_it(tmp_path: Path) -> None:
    """The plain listener outlives a killed gateway by a moment, and may still write into its blobs."""
    fd = data_folder.lock(tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(fd,)
    )
    os.close(fd)
    with pytest.raises(StartError):
        data_folder.lock(tmp_path, patience_s=0)
    child.kill()
    child.wait()
    assert child.stdin is not None
    child.stdin.close()
    os.close(data_folder.lock(tmp_path, patience_s=0))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartError, match=r"cannot use the data folder .*file/data: Not a directory; make it writable"):
        data_folder.lock(tmp_path / "file" / "data")


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_fd: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(StartError, match=r"cannot lock the data folder .*: No locks available; set SIEVE_DATA_DIR"):
        data_folder.lock(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before
