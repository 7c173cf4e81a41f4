"""`make bench-cluster`: measures gateways of one, two and three replicas on PostgreSQL and an S3 store beside gateways
on SQLite and a folder, and what an author notices when a replica dies, and writes docs/benchmarks/cluster.md.

All of them are up at once and measured in turns. On a machine with two cores everything shares the processors, so the
ratios say what a replica costs, not what more machines would gain. For that, the page has a bound that is computed.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import psutil

from benchmarks import s3_costs
from benchmarks.intervals import Figure, figure
from benchmarks.machine import described, machine
from benchmarks.watching import cpu_s, processes
from benchmarks.written_page import print_or_write
from postgres_server import PostgresServer
from s3_server import S3Server
from sieve import demo
from sieve.store.postgres_objects import UNITS
from stories.pair import client, pair
from stories.replicated import Cluster, blob_server, cluster, database_server, send, state

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "cluster.md"
DOCUMENTS: Final = 60
"""In each round."""
AT_ONCE: Final = 8
"""Requests of authors."""
TEXT: Final = b"Berth <$S>" + b"0123456789" * 500 + b"<$E> opens. " + b"all else is plain. " * 262
"""10 KB, half of it classified."""
REPLICAS: Final = (1, 2, 3)
FOLDER: Final = "SQLite and a folder"
REQUESTS: Final = 200
"""Of an author, before and after a replica dies."""
MACHINES: Final = (2, 4, 8)
UNIT_MS: Final = (1, 2, 5, 10)
"""What a unit of the writer may take, with its commit."""
DURABLE: Final = {"fsync": "on", "full_page_writes": "on"}

HEAD: Final = f"""\
# Several replicas

`make bench-cluster` writes this page. Documents of {len(TEXT):,} bytes, half of them classified, go from one gateway
to another. Both gateways have as many replicas as the table says, on one PostgreSQL server (with synced commits) and
one S3 server (SeaweedFS), or are one process each on SQLite and a folder. All are up at once and measured in turns:
{DOCUMENTS} documents in each round, of which authors upload and send {AT_ONCE} at a time, at each replica in turn. A
rate counts from the first request to the last receipt. The processor time is that of the gateways' processes, without
the servers.
"""


@dataclass(frozen=True, slots=True)
class Round:
    """`rate`: documents a second; `cpu_ms`: processor time of both gateways for one document; `units`: how many units
    the writer of each gateway commits for one, where a server counts them."""

    rate: float
    cpu_ms: float
    units: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Setup:
    """Two gateways: the author's clients, one for each replica, all processes, and the server of the databases."""

    name: str
    authors: Sequence[httpx.AsyncClient]
    watched: Sequence[psutil.Process]
    database: PostgresServer | None = None

    async def round(self, number: int) -> Round:
        """Sends the documents of one round."""
        turn = asyncio.Semaphore(AT_ONCE)
        units = await self._units()
        before, began = cpu_s([*self.watched]), time.monotonic()

        async def one(at: int) -> None:
            api = self.authors[at % len(self.authors)]
            async with turn:
                transfer = await send(api, TEXT, f"{number}-{at}.txt")
            # As a browser does: the stream ends with the transfer.
            async with api.stream("GET", f"/transfers/{transfer}/events") as events:
                async for _ in events.aiter_lines():
                    pass
            if (found := await state(api, transfer)) != "delivered":
                raise RuntimeError(f"a transfer is {found}")

        await asyncio.gather(*(one(at) for at in range(DOCUMENTS)))
        lasted_s = time.monotonic() - began
        cpu_ms = (cpu_s([*self.watched]) - before) * 1e3 / DOCUMENTS
        by_gateway = {name: (after - units[name]) / DOCUMENTS for name, after in (await self._units()).items()}
        return Round(DOCUMENTS / lasted_s, cpu_ms, by_gateway)

    async def _units(self) -> dict[str, int]:
        """How many units the replicas of each gateway have committed."""
        found = {}
        if self.database is not None:
            for name in demo.NAMES:
                connection = await self.database.connect(name)
                found[name] = int(await connection.fetchval(f"SELECT sum(unit) FROM {UNITS}"))  # noqa: S608 -- a constant table
                await connection.close()
        return found


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--print", action="store_true", help="print the page and leave the file as it is")
    parser.add_argument("--only-costs", action="store_true", help="print only what documents cost in the S3 store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sieve-cluster-") as folder:
        about = machine(Path(folder))
        if options.only_costs:
            costs = asyncio.run(_costs(Path(folder)))
            print_or_write("\n".join(s3_costs.section(costs)) + "\n", PAGE, only_print=True)
            return 0
        rounds, waits = asyncio.run(measure(options.rounds, Path(folder)))
        costs = asyncio.run(_costs(Path(folder)))
    measured = [*_head(about), *_rates(rounds), *_on_more_machines(rounds, about), *_deaths(waits)]
    print_or_write("\n".join([*measured, *s3_costs.section(costs)]) + "\n", PAGE, only_print=options.print)
    return 0


async def measure(rounds: int, folder: Path) -> tuple[dict[str, list[Round]], dict[str, list[float]]]:
    """The rounds of each setup, and how long the author's requests took, in milliseconds, with all replicas and while
    one dies. The first round warms up and does not count."""
    taken: dict[str, list[Round]] = {}
    async with AsyncExitStack() as stack:
        store = stack.enter_context(blob_server())
        setups = [await _on_a_folder(stack, folder / "one")]
        largest: Cluster | None = None
        for replicas in REPLICAS:
            database = stack.enter_context(database_server(**DURABLE))
            largest = await _replicated(stack, folder / f"{replicas}", database, store, replicas, setups)
        for number in range(rounds + 1):
            for setup in setups:
                found = await setup.round(number)
                if number:
                    taken.setdefault(setup.name, []).append(found)
                    print(f"round {number} of {rounds}: {setup.name}: {found.rate:.1f}/s", file=sys.stderr)
        if largest is None:
            raise AssertionError("no replicas were measured")
        return taken, await _while_one_dies(largest)


async def _costs(folder: Path) -> list[s3_costs.Cost]:
    with blob_server() as store, database_server(**DURABLE) as database:
        return await s3_costs.measure(folder / "costs", database, store)


async def _on_a_folder(stack: AsyncExitStack, folder: Path) -> Setup:
    both = await stack.enter_async_context(pair(folder))
    author = await stack.enter_async_context(both.author)
    return Setup(FOLDER, [author], _all_processes([both.alpha, both.bravo]))


async def _replicated(
    stack: AsyncExitStack, folder: Path, database: PostgresServer, store: S3Server, replicas: int, setups: list[Setup]
) -> Cluster:
    folder.mkdir()
    store.make_bucket(f"documents-{replicas}")
    them = await stack.enter_async_context(
        cluster(folder, database, store, replicas=replicas, bucket=f"documents-{replicas}")
    )
    authors = [await stack.enter_async_context(them.at_alpha(number)) for number in range(replicas)]
    name = "PostgreSQL and S3, " + ("1 replica" if replicas == 1 else f"{replicas} replicas")
    setups.append(Setup(name, authors, _all_processes([*them.alpha.replicas, *them.bravo.replicas]), database))
    return them


def _all_processes(gateways: Sequence[demo.Running]) -> list[psutil.Process]:
    return [process for gateway in gateways for process in processes(gateway.process.pid)]


async def _while_one_dies(them: Cluster) -> dict[str, list[float]]:
    """An author sends one document after the other, as through a balancer: at each replica in turn, and at the next one
    if that does not answer."""
    waits: dict[str, list[float]] = {}
    clients = [client(replica, them.author) for replica in them.alpha.replicas]
    for name in ("with all replicas", "while one dies"):
        waits[name] = []
        for number in range(REQUESTS):
            if name == "while one dies" and number == REQUESTS // 2:
                them.alpha.replicas[0].process.kill()
            began = time.monotonic()
            await _at_one_that_answers(clients, number)
            waits[name].append((time.monotonic() - began) * 1e3)
    for api in clients:
        await api.aclose()
    return waits


async def _at_one_that_answers(clients: Sequence[httpx.AsyncClient], number: int) -> None:
    for other in range(len(clients)):
        try:
            await send(clients[(number + other) % len(clients)], TEXT, f"death-{number}.txt")
        except httpx.TransportError:
            continue
        return
    raise RuntimeError("no replica answers")


def _head(about: Mapping[str, Any]) -> Iterator[str]:
    yield HEAD
    yield described(about) + "\n"


def _rates(taken: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    yield "| both gateways | documents a second | as a ratio | processor time for one | as a ratio |"
    yield "|---|--:|--:|--:|--:|"
    first = taken[FOLDER]
    for name, rounds in taken.items():
        rates = figure([each.rate / base.rate for each, base in zip(rounds, first, strict=True)])
        costs = figure([each.cpu_ms / base.cpu_ms for each, base in zip(rounds, first, strict=True)])
        yield (
            f"| {name} | {statistics.mean(each.rate for each in rounds):.1f} | {_shown(rates)} | "
            f"{statistics.mean(each.cpu_ms for each in rounds):.1f} ms | {_shown(costs)} |"
        )
    yield ""
    yield "Ratios are means over the rounds, with the 95 % interval, to SQLite and a folder in the same round."


def _on_more_machines(taken: Mapping[str, Sequence[Round]], about: Mapping[str, Any]) -> Iterator[str]:
    name, rounds = list(taken.items())[-1]
    units = {each: statistics.mean(one.units[each] for one in rounds) for each in demo.NAMES}
    yield from more_machines(name, statistics.mean(each.cpu_ms for each in rounds), about["cores"], units)


def more_machines(name: str, cpu_ms: float, cores: int, units: Mapping[str, float]) -> Iterator[str]:
    """The section about machines that were not there. `name`: the setup with the processor time `cpu_ms` for one
    document; `units`: of one document, at each gateway."""
    alpha, bravo = (f"{units[each]:.1f}" for each in demo.NAMES)
    yield f"""
## On more machines: computed, not measured

Two things limit how many documents a second the replicas of two gateways send and receive together. One is the
processors. The other is the [one writer](../adr/0051-postgresql-keeps-one-writer.md) of each gateway's database: the
units of [all replicas](../adr/0063-replicas-share-the-database-and-elect-a-leader.md) wait for one lock, so [the server
commits them one after the other](../adr/0058-replicas-need-an-owner-for-each-state.md). No number of replicas gets more
than

    documents/s <= min(cores / processor time of one document, 1 / (units of one document * time of a unit))

The processor time is {cpu_ms:.1f} ms, as above with {name}. One document takes {alpha} units of the
sender's writer and {bravo} of the receiver's (counted, with heartbeats); the larger number limits. The machines have
{cores} cores of this kind and run the replicas of both gateways; the servers and the balancer have others. A unit takes
what the server needs for its statements and for one synced write (`pg_test_fsync` measures that). Documents a second:

| machines | by processors alone | {" | ".join(f"units of {each} ms" for each in UNIT_MS)} |
|--:|--:|{"--:|" * len(UNIT_MS)}"""
    most = max(units.values())
    for machines in MACHINES:
        by_processors = machines * cores * 1e3 / cpu_ms
        bounds = [min(by_processors, 1e3 / (most * each)) for each in UNIT_MS]
        yield f"| {machines} | {by_processors:.0f} | {' | '.join(f'{each:.0f}' for each in bounds)} |"
    yield """
A column that does not grow from row to row is limited by the writer: there a faster disk of the database helps, and no
further machine."""


def _shown(about: Figure) -> str:
    return f"{about.mean:.2f}" + ("" if about.ci95 is None else f" ± {about.ci95:.2f}")


def _deaths(waits: Mapping[str, Sequence[float]]) -> Iterator[str]:
    yield f"""
## When a replica dies

An author uploads and sends {REQUESTS} documents one after the other at three replicas in turn, as through a balancer
that goes on to the next one if a replica does not answer. Half-way, one of them is killed. Times of both requests
together:

| | median | p99 | longest |
|---|--:|--:|--:|"""
    for name, found in waits.items():
        ordered = sorted(found)
        p99 = ordered[round(0.99 * (len(ordered) - 1))]
        yield f"| {name} | {statistics.median(found):.0f} ms | {p99:.0f} ms | {ordered[-1]:.0f} ms |"


if __name__ == "__main__":
    sys.exit(main())
