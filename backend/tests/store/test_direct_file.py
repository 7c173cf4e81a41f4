"""Files written around the page cache: the same bytes end up in them, whatever the disk takes."""

import errno
import os
from collections.abc import Callable
from mmap import mmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.store.direct_file import BLOCK, DirectFile

SIZE = 16 * BLOCK
Pieces = list[tuple[int, int]]

pieces = st.lists(
    st.tuples(
        st.sampled_from([0, BLOCK, 3 * BLOCK]) | st.integers(0, SIZE - 1),
        st.sampled_from([BLOCK, 2 * BLOCK]) | st.integers(0, 4 * BLOCK),
    ),
    max_size=6,
)


def written(path: Path, places: Pieces) -> tuple[bytes, bytes]:
    """What is in the file, and what should be."""
    path.write_bytes(bytes(SIZE))
    due = bytearray(SIZE)
    memory = mmap(-1, 4 * BLOCK)
    memory[:] = os.urandom(len(memory))
    file = DirectFile.open(path)
    for offset, length in places:
        length = min(length, SIZE - offset)
        file.write_at(offset, memoryview(memory)[:length])
        due[offset : offset + length] = memory[:length]
    assert file.read_at(0, SIZE) == due
    file.close()
    return path.read_bytes(), bytes(due)


@given(places=pieces)
def test_every_byte_is_at_its_place(tmp_path_factory: pytest.TempPathFactory, places: Pieces) -> None:
    found, due = written(tmp_path_factory.mktemp("direct") / "file", places)
    assert found == due


def _refuses_to_open(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def no_direct(path: str, flags: int, *rest: int) -> int:
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", no_direct)


def _refuses_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    write, direct = os.pwritev, set[int]()
    opened = os.open

    def noting(path: str, flags: int, *rest: int) -> int:
        fd = opened(path, flags, *rest)
        if flags & os.O_DIRECT:
            direct.add(fd)
        else:
            direct.discard(fd)
        return fd

    def no_direct(fd: int, pieces: list[memoryview], offset: int) -> int:
        if fd in direct:
            raise OSError(errno.EINVAL, "Invalid argument")
        return write(fd, pieces, offset)

    monkeypatch.setattr(os, "open", noting)
    monkeypatch.setattr(os, "pwritev", no_direct)


@pytest.mark.parametrize("refusal", [_refuses_to_open, _refuses_to_write])
def test_a_disk_that_does_not_take_them_gets_them_through_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[[pytest.MonkeyPatch], None]
) -> None:
    refusal(monkeypatch)
    found, due = written(tmp_path / "file", [(0, 4 * BLOCK), (4 * BLOCK, 2 * BLOCK + 7), (8 * BLOCK + 1, BLOCK)])
    assert found == due


def test_another_failure_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(SIZE))
    file = DirectFile.open(path)

    def broken(*_: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(os, "pwritev", broken)
        with pytest.raises(OSError, match="Input/output"):
            file.write_at(0, memoryview(mmap(-1, BLOCK)))
    file.close()
