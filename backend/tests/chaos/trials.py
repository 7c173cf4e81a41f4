"""The trials, one function for each kind of fault. What came of it is noted in the world's book."""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

import httpx
import psutil

from chaos import steps
from chaos.world import PATIENCE_S, SETTINGS, WAYS, TrialFailed, World
from sieve.demo import NO_TLS
from stories.proxies import copy

Place: TypeAlias = Literal["before", "inside", "after"]
PLACES: Final[Sequence[Place]] = ("before", "inside", "after")
STOP_S: Final = 2.0 * float(SETTINGS["SIEVE_LEASE_S"])
HOUR_S: Final = 3600
AHEAD_S: Final = 60 * 24 * HOUR_S
"""Longer than anything is kept, but no token of these gateways has expired."""
CHILDREN: Final = {
    "plain listener": ("bravo", "plain.process"),
    "reading process": ("alpha", "reading.process"),
}
"""Whose process it is, and the end of the name of the module that it runs."""
CLOCKS: Final = (-HOUR_S, HOUR_S, 10 * 24 * HOUR_S)


# --- kills -----------------------------------------------------------------------------------------------------------


async def kill_at_step(world: World, victim: str, step: str, way: str) -> None:
    """A gateway dies at a step of a transfer, by SIGKILL, and starts again."""
    world.asks(victim, "die-at", step)
    documents = await world.send(way)
    process = world.gateway(victim).process
    try:
        await asyncio.to_thread(process.wait, PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise TrialFailed(f"kill at step: {victim} never came to the step {step!r} ({way})") from None
    world.asks(victim, "die-at", None)
    await world.start_again(victim)
    await world.check(documents, "kill at a named step")


async def kill_at_random(world: World, victim: str) -> None:
    """A gateway dies at any moment of a transfer, and starts again."""
    sending = asyncio.create_task(world.send(world.draw.choice(WAYS)))
    await asyncio.sleep(world.draw.random() * 0.4)  # the fault's moment, not a wait for something
    process = world.gateway(victim).process
    process.kill()
    await asyncio.to_thread(process.wait)
    documents = await sending if victim == "bravo" else await _interrupted(sending)
    await world.start_again(victim)
    await world.check(documents, "kill at random")


async def _interrupted(sending: "asyncio.Task[list[str]]") -> list[str]:
    try:
        return await sending
    except AssertionError:  # an answer that was cut
        return []


async def kill_child(world: World, kind: Literal["plain listener", "reading process"]) -> None:
    """A child process dies while documents are on their way: the receiver's plain listener, or the sender's readers."""
    victim, module = CHILDREN[kind]
    sending = asyncio.create_task(world.send(world.draw.choice(WAYS)))
    reading = asyncio.create_task(_read_a_table(world))
    await asyncio.sleep(world.draw.random() * 0.3)  # the fault's moment
    killed = 0
    for child in psutil.Process(world.gateway(victim).process.pid).children():
        with suppress(psutil.NoSuchProcess):
            # A forked child has its name, an executed one its arguments.
            if child.name() == module or any(module in part for part in child.cmdline()):
                child.kill()
                killed += 1
    if kind == "plain listener" and not killed:
        raise TrialFailed(f"{victim} has no plain listener to kill")
    documents = await sending
    await reading
    await world.check(documents, f"kill of a {kind}")


async def _read_a_table(world: World) -> None:
    """Keeps a reading process busy. The gateway may refuse the file whose reading process was killed, not the next."""
    table = b"name,place\r\n" + b"Anna,Quay 3\r\n" * 4000
    async with world.both.author as api:
        params = {"form": "file", "name": "places.csv"}
        answer = await api.post("/drafts", params=params, content=table)
        if answer.status_code != 201:
            answer = await api.post("/drafts", params=params, content=table)
        if answer.status_code != 201:
            raise TrialFailed(f"kill of a reading process: the next file was refused: {answer.text}")


# --- receipts --------------------------------------------------------------------------------------------------------


@dataclass
class ReceiptCutter:
    """A proxy's pump on the secure channel that cuts the connection which carries a receipt, once it is asked to."""

    world: World | None = None
    place: Place | None = None
    cut: int = 0

    async def pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        requests = asyncio.create_task(copy(reader, up_writer, lambda _: None))
        try:
            while piece := await up_reader.read(65536):
                # The receiver says "committed" before it writes the receipt.
                if self.place is not None and self.world is not None and self.world.has_reached("bravo"):
                    self.cut += 1
                    place, self.place = self.place, None
                    kept = {"before": 0, "inside": len(piece) // 2, "after": len(piece)}[place]
                    writer.write(piece[:kept])
                    await writer.drain()
                    return
                writer.write(piece)
                await writer.drain()
        finally:
            requests.cancel()
            await asyncio.gather(requests, return_exceptions=True)


async def lose_receipt(world: World, cutter: ReceiptCutter, place: Place) -> None:
    """The connection is cut before, inside or after the receipt of a delivery that the receiver has committed."""
    before = cutter.cut
    world.asks("bravo", "tell-at", "committed")
    cutter.world, cutter.place = world, place
    documents = await world.send(world.draw.choice(WAYS))
    await world.check(documents, f"receipt cut {place}")
    if cutter.cut == before:
        raise TrialFailed("receipt cut: no receipt was cut")


# --- the network -----------------------------------------------------------------------------------------------------


@dataclass
class Tampering:
    """Somebody on the plain channel's path who changes, cuts, swallows or answers, on connections that are mostly
    fresh: each is closed after a few pieces, so that nothing hides behind one that was kept open.
    """

    draw: random.Random = field(default_factory=lambda: random.Random(0))
    done: dict[str, int] = field(default_factory=dict)

    async def pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        answers = asyncio.create_task(copy(up_reader, writer, lambda _: None))
        try:
            for _ in range(self.draw.randint(1, 6)):
                piece = await reader.read(65536)
                if not piece:
                    return
                action = self.draw.choice(("pass", "flip", "cut", "repeat", "answer", "swallow", "reset"))
                self.done[action] = self.done.get(action, 0) + 1
                if action == "flip":
                    changed = bytearray(piece)
                    changed[self.draw.randrange(len(changed))] ^= 1 << self.draw.randrange(8)
                    piece = bytes(changed)
                elif action == "cut":
                    piece = piece[: self.draw.randrange(len(piece))]
                elif action == "repeat":
                    piece += piece
                elif action == "answer":
                    writer.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")
                    continue
                elif action == "swallow":
                    continue
                elif action == "reset":
                    writer.transport.abort()
                    return
                up_writer.write(piece)
                await up_writer.drain()
        finally:
            answers.cancel()
            await asyncio.gather(answers, return_exceptions=True)

    @property
    def count(self) -> int:
        """How often something was done to the plain bytes."""
        return sum(number for action, number in self.done.items() if action != "pass")


async def tamper(world: World) -> None:
    """A document crosses a plain channel that is tampered with."""
    documents = await world.send(world.draw.choice(("1+1", "3+2", "batch")))
    await world.check(documents, "tampering")


# --- the machine -----------------------------------------------------------------------------------------------------


async def stop_past_lease(world: World, victim: str) -> None:
    """A gateway's processes are stopped (SIGSTOP) for longer than a lease, and go on."""
    sending = asyncio.create_task(world.send(world.draw.choice(WAYS)))
    await asyncio.sleep(world.draw.random() * 0.2)  # the fault's moment
    process = psutil.Process(world.gateway(victim).process.pid)
    stopped = [process, *process.children(recursive=True)]
    for each in stopped:
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGSTOP)
    await asyncio.sleep(STOP_S)  # the fault's length
    for each in stopped:
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGCONT)
    await world.check(await sending, "SIGSTOP past the lease")


async def wrong_clock_at_start(world: World, victim: str, offset_s: int) -> None:
    """A gateway starts with a wrong clock, takes documents, and starts again with the right one.

    The sender takes them while its peer is down, so that all of its waiting is set by the wrong clock.
    """
    other = "bravo" if victim == "alpha" else "alpha"
    if victim == "alpha":
        await asyncio.to_thread(world.gateway(other).stop)
    world.asks(victim, "clock", str(offset_s))
    await world.start_again(victim)
    documents = await world.send("1+1")
    world.asks(victim, "clock", None)
    await world.start_again(victim)
    if victim == "alpha":
        await world.start_again(other)
    await world.check(documents, "wrong clock at the start")


async def wrong_clock_while_running(world: World, victim: str, offset_s: int) -> None:
    """A gateway's clock jumps while documents are on their way, and jumps back."""
    sending = asyncio.create_task(world.send(world.draw.choice(WAYS)))
    await asyncio.sleep(world.draw.random() * 0.1)  # the fault's moment
    world.asks(victim, "clock", str(offset_s))
    documents = [*await sending, *await world.send("1+1")]
    world.asks(victim, "clock", None)
    await world.check(documents, "wrong clock while running")


async def clock_ahead_of_what_is_kept(world: World) -> None:
    """The receiver starts twice with a clock that is 60 days ahead of all that it keeps, and then with the right one.

    It keeps received documents for a day, and deleted ones for 30. Each start runs retention, and between the two
    somebody reads a document, which the audit log notes by the wrong clock. Afterwards everything is still there.
    """
    fault = "clock 60 days ahead at two starts"
    documents = [*await world.send("batch"), *await world.send("1+1")]
    await world.check(documents, fault)
    of = {document: transfer for transfer, document in (await world.transfers_of(documents)).items()}
    read, deleted = of[documents[0]], of[documents[-1]]
    async with world.both.cleared as api:
        if (await api.delete(f"/inbox/{deleted}")).status_code != httpx.codes.NO_CONTENT:
            raise TrialFailed("clock ahead: a document cannot be deleted")
    world.asks("bravo", "clock", str(AHEAD_S))
    for _ in range(2):
        world.asks("bravo", "tell-at", steps.RETAINED)
        await world.start_again("bravo")
        async with asyncio.timeout(PATIENCE_S):
            while not world.has_reached("bravo"):
                await asyncio.sleep(0.02)  # only the file shows it
        async with world.both.cleared as api:
            await api.get(f"/inbox/{read}/content", params={"edition": "full"})
    world.asks("bravo", "tell-at", None)
    world.asks("bravo", "clock", None)
    await world.start_again("bravo")
    async with world.both.cleared as api:
        restored = await api.post(f"/inbox/{deleted}/restore")
    if restored.status_code != httpx.codes.OK:
        world.note(fault, "lost", f"transfer {deleted} is no longer in the trash")
    found = await world.inbox()
    for document_id, transfer_id in of.items():
        if transfer_id not in found:
            world.note(fault, "lost", f"transfer {transfer_id} is no longer in the inbox")
        else:
            await world.compare(transfer_id, document_id, fault)
    async with httpx.AsyncClient(trust_env=False, verify=NO_TLS) as api:
        ready = (await api.get(f"{world.both.bravo.url}/readyz")).json()
    if ready["clock"] is not None:
        raise TrialFailed(f"clock ahead: the right clock is not believed: {ready['clock']}")


# --- the disk --------------------------------------------------------------------------------------------------------

DISK_BYTES: Final = 128 * 1024**2  # a gateway with less room than half of this says that it is not ready


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A file system of `DISK_BYTES` in `folder`, for the block's length; False where this account may not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["/bin/mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=0700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


async def fill_disk(world: World, folder: Path) -> None:
    """The receiver's disk is full when documents come, and is freed after the receiver has said so."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(65536))
    documents = await world.send(world.draw.choice(("1+1", "3+2", "secure-only")))
    async with asyncio.timeout(PATIENCE_S):
        while not await _waits_or_ended(world, documents):  # the author's view, asked for as a page would
            await asyncio.sleep(0.05)
    filler.unlink()
    await world.check(documents, "full disk")


async def _waits_or_ended(world: World, documents: Sequence[str]) -> bool:
    """Whether each transfer says why it waits, or went through: small ones find room in the database."""
    with contextlib.suppress(httpx.TransportError):
        transfers = [await world.both.transfer(each) for each in await world.transfers_of(documents)]
        return all(each["reason"] or each["state"] == "delivered" for each in transfers)
    return False


# --- the named steps -------------------------------------------------------------------------------------------------

STEPS: Final = [*(("alpha", step) for step in steps.SENDER), *(("bravo", step) for step in steps.RECEIVER)]
"""Each step at which a gateway is killed, and which gateway."""
