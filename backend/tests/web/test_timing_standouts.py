"""What stands out in transfers: phases that take longer, and causes for which attempts fail."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import pytest

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.telemetry.announcements import Announcements
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import PhaseTimes
from sieve.gateway.telemetry.timing_rollups import TimingRollups
from sieve.store.models.timings import FIGURES
from sieve.store.queries import peer_contacts, timing_marks
from sieve.web.timings.failing_causes import Attempts, failures
from sieve.web.timings.schemas import PhaseMeans
from sieve.web.timings.slow_channels import channel_of
from sieve.web.timings.slow_phases import PHASES, slow_phases
from timing_rows import add
from web.timed import (
    BUSY,
    Timed,
    delivered,
    iso,
    made,
)

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
    assert slow.than == "before"
    [slower_than_others], _ = slow_phases(now, now, now)
    assert (slower_than_others.peer, slower_than_others.than) == ("charlie", "others")


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


async def test_the_causes_that_stand_out(timed: Timed) -> None:
    name_of = {peer_id: name for name, peer_ids in timed.ids.items() for peer_id in peer_ids}
    sent = [row for row in timed.rows if row["direction"] == "sent"]
    attempts = Counter(name_of[row["peer_id"]] for row in sent)
    over_both = Counter(name_of[row["peer_id"]] for row in sent if row["mode"] == "sieve")
    counted = Counter((name_of[row["peer_id"]], row["cause"]) for row in sent if row["cause"])
    expected = {
        (peer, cause): (count, (over_both if cause == "plain-channel" else attempts)[peer])
        for (peer, cause), count in counted.items()
        if count >= 3 and 10 * count >= attempts[peer]
    }
    shown = await timed.json("standouts")
    found = [each for each in shown["items"] if each["kind"] != "phase"]
    assert {(each["peer"], each["cause"]): (each["count"], each["of"]) for each in found} == expected
    assert found[0] | {"peer": BUSY, "kind": "plain-channel", "count_before": 0, "of_before": 0} == found[0]
    assert 0 < shown["compared"] <= len(delivered(sent))
    # All of the rows are in the time range: none was before.
    cancelled = sum(row["cause"] == "cancelled" for row in sent)
    assert (shown["attempts"], shown["attempts_compared"]) == (len(sent) - cancelled, 0)
    table = await timed.csv("standouts")
    assert [(row["kind"], row["peer"]) for row in table] == [(each["kind"], each["peer"]) for each in shown["items"]]
    of_busy = await timed.json("standouts", peer=BUSY)
    assert [each for each in of_busy["items"] if each["kind"] != "phase"] == [
        each for each in found if each["peer"] == BUSY
    ]


async def test_a_long_range_grows_to_whole_hours_and_then_to_whole_days(timed: Timed) -> None:
    peer_id = timed.ids["peer-01"][0]
    # Minutes are still there, so only the panel makes its range grow.
    day_s = timed.begin_s - timed.begin_s % DAY_S - DAY_S
    chance = random.Random(12)
    rows = [made(chance, peer_id, day_s + HOUR_S * hour + 600) for hour in range(4) for _ in range(10)]
    failed = {"direction": "sent", "outcome": "failed", "cause": "peer-full", "sample": 0}
    failed |= {f"{figure}_us": None for figure in FIGURES}
    async with timed.world.database.write() as session:
        await add(session, [row | failed for row in rows])
    job = TimingRollups(timed.world.database, Announcements(), 90)
    while await job.roll_up():
        pass

    async def counted(since_s: int, length_s: int) -> tuple[list[int], list[int]]:
        """The counts, and the edges of both ranges that the answer names, from `day_s` on."""
        asked = {"since": iso(since_s), "until": iso(since_s + length_s)}
        shown = await timed.json("standouts", **asked, peer="peer-01")
        edges = [shown[name] for name in ("previous_since", "previous_until", "since", "until")]
        return (
            [each["count"] for each in shown["items"] if each["cause"] == "peer-full"],
            [round(datetime.fromisoformat(edge).timestamp()) - day_s for edge in edges],
        )

    within_s = day_s + 2 * HOUR_S + 1800  # half an hour after the third ten
    assert await counted(within_s, 7 * DAY_S) == ([40], [-8 * DAY_S, 0, 0, 8 * DAY_S])
    two, three = 2 * HOUR_S, 3 * HOUR_S
    assert await counted(within_s, 3 * DAY_S) == ([20], [two - 3 * DAY_S - HOUR_S, two, two, three + 3 * DAY_S])


async def test_a_slow_data_transfer_names_the_channel_that_it_waits_for(timed: Timed) -> None:
    at_ns = (timed.begin_s - 3600) * NS_PER_S
    chance = random.Random(9)

    async def sent(
        peer: str, mode: str, data_transfer_ms: int, plain_ms: int, *, count: int = 12, marks: bool = True
    ) -> None:
        rows = [made(chance, timed.ids[peer][0], at_ns / NS_PER_S) for _ in range(count)]
        async with timed.world.database.write() as session:
            for row in rows:
                row |= {"direction": "sent", "outcome": "delivered", "cause": "", "mode": mode, "size": 300_000}
                row |= {f"{figure}_us": 1000 for figure in FIGURES}
                row["data_transfer_us"] = data_transfer_ms * 1000 + chance.randrange(1000)
                taken = [
                    (1, "first-byte", "plain-0", at_ns),
                    (1, "first-byte", "secure-0", at_ns + 1),
                    (1, "answered", "plain-0", at_ns + plain_ms * NS_PER_MS),
                    (1, "verified-heard", "", at_ns + data_transfer_ms * NS_PER_MS),
                    # An earlier attempt says nothing about this one.
                    (0, "answered", "plain-0", at_ns + 10**12),
                ]
                if marks:
                    await timing_marks.add(session, row["transfer_id"], "sender", taken)
            await add(session, rows)

    await sent("peer-01", "sieve", 20, 18, count=300)
    await sent("peer-01", "secure-only", 20, 0, count=300)
    await sent("peer-02", "sieve", 400, 399)
    await sent("peer-02", "secure-only", 20, 0)
    await sent("peer-03", "sieve", 400, 10)
    await sent("peer-04", "secure-only", 400, 0)
    await sent("peer-05", "sieve", 400, 399, marks=False)  # sent by an earlier version
    await sent("peer-06", "sieve", 400, 399)
    await sent("peer-06", "secure-only", 400, 0)  # whatever is slow, it is not only the plain channel
    await sent("peer-07", "sieve", 400, 399)
    async with timed.world.database.write() as session:  # far away
        await peer_contacts.keep(session, timed.ids["peer-07"][0], {"latency_us": 190_000})
    shown = await timed.json("standouts", **timed.within(-120, -1))
    channels = {each["peer"]: each["channel"] for each in shown["items"] if each["phase"] == "data_transfer"}
    assert channels == {
        "peer-02": "plain",
        "peer-03": "secure",
        "peer-04": "secure",
        "peer-05": None,
        "peer-06": None,
        "peer-07": None,
    }
    rows = await timed.csv("standouts", **timed.within(-120, -1))
    assert {row["peer"]: row["channel"] or None for row in rows if row["phase"] == "data_transfer"} == channels
