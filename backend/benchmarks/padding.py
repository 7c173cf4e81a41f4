"""`make bench-padding`: measures what padding of the secure channel costs, and prints a table for
docs/benchmarks/plain-way.md.

Two gateways in this process, over real sockets and TLS, send the same documents in turns with padding and without, so
that what else the machine does slows both. Ratios are with padding to without: the median of the rounds, and their
quartiles. Processor time is that of both gateways for one transfer, from sending to the receipt.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.machine import machine
from channel_cases import attempt_at, manifest_of
from gateway.two_gateways import RECIPIENT, Pair, paired
from sieve.channel.attempt import Mode, Plan
from sieve.channel.load import Load
from sieve.channel.opening import Opening
from sieve.core.document import Document
from sieve.store.database_from_url import database_from_url


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document: its bytes, how many of them are classified, in how many spans, and how it is sent."""

    size: int
    spans: int
    mode: Mode
    share: float = 0.1

    def document(self) -> Document:
        every = self.size // self.spans
        content = random.Random(self.size).randbytes(self.size)
        return Document(content, [(at * every, at * every + int(every * self.share)) for at in range(self.spans)])

    def bodies(self) -> tuple[int, int]:
        """The bytes of the opening's request without and with padding."""
        manifest = manifest_of(self.document())
        attempt = attempt_at(manifest, 2, self.mode)
        openings = [Opening(Load((manifest,)), replace(attempt, padded=padded)) for padded in (False, True)]
        without, padded = [opening.size + opening.body_size for opening in openings]
        return without, padded


SIZES: Final = ((2_000, 5), (100_000, 20), (1_000_000, 100), (10_000_000, 500))
MODES: Final[tuple[Mode, ...]] = ("sieve", "secure-only")
ALL: Final = [Kind(size, spans, mode) for size, spans in SIZES for mode in MODES]


@dataclass(frozen=True, slots=True)
class Taken:
    """Of one transfer, in ms."""

    cpu: float
    response: float


Rounds = Sequence[Mapping[bool, Taken]]
"""What each round took with padding and without."""


async def measure(rounds: int, folder: Path) -> dict[Kind, Rounds]:
    """The rounds of each kind; the first two warm up and do not count."""
    template = folder / "template" / "sieve.db"
    template.parent.mkdir()
    database = database_from_url(f"sqlite+aiosqlite:///{template}")
    await database.migrate()
    await database.dispose()
    taken: dict[Kind, list[Mapping[bool, Taken]]] = {kind: [] for kind in ALL}
    async with paired(folder, template) as pair:
        for number in range(rounds + 2):
            for kind in ALL:
                # Who is first changes, because the second one finds warmer caches.
                found = {
                    padded: await _sent(pair, kind, padded=padded) for padded in (number % 2 == 0, number % 2 != 0)
                }
                if number >= 2:
                    taken[kind].append(found)
            print(f"round {number - 1} of {rounds}", file=sys.stderr)
    return dict(taken)


async def _sent(pair: Pair, kind: Kind, *, padded: bool) -> Taken:
    pair.alpha.worker.deps = replace(pair.alpha.worker.deps, pads=padded)
    kept = await pair.alpha.keep(kind.document(), pair.anna)
    before = time.process_time()
    [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": [RECIPIENT]}, Plan(kind.mode))
    ended = await pair.alpha.ended(sent.id)
    cpu = (time.process_time() - before) * 1e3
    figures = await pair.alpha.transfer_queue.timings(await pair.alpha.row(sent.id))
    if ended.state != "delivered" or figures is None:
        raise RuntimeError(f"a transfer is {ended.state}: {ended.reason}")
    return Taken(cpu, figures.response)


def _ratio(rounds: Rounds, of: str) -> str:
    low, middle, high = statistics.quantiles(
        (getattr(each[True], of) / getattr(each[False], of) for each in rounds), n=4
    )
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def _lines(about: Mapping[str, Any], taken: Mapping[Kind, Rounds]) -> Iterator[str]:
    load = ", ".join(str(each) for each in about["load_at_start"])
    yield (
        f"{about['cpu']}, {about['cores']} cores, {about['openssl']}, commit {about['commit']}, "
        f"{datetime.now(UTC):%Y-%m-%d}, load at start {load}.\n"
    )
    yield "| document | mode | bytes without | with | more | processor time | ratio | response | ratio |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|--:|"
    for kind, rounds in taken.items():
        without, padded = kind.bodies()
        cells = (
            f"{kind.size:,}",
            kind.mode,
            f"{without:,}",
            f"{padded:,}",
            f"{padded / without - 1:.1%}",
            f"{statistics.median(each[False].cpu for each in rounds):.1f} ms",
            _ratio(rounds, "cpu"),
            f"{statistics.median(each[False].response for each in rounds):.1f} ms",
            _ratio(rounds, "response"),
        )
        yield f"| {' | '.join(cells)} |"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.padding")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        about = machine(Path(folder))
        taken = asyncio.run(measure(options.rounds, Path(folder)))
        print("\n".join(_lines(about, taken)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
