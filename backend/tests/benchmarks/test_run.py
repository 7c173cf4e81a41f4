"""The parts of a run, over gateways that are made up: what is measured again is what is not decided."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.cases import Case
from benchmarks.deployments import Deployment
from benchmarks.extract import extract, looks
from benchmarks.forms import FULL
from benchmarks.samples import RawFile, latest, read
from benchmarks.thesis.decisions import Answer
from benchmarks.thesis.exhibits import EXHIBITS

from bench_rows import sample
from benchmarks import run

FIGURE = next(exhibit for exhibit in EXHIBITS if exhibit.name == "Figure 5.9")
TWO, FIVE = FIGURE.claims[0], FIGURE.claims[2]
FORM = replace(FULL, transfers=4, least=4, warm_up=1, parts=(0.4, 0.3, 0.3))
PATIENCE_S = 600.0
"""Every point has its transfers long before."""


@dataclass
class Gateways:
    """Five channels take twice as long as one; of all others no one can tell which is the faster."""

    taken: dict[Case, int] = field(default_factory=lambda: defaultdict(int))
    watched: dict[str, list[Any]] = field(default_factory=lambda: {"sender": [], "receiver": []})

    def upload(self, marked: bytes | Iterable[bytes], name: str) -> str:
        return name

    def send(self, case: Case, document_ids: Sequence[str]) -> dict[str, Any]:
        self.taken[case] += 1
        if case.secure == 5:
            ms = 200.0 + self.taken[case] % 4
        else:
            ms = 100.0 + (self.taken[case] % 4 if case.x_mb == 10 and case.secure == 1 else 50 * (self.taken[case] % 4))
        made = sample(case)
        return {name: made[name] for name in ("attempts", "plan", "lasted_s", "cpu_s")} | {
            "timings": {**made["timings"], "total": ms, "sieve": 0.0}
        }

    def empty_inbox(self) -> None:
        return None


@dataclass
class _Running:
    gateways: Gateways

    def make_ready(self, case: Case) -> None:
        return None


@contextmanager
def _deploy(deployment: Deployment, folder: Path, ms_per_mb: float) -> Iterator[_Running]:
    yield _Running(Gateways())


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run, "deploy", _deploy)
    monkeypatch.setattr(run, "uploads", lambda form, cases, gateways: defaultdict(lambda: ["a"]))
    with RawFile(tmp_path, "full") as raw:
        run.points(FORM, list(FIGURE.cases()), raw, tmp_path, time.monotonic() + PATIENCE_S)
    return latest(tmp_path)


def test_a_run_continues_with_the_points_of_undecided_claims(measured: Path) -> None:
    parts: list[set[Case]] = [set()]
    for one in read(measured):
        if one["is"] == "look":
            parts.append(set())
        elif one["is"] == "transfer":
            parts[-1].add(Case.of(one["case"]))
    assert len(parts) == len(FORM.parts)
    assert parts[0] == set(FIGURE.cases())
    # Of five channels, other claims that are open read only the smallest and the largest size.
    assert {case.x_mb for part in parts[1:] for case in part if case.secure == 5} <= {1, 10}
    assert set(TWO.check(FIGURE, {}).cases) <= parts[1]


def test_the_page_knows_what_each_look_saw(measured: Path) -> None:
    found = looks(extract(measured))
    assert len(found) == len(FORM.parts)
    of = TWO.check(FIGURE, {}).cases[0]
    assert [rows[of]["transfers"] for rows in found] == [4, 8, 12]
    assert FIVE.verdict(FIGURE, found).answer is Answer.FAILS
    assert TWO.verdict(FIGURE, found).answer is Answer.OPEN
