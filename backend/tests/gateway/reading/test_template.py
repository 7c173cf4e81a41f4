"""The reading template: how many it forks, and what happens when it ends, hangs or lies."""

import asyncio
import contextlib
import errno
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from any_files import GOOD, file_of
from gateway.reading_world import all_ended, blobs, processes_of, serving
from gateway.two_gateways import until
from sieve.gateway.reading import child
from sieve.gateway.reading.child import Child, Template
from sieve.gateway.reading.errors import ReadingBusy, ReadingFailed
from sieve.gateway.reading.file import File
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.store.blobs import BlobStore

__all__ = ["blobs"]


@pytest.fixture
def template() -> Iterator[Template]:
    with contextlib.closing(Template(ReadingLimits())) as made:
        yield made


def files_of(blobs: BlobStore, number: int) -> list[File]:
    """Files of as many people."""
    file = file_of(blobs, "pay.csv", GOOD["pay.csv"][1], "csv")
    return [replace(file, key=str(one), owner=str(one)) for one in range(number)]


def template_of(reading: ReadingService) -> psutil.Process:
    found = processes_of(reading)[0].parent()
    assert found is not None
    return found


async def test_no_more_processes_than_the_setting(blobs: BlobStore) -> None:
    files = files_of(blobs, 12)
    async with serving(ReadingLimits(), processes=2) as reading:
        for pair in zip(files[::2], files[1::2], strict=True):
            await asyncio.gather(*map(reading.outline, pair))
            assert len(reading.pids) <= 2
            assert len(template_of(reading).children()) <= 2


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """More open files than `select` knows numbers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_048), hard))
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1_100):
            opened.callback(os.close, os.dup(0))
        yield


@pytest.mark.usefixtures("many_descriptors")
async def test_a_template_starts_in_a_gateway_with_many_connections(blobs: BlobStore) -> None:
    [file] = files_of(blobs, 1)
    async with serving(ReadingLimits()) as reading:
        await reading.outline(file)


async def test_a_process_that_does_not_start_is_not_counted(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(blobs, 3)
    async with serving(ReadingLimits(), processes=2) as reading:
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", "/nowhere")
            for file in files:
                with pytest.raises(ReadingBusy, match="No such file or directory"):
                    await reading.outline(file)
        for file in files:
            await reading.outline(file)
        assert len(reading.pids) == 2


async def test_a_template_that_does_not_answer_is_replaced(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "ANSWER_S", 0.5)
    files = files_of(blobs, 3)
    async with serving(ReadingLimits(), processes=1) as reading:
        await reading.outline(files[0])
        hangs, reader = template_of(reading), processes_of(reading)[0]
        hangs.suspend()
        assert await reading.outline(files[1]), "the first process must end"
        hangs = template_of(reading)
    async with serving(ReadingLimits(), processes=2) as reading:
        await reading.outline(files[0])
        template_of(reading).suspend()
        assert await reading.outline(files[1]), "no process must end"
    await until(partial(all_ended, [hangs, reader]))


async def test_a_process_that_ended_is_replaced_unseen_before_the_template_says_so(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "ANSWER_S", 0.5)
    [file] = files_of(blobs, 1)
    async with serving(ReadingLimits()) as reading:
        first = await reading.outline(file)
        ended = processes_of(reading)
        template_of(reading).suspend()
        ended[0].kill()
        await until(partial(all_ended, ended))
        assert await reading.outline(file) == first


async def test_a_template_that_does_not_answer_ends_with_the_gateway(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "ANSWER_S", 0.5)
    files = files_of(blobs, 2)
    async with serving(ReadingLimits(), processes=2) as reading:
        await reading.outline(files[0])
        hangs = [template_of(reading), *processes_of(reading)]
        hangs[0].suspend()
        asking = asyncio.create_task(reading.outline(files[1]))
        await asyncio.sleep(0)
    with pytest.raises((ReadingBusy, ReadingFailed, asyncio.CancelledError)):
        await asking
    await until(partial(all_ended, hangs))


async def test_closing_does_not_stop_the_event_loop(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "ANSWER_S", 1.0)
    async with serving(ReadingLimits()) as reading:
        await reading.outline(files_of(blobs, 1)[0])
        template_of(reading).suspend()
        closing = asyncio.create_task(reading.close())
        turns = 0
        while not closing.done():
            turns += 1
            await asyncio.sleep(0)
        assert turns > 10


def test_the_template_waits_for_its_processes_before_it_ends(template: Template) -> None:
    made = Child(template)
    runs = psutil.Process(made.pid)
    template.close()
    assert not runs.is_running(), "no zombie either: the process with number 1 may not wait for any"
    made.kill()


async def test_a_template_that_ended_by_itself_leaves_no_zombie(template: Template) -> None:
    made = Child(template)
    parent = psutil.Process(made.pid).parent()
    assert parent is not None
    made.kill()
    parent.terminate()

    def is_gone() -> bool:
        # Unlike psutil's, this wait does not reap it.
        return not Path(f"/proc/{parent.pid}").exists()

    await until(is_gone)


def test_the_template_keeps_its_memory_private(template: Template) -> None:
    made = Child(template)
    parent = psutil.Process(made.pid).parent()
    assert parent is not None
    assert "NoNewPrivs:\t1" in Path(f"/proc/{parent.pid}/status").read_text()
    made.kill()


@pytest.mark.parametrize("said", [b"none", b"-", b"0"])
def test_a_template_that_answers_nonsense_costs_no_descriptor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: bytes
) -> None:
    lying = tmp_path / "lying"
    lying.write_text(
        f"""#!{sys.executable}
import socket, sys
control = socket.socket(fileno=int(sys.argv[3].removeprefix("--control-fd=")))
while control.recv(64):
    control.send({said!r})
"""
    )
    lying.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(lying))
    before = psutil.Process().num_fds()
    with contextlib.closing(Template(ReadingLimits())) as template:
        for _ in range(3):
            with pytest.raises(ReadingBusy, match="does not start"):
                template.fork()
    assert psutil.Process().num_fds() == before


@pytest.mark.parametrize(("module", "name"), [(socket, "socketpair"), (os, "pipe")])
def test_no_descriptor_left_is_said_and_costs_none(
    template: Template, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    before = psutil.Process().num_fds()
    with monkeypatch.context() as full:
        full.setattr(module, name, fails)
        with pytest.raises(ReadingBusy, match="Too many open files"):
            template.fork()
    assert psutil.Process().num_fds() == before


def test_only_a_process_that_runs_is_ended(template: Template) -> None:
    """The number of one that ended may be another's."""
    made, other = Child(template), Child(template)
    assert made.kill() == -signal.SIGKILL
    made.pid = other.pid
    made.end()
    made.kill()
    assert other.alive
    other.begin()
    assert psutil.Process(other.pid).is_running()
    other.kill()
