"""A block's points, in turns: every round takes each point that is still open once, in a fresh shuffle, so that drift
of the machine falls on all of them alike.

The first rounds warm up: their samples are kept and marked, and do not count. Memory is watched only in them, because
watching costs time. As many rounds that count as the form says (at least one) are measured, however short the block's
time is, because rows without figures help nobody. A point that cannot be measured gives its reason once, and the others
continue. A transfer that needed a second attempt is kept and does not count.
"""

import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from benchmarks.cases import Case
from benchmarks.deployments import RunningDeployment
from benchmarks.forms import Block, Form
from benchmarks.gateways import NotTaken, TransferFailed
from benchmarks.samples import RawFile
from benchmarks.watching import PeakMemory
from sieve.gateway.plain.listener import PlainListenerLost

FAILURES = 2
"""After so many that were not delivered a point is given up."""
OVER = "the time was over"
AGAIN = "each transfer needed a second attempt"

T = TypeVar("T")


@dataclass(slots=True)
class Rounds:
    """`uploaded`: ids of each document, by x and P. `beside`: references, taken between the points."""

    form: Form
    raw: RawFile
    deployment: RunningDeployment
    uploaded: Mapping[tuple[int, float], list[str]]
    say: Callable[[str], None]
    beside: Mapping[str, Callable[[], Mapping[str, float]]] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic

    def take(self, block: Block, until: float, at_latest: float) -> None:
        """Measures a block until its time is over; every case has samples then, or is said to be not run."""
        taken: dict[Case, list[float]] = {case: [] for case in block.cases}
        given_up: set[Case | str] = set()
        failures = dict.fromkeys(block.cases, 0)
        again = dict.fromkeys(block.cases, 0)
        number = 0
        while left := [case for case in block.cases if case not in given_up and not self.form.is_done(taken[case])]:
            warm_up = number < self.form.warm_up
            self.say(
                f"{block.experiment} ({block.deployment}), round {number + 1}: {len(left)} of {len(taken)} points open"
            )
            turns: list[Case | str] = [*left, *(name for name in self.beside if name not in given_up)]
            for what in shuffled(turns):
                late = at_latest if number < self.form.warm_up + self.form.rounds else until
                if self.clock() > late:
                    break
                if isinstance(what, str):
                    if not self._reference(what, warm_up):
                        given_up.add(what)
                    continue
                try:
                    sample = self._one(what, number, warm_up)
                except NotTaken as refused:
                    given_up.add(what)
                    self.not_run([what], str(refused))
                except (TransferFailed, httpx.HTTPError) as failed:
                    failures[what] += 1
                    if failures[what] == FAILURES:
                        given_up.add(what)
                        self.not_run([what], str(failed) or type(failed).__name__)
                else:
                    self.raw.add("transfer", case=what.to_json(), warm_up=warm_up, **sample)
                    if warm_up:
                        continue
                    if sample["attempts"] > 1:
                        again[what] += 1
                        if again[what] == self.form.transfers:
                            given_up.add(what)
                            if not taken[what]:
                                self.not_run([what], AGAIN)
                    else:
                        taken[what].append(sample["timings"]["response" if what.warm else "total"])
            else:
                self.deployment.gateways.empty_inbox()
                number += 1
                continue
            break
        self.deployment.gateways.empty_inbox()
        for case in block.cases:
            if not taken[case] and case not in given_up:
                self.not_run([case], AGAIN if again[case] else OVER)

    def not_run(self, cases: Iterable[Case], reason: str) -> None:
        """These have no figures, and why."""
        not_run(self.raw, cases, reason)

    def _reference(self, name: str, warm_up: bool) -> bool:
        """Whether it could be measured; why not is written down."""
        try:
            for measured, ms in self.beside[name]().items():
                self.raw.add("reference", name=measured, warm_up=warm_up, ms=ms)
        except (OSError, httpx.HTTPError, PlainListenerLost) as error:
            self.raw.add("missing", names=[name], reason=str(error) or type(error).__name__)
            return False
        return True

    def _one(self, case: Case, number: int, watch_memory: bool) -> dict[str, Any]:
        gateways = self.deployment.gateways
        self.deployment.make_ready(case)
        # The same x and P twice in a batch are two documents.
        ids = [
            self.uploaded[document][(number + place) % len(self.uploaded[document])]
            for place, document in enumerate(case.documents)
        ]
        if not watch_memory:
            return gateways.send(case, ids)
        with PeakMemory(gateways.watched) as watching:
            sample = gateways.send(case, ids)
        return sample | {"peak_bytes": watching.peaks}


def not_run(raw: RawFile, cases: Iterable[Case], reason: str) -> None:
    """Writes down that these have no figures."""
    for case in cases:
        raw.add("not-run", case=case.to_json(), reason=reason)


def shuffled(what: Iterable[T]) -> list[T]:
    """Any order will do, as long as it is not the same one each time."""
    listed = list(what)
    return random.sample(listed, len(listed))
