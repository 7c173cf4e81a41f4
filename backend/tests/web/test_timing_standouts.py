"""What stands out in transfers: phases that take longer, and causes for which attempts fail."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pytest

from sieve.gateway.telemetry.timing_queries import PhaseTimes
from sieve.web.timings.schemas import PhaseMeans
from sieve.web.timings.slow_channels import channel_of
from sieve.web.timings.standouts import PHASES, Attempts, failures, slow_phases

KB: Final = 1000
BOTH: Final = ("bravo", "charlie")


def transfers(
    chance: random.Random, peers: Iterable[str], count: int = 40, *, size: int = 100 * KB, **longer: float
) -> list[PhaseTimes]:
    """As many to each peer, of which each phase takes about 40 ms; `longer`: so many times as long."""
    return [
        PhaseTimes(
            "t",
            1,
            "sent",
            peer,
            "sieve",
            size,
            *(round(chance.lognormvariate(10.6, 0.4) * longer.get(phase, 1)) for phase in PHASES),
        )
        for peer in peers
        for _ in range(count)
    ]


def found(
    times: Sequence[PhaseTimes], before: Sequence[PhaseTimes], of_all: Sequence[PhaseTimes] | None = None
) -> list[tuple[str | None, str | None]]:
    items, _ = slow_phases(times, before, times if of_all is None else of_all)
    return [(each.peer, each.phase) for each in items]


def test_the_phases_are_those_of_records() -> None:
    assert (
        PHASES == tuple(PhaseMeans.model_fields) == tuple(name.removesuffix("_us") for name in PhaseTimes._fields[6:])
    )
    assert PhaseTimes("t", 1, "sent", "bravo", "sieve", 1, *range(8)).phases == tuple(range(8))


def test_a_peer_that_became_slow_is_named_with_the_phase_and_its_means() -> None:
    chance = random.Random(1)
    before = transfers(chance, BOTH)
    now = transfers(chance, ["bravo"]) + transfers(chance, ["charlie"], data_transfer=8)
    [slow], compared = slow_phases(now, before, now)
    assert compared == 80
    assert (slow.kind, slow.peer, slow.phase, slow.count) == ("phase", "charlie", "data_transfer", 40)
    mean_ms = sum(each.data_transfer_us or 0 for each in now if each.peer_id == "charlie") / 40_000
    assert slow.mean_ms == pytest.approx(mean_ms, rel=1e-4)
    assert slow.before_ms is not None and slow.others_ms is not None
    assert 30 < slow.before_ms < 60
    assert 30 < slow.others_ms < 60


def test_the_phase_that_costs_most_time_is_first() -> None:
    chance = random.Random(2)
    now = transfers(chance, ["bravo", "delta"]) + transfers(chance, ["charlie"], storing=4, data_transfer=20)
    assert found(now, []) == [("charlie", "data_transfer"), ("charlie", "storing")]


def test_what_all_peers_have_in_common_is_said_once() -> None:
    chance = random.Random(3)
    now = transfers(chance, BOTH, waiting=9)
    assert found(now, transfers(chance, BOTH)) == [(None, "waiting")]
    alone = transfers(chance, ["bravo"], waiting=9)
    assert found(alone, transfers(chance, ["bravo"])) == [("bravo", "waiting")]


def test_larger_documents_are_not_slow() -> None:
    chance = random.Random(4)
    large = transfers(chance, ["charlie"], size=50_000 * KB, data_transfer=30)
    now = transfers(chance, ["bravo"]) + large
    before = transfers(chance, BOTH) + transfers(chance, ["bravo"], size=50_000 * KB, data_transfer=30)
    assert found(now, before) == []
    # Beside other large documents they would be.
    later = large + transfers(chance, ["bravo"], size=50_000 * KB)
    assert found(later, before) == [("charlie", "data_transfer")]


@pytest.mark.parametrize("seed", range(6))
def test_nothing_stands_out_by_chance(seed: int) -> None:
    chance = random.Random(seed)
    peers = [f"peer-{number}" for number in range(20)]
    now, before = transfers(chance, peers, 15), transfers(chance, peers, 15)
    # One transfer that took a minute is no trend.
    now[0] = now[0]._replace(data_transfer_us=60_000_000)
    assert found(now, before) == []


def test_few_transfers_or_short_times_do_not_stand_out() -> None:
    chance = random.Random(5)
    few = transfers(chance, ["charlie"], 9, data_transfer=50) + transfers(chance, ["bravo"])
    assert found(few, transfers(chance, BOTH)) == []
    assert slow_phases(few[:9], [], few[:9]) == ([], 0)
    short = transfers(chance, ["bravo"], data_transfer=0.01) + transfers(chance, ["charlie"], data_transfer=0.1)
    assert found(short, []) == []
    assert found([], few) == []


def test_a_peer_alone_is_compared_with_the_other_peers() -> None:
    chance = random.Random(6)
    slow = transfers(chance, ["charlie"], storing=5)
    assert found(slow, [], slow + transfers(chance, ["bravo"])) == [("charlie", "storing")]


@pytest.mark.parametrize(
    ("parts", "channel"),
    [
        ([1.0, 0.9, 0.8, 0.2], None),  # too few
        ([1.0, 0.95, 0.9, 0.8, 0.2], "plain"),
        ([0.1, 0.2, 0.3, 0.5, 0.9], "secure"),
        ([0.1, 0.2, 0.3, 0.9, 0.9], None),
        ([0.7] * 20, None),
    ],
)
def test_the_channel_that_is_usually_last_is_waited_for(parts: list[float], channel: str | None) -> None:
    assert channel_of(parts) == channel


def test_times_that_were_not_measured_count_as_none() -> None:
    times = [PhaseTimes("t", 1, "sent", "bravo", "sieve", 0, *([None] * len(PHASES)))] * 20
    assert found(times, times) == []


def attempts(
    count: Mapping[str, int], over_both: Mapping[str, int], of_cause: Mapping[tuple[str, str], int]
) -> Attempts:
    return Attempts(Counter(count), Counter(over_both), Counter(of_cause))


def test_causes_are_ranked_with_their_share_and_that_of_before() -> None:
    now = attempts(
        {"bravo": 100, "charlie": 40},
        {"charlie": 20},
        {
            ("bravo", "unreachable"): 9,  # too small a share
            ("charlie", "peer-full"): 2,  # too few
            ("charlie", "plain-channel"): 15,
            ("charlie", "unreachable"): 4,
            ("", "interrupted"): 14,
        },
    )
    before = attempts({"charlie": 30}, {"charlie": 25}, {("charlie", "plain-channel"): 1})
    shown = [
        (each.kind, each.peer, each.count, each.of, each.count_before, each.of_before) for each in failures(now, before)
    ]
    assert shown == [
        ("plain-channel", "charlie", 15, 20, 1, 25),
        ("failures", None, 14, 140, 0, 30),
        ("failures", "charlie", 4, 40, 0, 30),
    ]


def test_a_cause_that_became_frequent_stands_out_even_if_it_is_rare() -> None:
    def shown(count: int, before: int, attempts_before: int) -> list[int]:
        now = attempts({"bravo": 200}, {}, {("bravo", "unreachable"): count})
        then = attempts({"bravo": attempts_before}, {}, {("bravo", "unreachable"): before})
        return [each.count for each in failures(now, then)]

    assert shown(5, 0, 100) == [5]
    assert shown(8, 1, 100) == [8]
    assert shown(7, 1, 100) == []  # not four times as often
    assert shown(4, 0, 100) == []  # too few
    assert shown(5, 0, 29) == []  # too few before to compare with
