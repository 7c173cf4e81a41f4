"""Written behind, a file is what was given, and one that cannot be written says so in the end."""

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import cuts, modest
from sieve.gateway.plain.write_behind import GatheredFile, WriteBehind
from sieve.store.direct_file import DirectFile

SIZE = 4096
WRITES = WriteBehind(SIZE)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("behind") / "file"


@modest
@given(st.data(), st.integers(0, 3 * SIZE), st.binary(min_size=1, max_size=50))
def test_it_is_what_was_given_whatever_the_pieces(path: Path, data: st.DataObject, size: int, some: bytes) -> None:
    content = (some * (size // len(some) + 1))[:size]
    path.write_bytes(b"")
    told: list[bytes] = []
    file = GatheredFile(
        DirectFile.open(path), WRITES, lambda start, piece: told.append(start.to_bytes(4, "big") + bytes(piece))
    )
    for piece in data.draw(cuts(content)):
        file.append(piece)
    assert file.end == size
    file.finish()
    file.discard()
    assert path.read_bytes() == content
    assert b"".join(piece[4:] for piece in told) == content
    assert [int.from_bytes(piece[:4], "big") for piece in told] == list(range(0, size, SIZE))


def test_what_cannot_be_written_is_reported_in_the_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(file: DirectFile, offset: int, data: memoryview) -> None:
        raise OSError(5, "the disk is broken")

    monkeypatch.setattr(DirectFile, "write_at", broken)
    path.write_bytes(b"")
    file = GatheredFile(DirectFile.open(path), WRITES, lambda start, piece: None)
    for _ in range(40):
        file.append(bytes(SIZE))
    with pytest.raises(OSError, match="the disk is broken"):
        file.finish()


def test_one_that_is_given_up_is_closed_after_its_writes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves, writes, closed = threading.Event(), WriteBehind(SIZE), threading.Event()
    write_at, close = DirectFile.write_at, DirectFile.close

    def slow(file: DirectFile, offset: int, data: memoryview) -> None:
        moves.wait()
        assert not closed.is_set()
        write_at(file, offset, data)

    def told(file: DirectFile) -> None:
        closed.set()
        close(file)

    monkeypatch.setattr(DirectFile, "write_at", slow)
    monkeypatch.setattr(DirectFile, "close", told)
    path.write_bytes(b"")
    file = GatheredFile(DirectFile.open(path), writes, lambda start, piece: None)
    file.append(bytes(SIZE + 1))
    file.discard()
    assert not closed.is_set()
    moves.set()
    writes.after(int).result()
    assert closed.is_set() and path.stat().st_size == SIZE
    file.discard()
