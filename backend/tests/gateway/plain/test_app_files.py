"""Where the plain listener's app puts what it took: a batch's files, and what a bad or slow disk does."""

import os
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from gateway.file_at import part_of
from gateway.plain_bench import HANDLE, KEY, OTHER, PLAN, STREAM, Bench, a_bench, sum_of
from sieve.channel.attempt_split import PlainSplit
from sieve.gateway.plain import write_behind
from sieve.gateway.plain.app import Fenced
from sieve.gateway.plain.files import open_parts
from sieve.store.direct_file import DirectFile


async def test_a_chunk_that_cannot_be_written_is_reported_at_the_fence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.announce()
    with monkeypatch.context() as disk:
        disk.setattr(os, "pwritev", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        assert await bench.put(0).answered() == 204
        fenced = await bench.app.close(HANDLE)
    assert fenced == Fenced(frozenset({0}), failed=(0,))


async def test_what_cannot_be_written_or_is_dropped_leaves_the_other_files_of_a_batch_alone(tmp_path: Path) -> None:
    """And nothing keeps a dropped file's blocks: it is closed at once, and what still comes of it goes nowhere."""
    bounds = (0, 70_000, 140_000, PLAN.size)
    full, dropped, good = Path("/dev/full"), tmp_path / "dropped", tmp_path / "good"
    dropped.write_bytes(b"")
    good.write_bytes(b"")
    async with a_bench(tmp_path / "file") as bench:
        parts = [part_of(path, *part) for path, part in zip((full, dropped, good), pairwise(bounds), strict=True)]
        bench.app.open(OTHER, KEY, open_parts(parts), PlainSplit(PLAN.size))
        await bench.app.drop(OTHER, 1)
        await bench.app.drop(HANDLE, 1)  # it is not announced, or not any more
        assert str(dropped) not in open_files()
        for index in range(4):
            assert await bench.put(index, handle=OTHER).answered() == 204
        fenced = await bench.app.close(OTHER)
    assert (good.read_bytes(), dropped.read_bytes()) == (STREAM[140_000:], b"")
    assert fenced == Fenced(frozenset(range(4)), (None, None, sum_of(STREAM[140_000:])), (0,))


def open_files() -> set[str]:
    """What this process has open."""
    return {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


async def test_a_batchs_chunks_are_cut_over_its_documents_files(tmp_path: Path) -> None:
    """And what belongs to a document that is thrown away goes nowhere."""
    bounds = (0, 5, 70_000, 70_001, 65536 * 2 + 9, PLAN.size)
    paths = [None if number == 2 else tmp_path / str(number) for number in range(5)]
    for path, (start, end) in zip(paths, pairwise(bounds), strict=True):
        if path is not None:
            path.write_bytes(bytes(end - start))
    async with a_bench(tmp_path / "file") as bench:
        parts = [part_of(path, *part) for path, part in zip(paths, pairwise(bounds), strict=True)]
        bench.app.open(OTHER, KEY, open_parts(parts), PlainSplit(PLAN.size))
        for index in (1, 0, 3, 2):
            assert await bench.put(index, handle=OTHER).answered() == 204
        fenced = await bench.app.close(OTHER)
    streams = [STREAM[start:end] for start, end in pairwise(bounds)]
    assert [path and path.read_bytes() for path in paths] == [
        stream if at != 2 else None for at, stream in enumerate(streams)
    ]
    assert fenced.sums == tuple(sum_of(stream) if at != 2 else None for at, stream in enumerate(streams))


async def test_more_writes_behind_than_there_may_be_make_the_network_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk writes nothing, nothing beyond the bound counts as held."""
    moves = threading.Event()
    write_at = DirectFile.write_at

    def slow(file: DirectFile, offset: int, data: memoryview) -> None:
        moves.wait()
        write_at(file, offset, data)

    monkeypatch.setattr(DirectFile, "write_at", slow)
    monkeypatch.setattr(write_behind, "MOST_BEHIND", 2)
    async with a_bench(tmp_path / "plain") as bench:
        bench.announce()
        for index in range(2):
            assert await bench.put(index).answered() == 204
        threading.Timer(0.05, moves.set).start()
        assert await bench.put(2).answered() == 204
        assert moves.is_set()
        assert bench.written[: 3 * 65536] == STREAM[: 3 * 65536]


async def test_a_file_that_is_not_there_is_an_error_at_once(bench: Bench) -> None:
    before = open_files()
    with pytest.raises(FileNotFoundError):
        open_parts([part_of(Path("/dev/zero"), 0, 1), part_of(bench.path.with_name("missing"), 1, PLAN.size)])
    assert open_files() == before
