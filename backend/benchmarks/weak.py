"""`make bench-weak`: measures gateways on processors without instructions for AES, and writes docs/benchmarks/weak.md.

The processor is this machine's; `OPENSSL_ia32cap` (x86) and `OPENSSL_armcap` (ARM) make OpenSSL do without its
instructions for AES and carry-less multiplication, in the processes in question only. All deployments are up at once
and measured in turns, so that what else the machine does slows all of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from benchmarks.cases import AES_256, MODES, Case, case
from benchmarks.gateways import Gateways, Place, two_gateways
from benchmarks.intervals import figure, ratio
from benchmarks.machine import described, machine
from benchmarks.rounds import shuffled
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.seals import KEY_SIZE, SEAL_KINDS, SealKey, seal
from sieve.demo import documents

WITHOUT_AES: Final = {"OPENSSL_ia32cap": "~0x200000200000000", "OPENSSL_armcap": "0"}
CHACHA20: Final = "TLS_CHACHA20_POLY1305_SHA256"
PAGE: Final = Path(__file__).parents[2] / "docs" / "benchmarks" / "weak.md"
MB: Final = 10**6
TLS_RECORD: Final = 16 * 1024
SLOWED: Final = 0.5
PATIENCE_S: Final = 60.0

Point: TypeAlias = tuple[str, int, float, str]
"""Machines, x, P and mode."""

TARGETS: Final = {(10, 0.1): 50.0, (10, 0.5): 25.0, (1, 0.1): 0.0}
"""Improvement of the response, in per cent, by x and P, wherever a machine is weak."""
MOST_OF_ENCRYPTING: Final = {"weak": 25.0, "strong": 75.0}
"""What the seal may cost, in per cent of encrypting the same bytes."""

HEAD: Final = """\
# Machines that are slow at AES

`make bench-weak` writes this page. *Weak* means: OpenSSL does without the processor's instructions for AES and
carry-less multiplication (`OPENSSL_ia32cap`), in one gateway's processes or in both's. The gateways chose their cipher
suite and seal themselves ([decision 43](../adr/0043-the-seal-follows-the-hardware.md)), so secure-only has the best
suite of each machine: ChaCha20-Poly1305 wherever one is weak.
"""
COSTS: Final = """
## What a seal costs beside encrypting

Processor time for 10 MB: seals of chunks of 2 MiB, encryption of records of 16 KiB. The last two columns compare the
seal and the suite that a gateway chooses there.
"""
TRANSFERS: Final = f"""
## Transfers

Mean response over kept-open channels, with the 95 % interval; improvement of sieve over secure-only in the same run, in
turns. "Not decided" means that the interval contains the target. A slowed sender has {100 * SLOWED:.0f} % less time on
its processor.

**Why 50 % is out of reach where only AES is slow.** The target is from the time when secure-only encrypted with AES,
which takes a weak processor 36 ms for 10 MB. It chooses ChaCha20-Poly1305 now, which takes 8. If sieve saves that at
both ends for the 90 % that are plain, less 2 ms for each seal, that is 11 ms of the 34 ms that secure-only takes with
both weak: a third. What is measured beyond comes from sending over two channels at once. The rest of either mode is
copying, hashing and writing ([the lower limit](plain-way.md#the-lower-limit)). A processor that is also slow at
everything else gains more.
"""


@dataclass(frozen=True, slots=True)
class Machines:
    """Two gateways, and which of them are weak. `slowed`: the sender has so much less of its processor."""

    name: str
    senders: Mapping[str, str] = field(default_factory=dict)
    receivers: Mapping[str, str] = field(default_factory=dict)
    slowed: float = 0.0

    @property
    def is_weak(self) -> bool:
        return bool(self.senders or self.receivers)

    def case(self, x: int, p: float, mode: str) -> Case:
        return case("weak", x, p, mode, cipher=CHACHA20 if self.is_weak else AES_256, slowed=self.slowed)


DEPLOYMENTS: Final = (
    Machines("both strong"),
    Machines("weak sender", senders=WITHOUT_AES),
    Machines("weak receiver", receivers=WITHOUT_AES),
    Machines("both weak", senders=WITHOUT_AES, receivers=WITHOUT_AES),
    Machines("weak and slowed sender", senders=WITHOUT_AES, slowed=SLOWED),
)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weak")
    parser.add_argument("--rounds", type=int, default=30, help="transfers of each point")
    parser.add_argument(
        "--primitives", action="store_true", help="print what seals and encryption cost in this process"
    )
    options = parser.parse_args()
    if options.primitives:
        print(json.dumps(primitives()))
        return 0
    costs = {"strong": _primitives_in({}), "weak": _primitives_in(WITHOUT_AES)}
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(machine(Path(folder)), costs, measure(options.rounds, Path(folder))))
    print(f"{PAGE} written")
    return 0


def primitives(rounds: int = 40) -> dict[str, float]:
    """Milliseconds of processor time for 10 MB, medians of runs in turn: seals, and encryption as TLS does it."""
    chunk, record, nonce = os.urandom(MAX_CHUNK), os.urandom(TLS_RECORD), bytes(12)
    work: dict[str, tuple[Callable[[], object], int]] = {}
    for kind in SEAL_KINDS:
        key = SealKey(os.urandom(KEY_SIZE), kind)
        work[f"seal {kind}"] = (lambda key=key: seal(key, 0, 0, chunk)), MAX_CHUNK  # type: ignore[misc]
    for name, aead in (("aes-256-gcm", AESGCM), ("chacha20-poly1305", ChaCha20Poly1305)):
        cipher = aead(os.urandom(32))
        work[f"encrypt {name}"] = (lambda cipher=cipher: cipher.encrypt(nonce, record, b"head!")), TLS_RECORD  # type: ignore[misc]
    taken: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, (run, size) in work.items():
            times = 2 * MAX_CHUNK // size
            begun = time.process_time_ns()
            for _ in range(times):
                run()
            taken[name].append((time.process_time_ns() - begun) / 1e6 * 10 * MB / (times * size))
    return {name: statistics.median(values) for name, values in taken.items()}


def _primitives_in(environment: Mapping[str, str]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.weak", "--primitives"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def measure(rounds: int, folder: Path) -> dict[Point, list[float]]:
    """The responses in ms of each point, in turns; the first round warms up and does not count."""
    taken: dict[Point, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        running: list[tuple[Machines, Gateways, dict[tuple[int, float], str]]] = []
        for number, machines in enumerate(DEPLOYMENTS):
            place = Place(its=machines.receivers, senders=machines.senders)
            at = folder / str(number)
            at.mkdir()
            gateways = stack.enter_context(two_gateways(at, place))
            uploaded = {(x, p): gateways.upload(documents.x_mb(x, p), f"{x}MB-{p}") for x, p in TARGETS}
            running.append((machines, gateways, uploaded))
        for number in range(rounds + 1):
            for machines, gateways, uploaded in shuffled(running):
                for (x, p), mode in shuffled((xp, mode) for xp in TARGETS for mode in MODES):
                    sample = gateways.send(machines.case(x, p, mode), [uploaded[x, p]], PATIENCE_S)
                    if number and sample["attempts"] == 1:
                        taken[machines.name, x, p, mode].append(sample["timings"]["response"])
                gateways.empty_inbox()
            print(f"round {number} of {rounds}", file=sys.stderr)
    return taken


def page(about: Mapping[str, Any], costs: Mapping[str, Mapping[str, float]], taken: Mapping[Point, list[float]]) -> str:
    """The page, in Markdown."""
    return "\n".join([*_head(about), *_costs(costs), *_transfers(taken)]) + "\n"


def _head(about: Mapping[str, Any]) -> Iterator[str]:
    yield HEAD
    yield described(about)


def _costs(costs: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield COSTS
    yield "| machine | GMAC | Poly1305 | AES-256-GCM | ChaCha20-Poly1305 | seal / encrypting | at most |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name, cost in costs.items():
        kind = "chacha20-poly1305" if name == "weak" else "aes-256-gcm"
        part = 100 * cost[f"seal {kind}"] / cost[f"encrypt {kind}"]
        cells = (
            f"{cost[each]:.2f} ms"
            for each in (
                "seal aes-256-gcm",
                "seal chacha20-poly1305",
                "encrypt aes-256-gcm",
                "encrypt chacha20-poly1305",
            )
        )
        yield f"| {name} | {' | '.join(cells)} | {part:.0f} % | {MOST_OF_ENCRYPTING[name]:.0f} % |"


def _transfers(taken: Mapping[Point, list[float]]) -> Iterator[str]:
    yield TRANSFERS
    yield "| machines | document | secure-only | sieve | improvement | at least | |"
    yield "|---|---|--:|--:|--:|--:|---|"
    for machines in DEPLOYMENTS:
        for (x, p), bound in TARGETS.items():
            sieve, secure = (figure(taken[machines.name, x, p, mode]) for mode in MODES)
            value, half = ratio(sieve, secure)
            improvement = 100 * (1 - value)
            asked = f"{bound:.0f} %" if machines.is_weak else ""
            holds = _verdict(improvement, 100 * (half or 0), bound) if machines.is_weak else ""
            yield (
                f"| {machines.name} | {x}MB-{100 * p:.0f} | {secure.mean:.1f} ± {secure.ci95 or 0:.1f} ms "
                f"| {sieve.mean:.1f} ± {sieve.ci95 or 0:.1f} ms | {improvement:.0f} ± {100 * (half or 0):.0f} % "
                f"| {asked} | {holds} |"
            )


def _verdict(improvement: float, half: float, bound: float) -> str:
    """`half`: of the 95 % interval, in which the truth lies on either side of what was measured."""
    if abs(improvement - bound) < half:
        return "not decided"
    return "yes" if improvement >= bound else "no"


if __name__ == "__main__":
    sys.exit(main())
