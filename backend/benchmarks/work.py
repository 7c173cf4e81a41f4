"""`make bench-work`: measures the processor time of one small transfer, and the rate of many, and writes
docs/benchmarks/work.md. Both are ratios to bare exchanges with the same packages.

The two gateways and the two processes of the bare exchange are up at once and measured in turns, so that what else the
machine does slows both.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.arrivals import BATCH, DOCUMENT_BYTES, P, at_rate, due, upload
from benchmarks.cases import case
from benchmarks.framework_baseline import FrameworkBaseline, framework_baseline
from benchmarks.gateways import Gateways, two_gateways
from benchmarks.intervals import Figure, figure
from benchmarks.machine import described, machine
from benchmarks.watching import cpu_s
from benchmarks.written_page import print_or_write
from sieve.cli.lab import open_loop

PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "work.md"
RATE_PER_S: Final = 40.0
LOAD_S: Final = 4.0
IDLE_EACH: Final = 8
"""Transfers, and exchanges, in each round while nothing else happens."""
OFFERED_PER_S: Final = {"one by one": 500.0, "in batches": 1000.0, "bare": 1500.0}
"""More than any of them takes."""
OVERLOAD_S: Final = 3.0
RATE_TARGETS: Final = {"one by one": 0.45, "in batches": 1.5}
TARGETS: Final = {"under load": 2.2, "one at a time": 2.8}

HEAD: Final = f"""\
# The processor time of one small transfer

`make bench-work` writes this page. A document of {DOCUMENT_BYTES:,} bytes, {P:.0%} of them classified, goes
from one gateway to another. The processor time is that of all processes of both gateways, from the author's
request to the receipt. Beside it is a *bare exchange*: one request that is stored, passed on over TLS 1.3 and
stored there, with the packages that the product uses and nothing of the product
(`backend/benchmarks/framework_baseline.py`). Both are measured in turns in one run. Compare the ratios, since
the machine's speed changes. [Where the time goes](work-profile.md) is a page of its own.
"""
RATES: Final = f"""
## Rates

What is delivered a second while more is offered than either takes, for {OVERLOAD_S:.0f} s at a time, in turns; batches
are of {BATCH} documents. The program that offers it runs on the same processors.
"""


@dataclass(frozen=True, slots=True)
class Rates:
    """Documents, or exchanges, a second, while more are offered."""

    sieve: dict[str, float]
    bare: float


@dataclass(frozen=True, slots=True)
class Round:
    """Milliseconds of processor time for one transfer, by gateway, and for one bare exchange."""

    sender: float
    receiver: float
    bare: float

    @property
    def ratio(self) -> float:
        return (self.sender + self.receiver) / self.bare


@dataclass(frozen=True, slots=True)
class Taken:
    """`rounds`: by name of the condition."""

    rounds: dict[str, list[Round]]
    rates: list[Rates]


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.work")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--print", action="store_true", help="print the table and leave the page as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        about = machine(Path(folder))
        taken = measure(options.rounds, Path(folder))
        text = "\n".join([*_head(about), *_table(taken.rounds), *_rates(taken.rates)]) + "\n"
    print_or_write(text, PAGE, only_print=options.print)
    return 0


def measure(rounds: int, folder: Path) -> Taken:
    """The first round warms up and does not count."""
    taken = Taken({name: [] for name in TARGETS}, [])
    with ExitStack() as stack:
        gateways = stack.enter_context(two_gateways(folder))
        bare = stack.enter_context(framework_baseline(folder / "bare", folder / "identities" / "bravo"))
        document_ids = upload(gateways)
        for number in range(rounds + 1):
            found = {
                "under load": _under_load(gateways, bare, document_ids),
                "one at a time": _one_at_a_time(gateways, bare, document_ids),
            }
            rates = _overloaded(gateways, bare, document_ids)
            if number:
                taken.rates.append(rates)
                for name, each in found.items():
                    taken.rounds[name].append(each)
                    print(f"round {number} of {rounds}: {name} {each.ratio:.2f}", file=sys.stderr)
    return taken


def _under_load(gateways: Gateways, bare: FrameworkBaseline, document_ids: list[str]) -> Round:
    before = _gateways_cpu_s(gateways)
    step = at_rate(gateways, document_ids, "sieve", 1, RATE_PER_S, LOAD_S)
    after = _gateways_cpu_s(gateways)
    delivered = len(step.latency_ms)
    exchanges_before = cpu_s(bare.watched)
    exchanges = _exchanges(bare, RATE_PER_S, LOAD_S)
    _wait_until_idle(lambda: cpu_s(bare.watched))
    return Round(
        sender=(after["sender"] - before["sender"]) * 1e3 / delivered,
        receiver=(after["receiver"] - before["receiver"]) * 1e3 / delivered,
        bare=(cpu_s(bare.watched) - exchanges_before) * 1e3 / exchanges,
    )


def _exchanges(bare: FrameworkBaseline, rate_per_s: float, for_s: float) -> int:
    """Requests bare exchanges at random times; how many were answered, after the last answer."""
    address = f"{bare.client.base_url.host}:{bare.client.base_url.port}"
    head = f"POST /send HTTP/1.1\r\nHost: {address}\r\nContent-Length: {DOCUMENT_BYTES}\r\n\r\n"
    sent = asyncio.run(open_loop.send(address, due([head.encode() + bytes(DOCUMENT_BYTES)], rate_per_s, for_s)))
    return sum(answer is not None for answer in sent.answers)


def _overloaded(gateways: Gateways, bare: FrameworkBaseline, document_ids: list[str]) -> Rates:
    sieve = {
        name: at_rate(gateways, document_ids, "sieve", batch, OFFERED_PER_S[name], OVERLOAD_S).delivered_per_s
        for name, batch in (("one by one", 1), ("in batches", BATCH))
    }
    began = time.perf_counter()
    exchanges = _exchanges(bare, OFFERED_PER_S["bare"], OVERLOAD_S)
    # The sender answers before the exchange, so the last ones end later.
    _wait_until_idle(lambda: cpu_s(bare.watched))
    return Rates(sieve, exchanges / (time.perf_counter() - began))


def _one_at_a_time(gateways: Gateways, bare: FrameworkBaseline, document_ids: Sequence[str]) -> Round:
    """Medians of `IDLE_EACH` transfers and exchanges in turns."""
    of = case("throughput", 1, P, "sieve")
    sender, receiver, alone = [], [], []
    for document_id in document_ids[:IDLE_EACH]:
        taken = gateways.send(of, [document_id])["cpu_s"]
        sender.append(taken["sender"] * 1e3)
        receiver.append(taken["receiver"] * 1e3)
        alone.append(bare.cpu_ms())
    return Round(statistics.median(sender), statistics.median(receiver), statistics.median(alone))


def _wait_until_idle(cpu: Callable[[], float]) -> None:
    """Waits until a process uses no more than 1 ms in 50: the last exchanges may be on their way."""
    before = cpu()
    while True:
        time.sleep(0.05)
        if (now := cpu()) - before < 1e-3:
            return
        before = now


def _gateways_cpu_s(gateways: Gateways) -> dict[str, float]:
    return {side: cpu_s(watched) for side, watched in gateways.watched.items()}


def _head(about: Mapping[str, Any]) -> Iterator[str]:
    yield HEAD
    yield described(about) + "\n"


def _table(taken: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    yield "| | sender | receiver | bare exchange | ratio | range of rounds | at most | |"
    yield "|---|--:|--:|--:|--:|--:|--:|---|"
    for name, bound in TARGETS.items():
        rounds = taken[name]
        ratios = [each.ratio for each in rounds]
        about = figure(ratios)
        cells = (
            f"{statistics.mean(side):.2f} ms"
            for side in zip(*((r.sender, r.receiver, r.bare) for r in rounds), strict=True)
        )
        holds = "yes" if about.mean <= bound else "no"
        label = f"{RATE_PER_S:.0f} a second" if name == "under load" else name
        measured = f"**{about.mean:.2f}**{_half(about)} | {min(ratios):.2f}-{max(ratios):.2f}"
        yield f"| {label} | {' | '.join(cells)} | {measured} | {bound} | {holds} |"


def _rates(taken: Sequence[Rates]) -> Iterator[str]:
    yield RATES
    yield "| | documents a second | bare exchanges a second | ratio | range of rounds | at least | |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    bare = statistics.mean(each.bare for each in taken)
    for name, bound in RATE_TARGETS.items():
        ratios = [each.sieve[name] / each.bare for each in taken]
        about = figure(ratios)
        holds = "yes" if about.mean >= bound else "no"
        yield (
            f"| {name} | {statistics.mean(each.sieve[name] for each in taken):.0f} | {bare:.0f} "
            f"| **{about.mean:.2f}**{_half(about)} | {min(ratios):.2f}-{max(ratios):.2f} | {bound} | {holds} |"
        )


def _half(about: Figure) -> str:
    return "" if about.ci95 is None else f" ± {about.ci95:.2f}"


if __name__ == "__main__":
    sys.exit(main())
