"""Measures the modes beside each other, on two gateways that this module starts.

All cases take turns in each round, in random order, so that what else the machine does slows all of them.
Invariant: every time comes from the gateway's own timing marks, and nobody asks about a transfer before it is likely to
have ended.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx

from sieve import demo
from sieve.channel.attempt import MODES, Mode
from sieve.cli.errors import Failed
from sieve.cli.lab.open_loop import refusal
from sieve.cli.lab.own_gateways import OwnGateways, own_gateways
from sieve.cli.watch import FINAL
from sieve.demo import documents
from sieve.lab.intervals import Mean, mean_of

PATIENCE_S: Final = 120.0
FIRST_LOOK_S: Final = 0.1
LOOK_AGAIN_S: Final = 0.05
# The planner must not send anything meanwhile.
_SETTINGS: Final = {"SIEVE_PROBES": "false"}


@dataclass(frozen=True, slots=True)
class Case:
    """A document of `size` bytes, of which the part `share` (0 to 1) is classified."""

    size: int
    share: float

    def marked(self) -> bytes:
        """The document. One of whole megabytes repeats its first, because a text of another megabyte takes a second."""
        if self.size % documents.MB:
            return documents.marked(self.size, self.share)
        return documents.x_mb(self.size // documents.MB, self.share)


@dataclass(frozen=True, slots=True)
class Compared:
    """A case in both modes, in milliseconds of response: one entry for each round."""

    case: Case
    sieve_ms: Sequence[float]
    secure_only_ms: Sequence[float]

    @property
    def improvement_percent(self) -> Mean:
        """How much shorter the response of sieve is than that of secure-only in the same round."""
        pairs = zip(self.sieve_ms, self.secure_only_ms, strict=True)
        return mean_of([100 * (1 - sieve / secure_only) for sieve, secure_only in pairs])


def measure(cases: Sequence[Case], rounds: int, say: Callable[[str], None]) -> list[Compared]:
    """Sends each case in both modes, `rounds` times after one round that does not count; `say` gets a line for each
    round.

    Raises:
        Failed: the gateways do not start, refuse a document or do not deliver it.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="sieve-bench-") as temporary:
            folder = Path(temporary)
            demo.make_identities(folder / "identities")
            with own_gateways(folder, folder / "identities", _SETTINGS) as own:
                return _measured(own, cases, rounds, say)
    except (demo.DemoError, httpx.HTTPError, OSError) as error:
        raise Failed(f"the gateways cannot be measured: {error or type(error).__name__}") from error


def _measured(own: OwnGateways, cases: Sequence[Case], rounds: int, say: Callable[[str], None]) -> list[Compared]:
    ids = {case: own.upload(f"{case.size}-{100 * case.share:g}.txt", case.marked()) for case in cases}
    found: dict[tuple[Case, Mode], list[float]] = {each: [] for each in product(cases, MODES)}
    draw = random.Random(1)  # noqa: S311 -- no secret
    for number in range(rounds + 1):
        say(f"round {number} of {rounds}" if number else "warming up")
        for case, mode in draw.sample(list(found), len(found)):
            response_ms = _response_ms(
                own, ids[case], mode, statistics.fmean(found[case, mode] or [1e3 * FIRST_LOOK_S])
            )
            if number:
                found[case, mode].append(response_ms)
    return [Compared(case, found[case, "sieve"], found[case, "secure-only"]) for case in cases]


def _response_ms(own: OwnGateways, document_id: str, mode: Mode, expected_ms: float) -> float:
    body = {"document_id": document_id, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": mode}
    answer = own.author.post("/transfers", json=body)
    if answer.is_error:
        raise Failed(f"alpha did not send a document: {refusal(answer)}")
    transfer: dict[str, Any] = answer.json()
    until = time.monotonic() + PATIENCE_S
    # Each look takes processor time from the gateways that are measured, so the first one waits until the transfer is
    # likely to be over, and the others are rare.
    time.sleep(max(FIRST_LOOK_S, 2e-3 * expected_ms))
    while (transfer := own.author.get(f"/transfers/{transfer['id']}").raise_for_status().json())["state"] not in FINAL:
        if time.monotonic() > until:
            raise Failed(f"a document was not delivered within {PATIENCE_S:.0f} s: {transfer['reason'] or 'no reason'}")
        time.sleep(LOOK_AGAIN_S)
    if transfer["state"] != "delivered":
        raise Failed(f"a document was not delivered: {transfer['reason']}")
    # Else a long run fills the disk.
    own.recipient.delete(f"/inbox/{transfer['id']}").raise_for_status()
    return float(transfer["timings"]["response"])
