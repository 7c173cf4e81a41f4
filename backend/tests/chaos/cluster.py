"""`make chaos-cluster`: plays faults of a cluster, prints what came of them as a table, and exits with 1 if a promise
was broken. See `chaos.cluster_world`.
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import psutil
from scripts.producers import Missing

from chaos.cluster_world import PATIENCE_S, ClusterWorld, cluster_world
from chaos.take_overs import TakeOver, cells, now_ns
from chaos.world import TrialFailed
from stories.replicated import Replicated

HEAD: Final = (
    "| fault | times | documents accepted | lost | delivered twice | changed | taken over "
    "| claimed after: median, most | delivered after: median, most |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)
AWAY_S: Final = 3.0
"""How long a server is away at most, in addition to its start."""
SENDS_S: Final = 0.1
"""How long a replica lives at most after the claim that chose it to die."""
CRASH_OR_END: Final = cycle((signal.SIGQUIT, signal.SIGINT))


@dataclass(frozen=True)
class Fault:
    """`seconds`: about how long one takes, to share the time between them."""

    name: str
    strike: Callable[[ClusterWorld], Coroutine[Any, Any, None]]
    times: int
    seconds: float


# --- the faults ------------------------------------------------------------------------------------------------------


async def kill_sender(world: ClusterWorld) -> None:
    """A replica of the sending gateway dies while it holds transfers, and is started again."""
    side, found = world.them.alpha, False
    while not found:
        number = await world.take_overs.sender(world.draw)
        await asyncio.sleep(world.draw.random() * SENDS_S)  # the fault's moment
        process = side.replicas[number].process
        # Stopped, so that it can end none of them between the look and its death.
        process.send_signal(signal.SIGSTOP)
        if not await world.take_overs.held(number):
            process.send_signal(signal.SIGCONT)
            continue
        at_ns = now_ns()
        await _kill(side, number)
        found = await world.take_overs.note_kill(number, at_ns)
        await world.start_again(side, number)


async def kill_receiver(world: ClusterWorld) -> None:
    """The replica dies that nginx chose for the sending gateway, and is started again."""
    side = world.them.bravo
    number = max(range(len(side.replicas)), key=partial(_connections, side))
    await _kill(side, number)
    await world.start_again(side, number)


async def _kill(side: Replicated, number: int) -> None:
    process = side.replicas[number].process
    process.kill()
    await asyncio.to_thread(process.wait, PATIENCE_S)


def _connections(side: Replicated, number: int) -> int:
    """How many connections of peers it has."""
    port = int(side.binds[number]["secure"].rpartition(":")[2])
    try:
        found = psutil.Process(side.replicas[number].process.pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return -1
    return sum(each.status == psutil.CONN_ESTABLISHED and each.laddr.port == port for each in found)


async def restart_database(world: ClusterWorld) -> None:
    """PostgreSQL crashes, or ends in order, and is started again."""
    await asyncio.to_thread(world.database.halt, next(CRASH_OR_END))
    await asyncio.sleep(world.draw.random() * AWAY_S)  # the fault's length
    await asyncio.to_thread(world.database.run)


async def cut_store(world: ClusterWorld) -> None:
    """The S3 server is killed, and started again."""
    await asyncio.to_thread(world.store.halt)
    await asyncio.sleep(world.draw.random() * AWAY_S)  # the fault's length
    await asyncio.to_thread(world.store.run)


async def reload_balancers(world: ClusterWorld) -> None:
    """Both nginx read their configuration again: new workers take new connections."""
    for front in world.fronts.values():
        front.process.send_signal(signal.SIGHUP)
        await asyncio.sleep(world.draw.random())  # the next fault's moment


async def restart_replicas(world: ClusterWorld) -> None:
    """All replicas end in order and are started again, one after the other, as for an upgrade."""
    for side in (world.them.alpha, world.them.bravo):
        for number, one in enumerate([*side.replicas]):
            await asyncio.to_thread(one.stop)
            await world.start_again(side, number)


# --- a run -----------------------------------------------------------------------------------------------------------


def faults(kills: int, others: int) -> Sequence[Fault]:
    """What is played. `kills`: of replicas, in all. `others`: of each further kind."""
    return (
        Fault("kill of a sending replica", kill_sender, kills - kills // 2, 10),
        Fault("kill of the receiving replica", kill_receiver, kills // 2, 10),
        Fault("restart of PostgreSQL", restart_database, others, 8),
        Fault("kill of the S3 server", cut_store, others, 15),
        Fault("reload of nginx", reload_balancers, others, 3),
        Fault("restart of all replicas in turn", restart_replicas, -(-others // 4), 45),
    )


def line(fault: str, counts: Counter[str], taken_over: Sequence[TakeOver] | None) -> str:
    """The table's line of one fault."""
    counted = [f"{counts[each]:,}" for each in ("trials", "documents", "lost", "doubled", "changed")]
    return f"| {fault} | {' | '.join([*counted, *cells(taken_over)])} |"


async def play(
    world: ClusterWorld, played: Sequence[Fault], say: Callable[[str], None], *, seconds: float | None = None
) -> None:
    """Plays the faults, one kind after the other, and says the line of each. `seconds`: how long at most, with about a
    fifth of it for the checks; what does not fit is left out.
    """
    now = asyncio.get_running_loop().time
    until = None if seconds is None else now() + seconds * 0.8
    for number, fault in enumerate(played):
        if not fault.times:
            continue
        # The time that is left is shared with the kinds that follow; each is played once at least.
        left = sum(each.times * each.seconds for each in played[number:])
        share = None if until is None else now() + (until - now()) * fault.times * fault.seconds / left
        for at in range(fault.times):
            if at and share is not None and now() > share:
                break
            await world.under_load(fault.name, fault.strike(world))
        await world.check(fault.name)
        if fault.strike is kill_sender:
            await world.check_take_overs(fault.name)
        say(line(fault.name, world.book[fault.name], world.take_overs.of.get(fault.name)))
    # No later fault changed a receipt.
    await world.check_receipts("the whole run")


async def run(folder: Path, seed: int, played: Sequence[Fault], seconds: float | None) -> list[str]:
    """Plays in a new world; returns a sentence for each broken promise."""
    async with cluster_world(folder, seed) as world:
        try:
            await play(world, played, lambda line: print(line, flush=True), seconds=seconds)
        except* (TrialFailed, TimeoutError, RuntimeError) as failures:
            world.broken += [f"the run ended early: {each!r}" for each in failures.exceptions]
    return world.broken


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos-cluster CHAOS_ARGS=", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the faults follow from (default 1)")
    parser.add_argument("--kills", type=int, default=20, help="SIGKILLs of replicas in all (default 20)")
    parser.add_argument("--others", type=int, default=4, help="faults of each further kind (default 4)")
    parser.add_argument("--minutes", type=float, help="leave out what does not fit into this time")
    asked = parser.parse_args()
    began = time.monotonic()
    print(f"seed {asked.seed}\n\n{HEAD}", flush=True)
    seconds = None if asked.minutes is None else asked.minutes * 60
    try:
        with tempfile.TemporaryDirectory(prefix="sieve-chaos-") as folder:
            broken = asyncio.run(run(Path(folder), asked.seed, faults(asked.kills, asked.others), seconds))
    except Missing as missing:
        print(f"make chaos-cluster: {missing}", file=sys.stderr)
        return 2
    print(f"\n{time.monotonic() - began:.0f} s", flush=True)
    for sentence in broken:
        print(f"make chaos-cluster: {sentence}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
