"""Rounds over gateways that are made up: what is counted, what is given up, what is said of it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from benchmarks.cases import Case, case
from benchmarks.deployments import Deployment, RunningDeployment
from benchmarks.forms import SHORT, Block
from benchmarks.gateways import NotTaken, TransferFailed
from benchmarks.rounds import AGAIN, OVER, Rounds
from benchmarks.samples import RawFile, latest, read

from bench_rows import sample

GOOD = case("many", 1, 0.1, "sieve")
OTHER = case("many", 1, 0.1, "secure-only")
REFUSED = case("many", 1, 0.1, "sieve", 3, split="es")
BROKEN = case("many", 1, 0.5, "sieve")
AGAIN_EACH = case("many", 1, 0.5, "secure-only")
FORM = replace(SHORT, transfers=4, least=4, warm_up=1)


@dataclass
class Gateways:
    """Refuses one case, never delivers another; counts."""

    sent: Counter[Case] = field(default_factory=Counter)
    seconds: float = 0.0
    watched: dict[str, list[Any]] = field(default_factory=dict)

    def send(self, case: Case, document_ids: Sequence[str]) -> dict[str, Any]:
        self.sent[case] += 1
        self.seconds += 1.0
        if case == REFUSED:
            raise NotTaken("three channels are too many")
        if case == BROKEN:
            raise TransferFailed("a transfer is failed: for the test")
        made = sample(case, self.sent[case], attempts=2 if case == AGAIN_EACH else 1)
        return {name: made[name] for name in ("timings", "attempts", "plan", "lasted_s", "cpu_s")}

    def empty_inbox(self) -> None:
        return None


@pytest.fixture
def gateways() -> Gateways:
    return Gateways()


def take(
    tmp_path: Path,
    gateways: Gateways,
    cases: Sequence[Case],
    until: float,
    at_latest: float,
    beside: Mapping[str, Callable[[], Mapping[str, float]]] | None = None,
) -> list[Any]:
    uploaded = {(1, 0.1): ["a"], (1, 0.5): ["b"]}
    with RawFile(tmp_path, "short") as raw:
        # Only what the rounds use of gateways is there.
        opened = cast(RunningDeployment, _OpenedFor(gateways))
        rounds = Rounds(FORM, raw, opened, uploaded, lambda _text: None, beside or {}, clock=lambda: gateways.seconds)
        rounds.take(Block("many", Deployment(), tuple(cases)), until, at_latest)
    return list(read(latest(tmp_path)))


@dataclass
class _OpenedFor:
    gateways: Gateways

    def make_ready(self, case: Case) -> None:
        return None


def test_a_point_has_its_warm_up_and_its_transfers(tmp_path: Path, gateways: Gateways) -> None:
    found = take(tmp_path, gateways, [GOOD, OTHER], 1e9, 1e9)
    counted = Counter((one["case"]["mode"], one["warm_up"]) for one in found)
    assert counted == {
        (mode, warm_up): 1 if warm_up else 4 for mode in ("sieve", "secure-only") for warm_up in (True, False)
    }


def test_a_refused_case_is_asked_once_and_said_to_be_not_run(tmp_path: Path, gateways: Gateways) -> None:
    found = take(tmp_path, gateways, [GOOD, REFUSED], 1e9, 1e9)
    (missing,) = [one for one in found if one["is"] == "not-run"]
    assert missing["reason"] == "three channels are too many"
    assert gateways.sent[REFUSED] == 1
    assert gateways.sent[GOOD] == 5


def test_a_case_that_is_not_delivered_is_given_up_after_two(tmp_path: Path, gateways: Gateways) -> None:
    found = take(tmp_path, gateways, [GOOD, BROKEN], 1e9, 1e9)
    assert [one["reason"] for one in found if one["is"] == "not-run"] == ["a transfer is failed: for the test"]
    assert gateways.sent[BROKEN] == 2


def test_transfers_that_needed_a_second_attempt_do_not_count_and_are_kept(tmp_path: Path, gateways: Gateways) -> None:
    found = take(tmp_path, gateways, [GOOD, AGAIN_EACH], 1e9, 1e9)
    (missing,) = [one for one in found if one["is"] == "not-run"]
    assert (Case.of(missing["case"]), missing["reason"]) == (AGAIN_EACH, AGAIN)
    kept = [one for one in found if one["is"] == "transfer" and one["attempts"] == 2]
    assert len(kept) == 1 + FORM.transfers


def test_one_round_that_counts_is_taken_however_short_the_time(tmp_path: Path, gateways: Gateways) -> None:
    found = take(tmp_path, gateways, [GOOD, OTHER], 0.5, 1e9)
    assert Counter(one["warm_up"] for one in found) == {True: 2, False: 2}


def test_past_the_end_nothing_is_sent_and_every_case_says_so(tmp_path: Path, gateways: Gateways) -> None:
    gateways.seconds = 10.0
    found = take(tmp_path, gateways, [GOOD, OTHER], 5.0, 5.0)
    assert [one["reason"] for one in found] == [OVER, OVER]
    assert not gateways.sent


def test_a_reference_that_breaks_is_missing_and_the_points_continue(tmp_path: Path, gateways: Gateways) -> None:
    def breaks() -> Mapping[str, float]:
        raise ConnectionError("the other end of a raw copy left")

    found = take(
        tmp_path, gateways, [GOOD], 1e9, 1e9, {"tcp_copy_ms": breaks, "tls_copy_ms": lambda: {"tls_copy_ms": 2.0}}
    )
    (missing,) = [one for one in found if one["is"] == "missing"]
    assert (missing["names"], missing["reason"]) == (["tcp_copy_ms"], "the other end of a raw copy left")
    kinds = Counter(one["is"] for one in found)
    assert (kinds["transfer"], kinds["reference"]) == (5, 5)
