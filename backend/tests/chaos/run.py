"""One run of the trials: how many of each, in which world, and a line of the table for each kind of fault."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chaos import restores, trials
from chaos.world import World, world
from stories.proxies import Proxy

HEAD: Final = "| fault | trials | documents accepted | lost | delivered twice | changed |\n|---|--:|--:|--:|--:|--:|"
TAMPERED_AT_ONCE: Final = 6
VICTIMS: Final = ("alpha", "bravo")


@dataclass(frozen=True)
class Counts:
    """How many faults of each kind to play; `others`: of each further kind."""

    kills: int
    receipts: int
    tamperings: int
    others: int


def line(fault: str, counts: Counter[str]) -> str:
    """The table's line of one kind of fault."""
    cells = (counts[each] for each in ("trials", "documents", "lost", "doubled", "changed"))
    return f"| {fault} | {' | '.join(f'{cell:,}' for cell in cells)} |"


async def play(folder: Path, seed: int, counts: Counts, say: Callable[[str], None]) -> list[str]:
    """Plays every kind of fault, says its lines, and returns a sentence for each broken promise."""
    broken: list[str] = []

    def done(played: World) -> None:
        for fault, of_it in played.book.items():
            say(line(fault, of_it))
        broken.extend(played.broken)

    async with world(folder / "kills", seed) as pair:
        await kills(pair, counts.kills)
    done(pair)
    cutter = trials.ReceiptCutter()
    async with world(folder / "receipts", seed, secure_proxy=Proxy(cutter.pump)) as pair:
        for place in itertools.islice(itertools.cycle(trials.PLACES), counts.receipts):
            await trials.lose_receipt(pair, cutter, place)
    done(pair)
    async with world(folder / "machine", seed) as pair:
        await machine(pair, counts.others)
    done(pair)
    async with world(folder / "ahead", seed, bravo_settings={"SIEVE_RETENTION_DAYS": "1"}) as pair:
        for _ in range(counts.others):
            await trials.clock_ahead_of_what_is_kept(pair)
    done(pair)
    async with world(folder / "restores", seed) as pair:
        for victim in itertools.islice(itertools.cycle(VICTIMS), counts.others):
            await restores.restore(pair, victim)
    done(pair)
    with trials.small_disk(folder / "disk") as mounted:
        if mounted and counts.others:
            async with world(folder / "full", seed, bravo_settings={"SIEVE_BLOBS": str(folder / "disk")}) as pair:
                for _ in range(counts.others):
                    await trials.fill_disk(pair, folder / "disk")
            done(pair)
        elif counts.others:
            say("| full disk: not played, this account may not mount a small file system | | | | | |")
    await tamperings(folder / "tampering", seed, counts.tamperings, done)
    return broken


async def kills(pair: World, count: int) -> None:
    """The first kills are at the named steps, in ways that take turns; the others at random."""
    at_steps = min(count, len(trials.STEPS))
    ways = itertools.cycle(("1+1", "3+2", "batch"))
    for victim, step in trials.STEPS[:at_steps]:
        await trials.kill_at_step(pair, victim, step, next(ways))
    for number in range(count - at_steps):
        match number % 4:
            case 0 | 1:
                await trials.kill_at_random(pair, VICTIMS[number % 4])
            case 2:
                await trials.kill_child(pair, "plain listener")
            case _:
                await trials.kill_child(pair, "reading process")


async def machine(pair: World, count: int) -> None:
    """Stopped processes and wrong clocks, `count` of each."""
    clocks = itertools.cycle(itertools.product(VICTIMS, trials.CLOCKS))
    for number in range(count):
        victim, offset_s = next(clocks)
        await trials.stop_past_lease(pair, VICTIMS[number % 2])
        await trials.wrong_clock_at_start(pair, victim, offset_s)
        await trials.wrong_clock_while_running(pair, victim, offset_s)


async def tamperings(folder: Path, seed: int, count: int, done: Callable[[World], None]) -> None:
    """Documents cross a plain channel that is tampered with, several at once, until so much was done to it."""
    async with world(folder, seed, plain_proxy=Proxy((tampering := trials.Tampering()).pump)) as pair:
        tampering.draw = pair.draw
        while tampering.count < count:
            await asyncio.gather(*(trials.tamper(pair) for _ in range(TAMPERED_AT_ONCE)))
    pair.book[f"{tampering.count:,} changes of plain bytes"] = pair.book.pop("tampering", Counter())
    done(pair)
