"""What the reading service takes at most, and what happens when a process dies, hangs or lies."""

import asyncio
import contextlib
import json
import logging
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from any_files import GOOD, SECRET, file_of
from gateway.reading_world import all_ended, all_units, as_json, blobs, processes_of, reading, serving
from gateway.two_gateways import until
from secret_variables import SECRET_VARIABLES, note_environment, set_secret_variables
from sieve.formats.reading import read
from sieve.gateway.reading import child, service
from sieve.gateway.reading.errors import ReadingBusy, ReadingFailed, Unreadable
from sieve.gateway.reading.file import File
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.reading.wire import Message, Part
from sieve.gateway.runtime.confinement import Confinement
from sieve.store.blobs import BlobDamaged, BlobStore

__all__ = ["blobs", "reading"]

CSV = GOOD["pay.csv"][1]


# --- limits ------------------------------------------------------------------------------------------------------


async def test_a_slow_request_is_ended_with_a_reason(blobs: BlobStore) -> None:
    slow = file_of(blobs, "slow.csv", b"a,b\n" + b"1,2\n" * 3_000_000, "csv")
    async with serving(ReadingLimits(seconds=2)) as reading:
        with pytest.raises(ReadingFailed, match=r"could not be read within 2 s"):
            await reading.outline(slow)
        assert await reading.format_of(file_of(blobs, "pay.csv", CSV, "csv")) == "csv"


async def test_a_request_for_too_much_memory_is_ended_with_a_reason(blobs: BlobStore) -> None:
    part = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    large = file_of(blobs, "large.jsonl", b'{"a": "%b"}\n' % (b"\\u00e9" * 8_000_000) + part, "jsonl")
    async with serving(ReadingLimits(memory=64 * 2**20)) as reading:
        with pytest.raises(ReadingFailed, match="within 64 MiB of memory|ended at once"):
            await all_units(reading, large, 10)
        assert await reading.format_of(file_of(blobs, "pay.csv", CSV, "csv")) == "csv"


async def test_a_process_gets_no_secret_of_the_gateway_s_environment(
    tmp_path: Path, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_secret_variables(monkeypatch)
    variables = note_environment(tmp_path, monkeypatch)
    async with serving(ReadingLimits()) as reading:
        await reading.outline(file_of(blobs, "pay.csv", CSV, "csv"))
    assert variables().isdisjoint(SECRET_VARIABLES) and "PATH" in variables()


async def test_a_process_can_open_nothing_and_has_nothing_open_but_the_pair(
    reading: ReadingService, blobs: BlobStore
) -> None:
    await reading.outline(file_of(blobs, "pay.csv", CSV, "csv"))
    found = processes_of(reading)
    assert found
    for one in found:
        open_files = {path.name for path in Path(f"/proc/{one.pid}/fd").iterdir()}
        assert open_files == {"0", "1", "2", "3"}
        assert {str(Path(f"/proc/{one.pid}/fd/{number}").readlink()) for number in range(3)} == {"/dev/null"}
        limits = Path(f"/proc/{one.pid}/limits").read_text()
        for name, most in (("Max open files", "4"), ("Max core file size", "0"), ("Max file size", "0")):
            assert next(line for line in limits.splitlines() if line.startswith(name))[26:].split()[:2] == [most, most]


def test_no_socket_no_file_no_core_once_confined() -> None:
    tried = """
import encodings.idna, os, socket
from sieve.gateway.reading.limits import ReadingLimits, confine
ours, theirs = socket.socketpair()
confine(theirs.fileno(), ReadingLimits())
for what in (socket.socket, socket.socketpair, os.pipe, lambda: open("/etc/passwd"), lambda: open("/tmp/new", "w"),
             lambda: socket.create_connection(("127.0.0.1", 9)), lambda: socket.getaddrinfo("example.org", 80)):
    try:
        what()
    except OSError:
        continue
    print("opened")
print("done")
"""
    ended = subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, check=True)
    assert ended.stdout == "done\n"


async def test_larger_files_are_only_bytes(blobs: BlobStore) -> None:
    async with serving(ReadingLimits(), max_bytes=10) as reading:
        large = file_of(blobs, "pay.csv", CSV, "csv")
        assert await reading.format_of(large) == "bytes"
        with pytest.raises(Unreadable, match="more than 10 bytes"):
            await reading.units(large)
        assert json.loads(await reading.units(file_of(blobs, "pay.csv", CSV, "bytes")))["units"][0]["kind"] == "bytes"


async def test_too_many_at_once_are_refused(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_WAITING", 2)
    async with serving(ReadingLimits()) as reading:
        file = file_of(blobs, "pay.csv", CSV, "csv")
        asked = await asyncio.gather(*(reading.outline(file) for _ in range(3)), return_exceptions=True)
        assert [type(one) for one in asked] == [bytes, bytes, ReadingBusy]


# --- bad days ----------------------------------------------------------------------------------------------------


async def test_what_cannot_be_written_or_read_here_is_not_said_of_the_file(
    reading: ReadingService, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> Iterator[bytes]:
        raise OSError(5, "Input/output error")

    file = file_of(blobs, "pay.csv", CSV, "csv")
    with pytest.raises(OSError, match="Input/output error"):
        await reading.redacted(file, breaks)
    with monkeypatch.context() as disk:
        disk.setattr(File, "content", breaks)
        with pytest.raises(OSError, match="Input/output error"):
            await reading.outline(file_of(blobs, "pay.csv", CSV, "csv"))
    assert await reading.format_of(file) == "csv"


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kills=st.lists(st.integers(0, 30), min_size=1, max_size=2), number=st.sampled_from([signal.SIGKILL, signal.SIGSEGV])
)
def test_a_process_that_is_killed_at_any_moment_costs_one_answer_at_most(
    reading: ReadingService, blobs: BlobStore, kills: list[int], number: signal.Signals
) -> None:
    data = GOOD["report.pdf"][1]
    file = file_of(blobs, "report.pdf", data, "pdf", key=str(random.random()))
    expected = [as_json(unit) for unit in read("report.pdf", data).units()]

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        for turns in kills:
            asking = loop.create_task(all_units(reading, file, 2))
            for _ in range(turns * 20):
                await asyncio.sleep(0)
            struck = processes_of(reading)
            for one in struck:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.send_signal(number)
            try:
                assert await asking == expected
            except ReadingFailed as error:
                assert "the reading process ended early" in str(error)
            except ReadingBusy as error:
                assert "does not start" in str(error)
            # Nobody can know of a signal that is on its way.
            await until(partial(all_ended, struck))
        assert await all_units(reading, file, 2) == expected

    asyncio.run(ask())


async def test_a_process_that_ended_of_itself_is_replaced_unseen(blobs: BlobStore) -> None:
    file = file_of(blobs, "pay.csv", CSV, "csv")
    async with serving(ReadingLimits()) as reading:
        first = await reading.outline(file)
        (one,) = processes_of(reading)
        one.kill()
        one.wait()
        assert await reading.outline(file) == first
        (other,) = processes_of(reading)
        assert other.pid != one.pid


async def test_a_file_that_is_held_is_not_brought_again(blobs: BlobStore) -> None:
    file = file_of(blobs, "pay.csv", CSV, "csv")
    async with serving(ReadingLimits()) as reading:
        first = await reading.outline(file)
        blobs.delete(file.document.plain)
        assert await reading.outline(file) == first
        with pytest.raises(BlobDamaged):
            await reading.outline(File("other", "pay.csv", "", "csv", file.document, None))
        with pytest.raises(BlobDamaged):
            await reading.outline(file)


async def test_a_process_reads_one_document(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that a file brings in gets no other file, also none of the same person, nor what somebody types."""
    read_by: dict[int, set[str]] = {}
    reads = service._read

    def noted(process: child.Child, content: Part, *, name: str, **more: Any) -> Message:
        read_by.setdefault(process.pid, set()).add(name)
        return reads(process, content, name=name, **more)

    monkeypatch.setattr(service, "_read", noted)
    one, two = (replace(file_of(blobs, "pay.csv", CSV, "csv", key=name), name=name) for name in ("one.csv", "two.csv"))
    async with serving(ReadingLimits(), processes=2) as reading:
        for file in (one, two, one, two.as_unknown(), replace(one, key="")):
            assert await reading.format_of(file) == "csv"
            await reading.outline(file)
            await reading.hits_in_text("anna", b"a text", [], limit=1)
    assert set().union(*read_by.values()) == {"one.csv", "two.csv", ""}
    assert [names for names in read_by.values() if len(names) > 1] == []


async def test_closing_ends_all_processes_and_all_waiting(blobs: BlobStore) -> None:
    slow = file_of(blobs, "slow.csv", b"a,b\n" + b"1,2\n" * 3_000_000, "csv")
    reading = ReadingService(ReadingLimits(), processes=1, max_bytes=10**8)
    await reading.units(slow, limit=1)
    (one,) = processes_of(reading)
    asking = asyncio.create_task(reading.outline(slow))
    await asyncio.sleep(0)
    await reading.close()
    with pytest.raises((ReadingBusy, asyncio.CancelledError)):
        await asking
    assert not one.is_running()
    with pytest.raises(ReadingBusy, match="about to stop"):
        await reading.outline(slow)


async def test_a_template_that_ended_is_replaced_unseen_and_its_processes_end(blobs: BlobStore) -> None:
    files = [file_of(blobs, "pay.csv", CSV, "csv", key=key) for key in ("1", "2")]
    async with serving(ReadingLimits(), processes=2) as reading:
        first = await reading.outline(files[0])
        (one,) = processes_of(reading)
        template = one.parent()
        assert template is not None
        template.kill()
        await until(partial(all_ended, [one]))
        for file in files:
            assert await reading.outline(file) == first


def test_a_process_does_not_outlive_its_gateway() -> None:
    lives = """
import os
from sieve.gateway.reading.child import Child, Template
from sieve.gateway.reading.limits import ReadingLimits
print(Child(Template(ReadingLimits())).pid, flush=True)
os._exit(0)
"""
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", lives], stdout=subprocess.PIPE, text=True, check=True)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(ended.stdout)).wait(timeout=20)


def test_a_defect_is_logged_without_a_word_of_the_file(caplog: pytest.LogCaptureFixture) -> None:
    memo = SECRET.encode()
    question = {"do": "read", "name": "memo.txt", "media_type": None, "format_name": "text", "size": len(memo)}
    with contextlib.closing(child.Template(ReadingLimits())) as template:
        made = child.Child(template)
        made.begin()
        made.ask(question, [Part.of(memo)])
        with caplog.at_level(logging.DEBUG), pytest.raises(ReadingFailed, match="could not be read"):
            made.ask({"do": SECRET})
    assert "KeyError" in caplog.text
    assert SECRET not in caplog.text


INVALID_ANSWERS = (b"", b"\xff\xff\xff\xff", b"\0\0\0\2[]", b'\0\0\0\x0f{"parts": [-1]}', b"\0\0\0\x02{}")


@pytest.mark.parametrize("said", INVALID_ANSWERS)
def test_what_a_process_answers_is_not_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: bytes) -> None:
    lying = tmp_path / "lying"
    lying.write_text(
        f"""#!{sys.executable}
import os, socket, sys
template = socket.socket(fileno=int(sys.argv[3].removeprefix("--control-fd=")))
_, (end, pipe), *_ = socket.recv_fds(template, 64, 2)
template.send(str(os.getpid()).encode())
pair = socket.socket(fileno=end)
head = b'{{"confinement": {{"by": [], "missing": []}}, "parts": []}}'
pair.sendall(len(head).to_bytes(4, "big") + head + {said!r})
template.recv(64)
"""
    )
    lying.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(lying))
    with contextlib.closing(child.Template(ReadingLimits(seconds=20))) as template:
        made = child.Child(template)
        made.begin()
        with pytest.raises((ReadingFailed, child.IdleEnded)):
            if not said:
                made.end()
            made.ask({"do": "outline"})
        assert not made.alive


async def test_what_a_process_says_a_file_is_is_checked(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    table, page = file_of(blobs, "pay.csv", CSV, "csv"), file_of(blobs, "a.bin", GOOD["report.pdf"][1], "pdf")
    async with serving(ReadingLimits()) as reading:
        with monkeypatch.context() as patched:
            patched.setattr(service, "Child", _NoProcess)
            for said in ("docx", "text", "rtf", "", None, 7):
                patched.setattr(_NoProcess, "said", Message({"format": said}, []))
                for file in (table, page):
                    with pytest.raises(ReadingFailed, match="too large or invalid"):
                        await reading.format_of(file)
        assert await reading.format_of(page) == "pdf"


async def test_marks_that_a_process_makes_up_are_refused(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(blobs, "pay.csv", CSV, "csv")
    monkeypatch.setattr(service, "Child", _NoProcess)
    async with serving(ReadingLimits()) as reading:
        for number in (-1, "2", None, 10**9):
            monkeypatch.setattr(_NoProcess, "said", Message({"marks": number}, [b"", b"[]"]))
            with pytest.raises(ReadingFailed, match="too large or invalid"):
                await reading.mark(file, b'{"marks": []}')


class _NoProcess:
    """A `Child` that answers `said`, without its process: one takes a second to start."""

    said = Message({}, [])
    confinement = Confinement((), ())
    invalid_answer = child.Child.invalid_answer

    def __init__(self, _: child.Template, reads: str | None) -> None:
        self.reads = reads
        self.key: str | None = None
        self.alive = True

    def begin(self) -> None:
        pass

    def ask(self, *_: object) -> Message:
        return self.said

    def end(self) -> None:
        self.alive = False

    kill = end
