"""Timings over the web API, as JSON and CSV, against the same records in plain Python."""

import asyncio
import csv
import io
import json
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest
from sqlalchemy import select

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing import NS_PER_MS
from sieve.gateway.telemetry.timing_classes import SHARE_CLASSES, SIZE_CLASSES, TimingCause
from sieve.store.models import Breaker
from sieve.store.models.timings import FIGURES, TimingRollup
from sieve.store.queries import peer_contacts, timing_marks
from sieve.store.queries.peers import OWN_ID
from sieve.web.timings.schemas import PhaseMeans
from store_rows import a_document, a_peer, a_transfer, a_user
from timing_rows import Values, add, dimensions, is_own
from web.timed import (
    BUSY,
    FILTERS,
    FORMULA,
    HERE,
    HOURS,
    LONG_NAME,
    MB,
    PERCENTILES,
    REUSED,
    SUITE,
    Recorded,
    Timed,
    delivered,
    headline,
    is_as_expected,
    iso,
    made,
    near,
    percentile,
    record,
)
from web_world import Ground, World, build, close


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, ground: Ground) -> Recorded:
    return asyncio.run(record(tmp_path_factory.mktemp("recorded") / "sieve.db", ground))


@pytest.fixture
async def timed(tmp_path: Path, recorded: Recorded) -> AsyncIterator[Timed]:
    world = await build(tmp_path, recorded.ground)
    yield Timed(world, recorded.begin_s, recorded.rows, recorded.ids)
    await close(world)


async def test_a_summary_counts_what_the_filters_leave(timed: Timed) -> None:
    whole = timed.within(60, 180)
    for asked, keeps in FILTERS:
        kept = [row for row in timed.rows if keeps(row)]
        first = [row for row in kept if row["at_ns"] < (timed.begin_s + 3600) * NS_PER_S]
        shown = await timed.json("summary", **whole, **asked)
        assert (shown["since"], shown["until"]) == (whole["since"], whole["until"])
        assert shown["current"] == headline([row for row in kept if row not in first]), asked
        assert shown["previous"] == headline(first), asked
    assert shown["progress"]["rolled_up"] and shown["progress"]["waiting_records"] == 0
    assert shown["choices"]["peers"] == sorted(timed.ids)
    assert shown["choices"]["channels"] == ["1+1", "2+1"]
    table = await timed.csv("summary", **whole)
    shown = await timed.json("summary", **whole)
    for row, span in zip(table, ("current", "previous"), strict=True):
        assert row["range"] == span
        assert float(row["response_p95_ms"]) == shown[span]["response"]["p95_ms"]
        assert int(row["plain_bytes"]) == shown[span]["plain_bytes"]
    assert table[0]["since"] == table[1]["until"] == whole["since"]
    # Of a time long ago, only whole days are kept by two filters.
    month = timed.within(-30 * 24 * 60 + 7, 180) | {"peer": BUSY, "size": "1MB"}
    [_, before] = await timed.csv("summary", **month)
    shown = await timed.json("summary", **month)
    assert (before["since"], before["until"]) == (shown["previous_since"], shown["previous_until"])


async def test_a_million_transfers_in_an_hour_are_counted_as_few_are(timed: Timed) -> None:
    """Each transfer of the last hour as often as makes a million: the same percentiles, that many times the counts."""
    hour = timed.within(60 * (HOURS - 1), 60 * HOURS)
    few, shown_few = [await timed.json(path, **hour) for path in ("summary", "responses")]
    times = -(-1_000_000 // few["current"]["transfers"])
    async with timed.world.database.write() as session:
        for row in await session.scalars(select(TimingRollup)):
            for column in ("count", "timed", "clock_moved", "size", "secure_bytes", "plain_bytes", "response_us"):
                setattr(row, column, getattr(row, column) * times)
            for figure in ("response", "total", "stored", "waiting"):
                one = Histogram.from_bytes(getattr(row, f"{figure}_counts"))
                setattr(row, f"{figure}_counts", Histogram(one.buckets, one.counts * times).to_bytes())
    many, shown_many = [await timed.json(path, **hour) for path in ("summary", "responses")]
    assert many["current"]["transfers"] >= 1_000_000
    for counted in ("transfers", "delivered", "failed", "cancelled", "retries", "secure_bytes", "plain_bytes"):
        assert many["current"][counted] == times * few["current"][counted], counted
    for figure, each in few["current"].items():
        if isinstance(each, dict):
            found = many["current"][figure]
            assert found["count"] == times * each["count"]
            assert [found[f"p{percent}_ms"] for percent in PERCENTILES] == [
                each[f"p{percent}_ms"] for percent in PERCENTILES
            ]
    assert [[*place, count // times] for *place, count in shown_many["cells"]] == shown_few["cells"]


async def test_a_peer_counts_under_each_name_it_has_or_had(timed: Timed) -> None:
    for name in (BUSY, LONG_NAME, FORMULA, REUSED):
        rows = [row for row in timed.rows if row["peer_id"] in timed.ids[name]]
        assert (await timed.json("summary", peer=name))["current"] == headline(rows)
    assert len(timed.ids[REUSED]) == 2


async def test_what_a_gateway_sends_to_itself_counts_once(timed: Timed) -> None:
    sent, received = (
        [row for row in timed.rows if row["peer_id"] == OWN_ID and row["direction"] == direction]
        for direction in ("sent", "received")
    )
    assert sent and received
    ended = [row for row in sent if row["outcome"] != "retry"]
    whole, of_own = await timed.json("summary"), await timed.json("summary", peer=HERE)
    assert whole["own"] == of_own["own"] == len(ended)
    assert of_own["current"] == headline(sent)
    assert (await timed.json("summary", peer=BUSY))["own"] == 0
    for direction, rows in (("sent", sent), ("received", received)):
        shown = await timed.json("summary", peer=HERE, direction=direction)
        assert (shown["current"], shown["own"]) == (headline(rows), 0)


async def test_durations_over_time(timed: Timed) -> None:
    for asked, keeps in FILTERS:
        shown = await timed.json("responses", figure="total", **asked)
        width_s = shown["width_s"]
        starts = [datetime.fromisoformat(column).timestamp() for column in shown["columns"]]
        assert starts == [*range(timed.begin_s // width_s * width_s, timed.begin_s + 3600 * HOURS, width_s)]
        cells = {(column, bucket): count for column, bucket, count in shown["cells"]}
        kept = [row for row in delivered(timed.rows) if keeps(row)]
        for column, start in enumerate(starts):
            values = [row["total_us"] for row in kept if start <= row["at_ns"] / NS_PER_S < start + width_s]
            assert shown["count"][column] == len(values)
            for percent in PERCENTILES:
                found = shown[f"p{percent}_ms"][column]
                assert found == (near(percentile(values, percent), 0.02) if values else None)
            for bucket, (low, high) in enumerate(pairwise(shown["bucket_edges_ms"])):
                assert cells.get((column, bucket), 0) == sum(low < us / 1000 <= high for us in values)
    shown = await timed.json("responses")
    table = await timed.csv("responses")
    assert [int(row["count"]) for row in table] == shown["count"]
    assert [row["p99_ms"] for row in table] == ["" if each is None else str(each) for each in shown["p99_ms"]]
    names = [name for name in table[0] if name.startswith("up_to_")]
    counted = {
        (column, bucket): int(row[name])
        for column, row in enumerate(table)
        for bucket, name in enumerate(names)
        if row[name] != "0"
    }
    assert counted == {(column, bucket): count for column, bucket, count in shown["cells"]}


async def test_a_cell_opens_the_transfers_in_it(timed: Timed) -> None:
    shown = await timed.json("responses")
    column, bucket, count = max(shown["cells"], key=lambda cell: cell[2])
    begin = datetime.fromisoformat(shown["columns"][column])
    low, high = shown["bucket_edges_ms"][bucket : bucket + 2]
    asked = {
        "since": begin.isoformat(),
        "until": (begin + timedelta(seconds=shown["width_s"])).isoformat(),
        "low_ms": low,
        "high_ms": high,
    }
    found = await timed.json("cell", **asked)
    assert len(found["transfers"]) == count and not found["more"]
    by_id = {row["transfer_id"]: row for row in timed.rows}
    names = {peer_id: name for name, ids in timed.ids.items() for peer_id in ids}
    for each in found["transfers"]:
        row = by_id[each["transfer_id"]]
        assert each == {
            "transfer_id": row["transfer_id"],
            "direction": row["direction"],
            "at": each["at"],
            "peer": names[row["peer_id"]],
            "mode": row["mode"],
            "outcome": "delivered",
            "size": row["size"],
            "share": SHARE_CLASSES[dimensions(row)["share_class"]],
            "value_ms": row["response_us"] / 1000,
        }
        assert low < each["value_ms"] <= high
    table = await timed.csv("cell", **asked)
    assert [row["transfer_id"] for row in table] == [each["transfer_id"] for each in found["transfers"]]
    every = await timed.json("cell")
    assert len(every["transfers"]) == 50 and every["more"]
    more = await timed.json("cell", limit=60)
    assert len(more["transfers"]) == 60 and more["transfers"][:50] == every["transfers"]
    assert len(await timed.csv("cell", limit=100_000)) > 60
    once = [row for row in delivered(timed.rows) if not is_own(row)]
    latest = sorted(once, key=lambda row: -row["at_ns"])[:50]
    assert [each["transfer_id"] for each in every["transfers"]] == [row["transfer_id"] for row in latest]


@pytest.mark.parametrize("by", ["size", "share", "mode"])
async def test_phases(timed: Timed, by: str) -> None:
    dimension, names = {"size": ("size_class", SIZE_CLASSES), "share": ("share_class", SHARE_CLASSES)}.get(by, (by, ()))
    for asked, keeps in FILTERS:
        groups: dict[Any, list[Values]] = defaultdict(list)
        for row in delivered(timed.rows):
            if keeps(row) and ("direction" in asked or row["direction"] == "sent"):
                groups[dimensions(row)[dimension]].append(row)
        shown = (await timed.json("phases", by=by, **asked))["groups"]
        order = sorted(groups) if names else sorted(groups, key=lambda key: -len(groups[key]))
        assert [each["key"] for each in shown] == [names[key] if names else key for key in order]
        for each, key in zip(shown, order, strict=True):
            assert each["count"] == len(groups[key])
            assert each["mean_ms"] == {
                phase: near(fmean(row[f"{phase}_us"] for row in groups[key]) / 1000)
                for phase in PhaseMeans.model_fields
            }
    shown = (await timed.json("phases", by=by))["groups"]
    table = await timed.csv("phases", by=by)
    assert [float(row["mean_ms_storing"]) for row in table] == [each["mean_ms"]["storing"] for each in shown]


async def test_phases_of_the_largest_peers_and_the_others(timed: Timed) -> None:
    sent = [row for row in delivered(timed.rows) if row["direction"] == "sent"]
    counts = Counter(row["peer_id"] for row in sent)
    shown = (await timed.json("phases", by="peer"))["groups"]
    assert len(shown) == 21
    assert shown[0]["label"] == BUSY
    assert [each["count"] for each in shown[:20]] == sorted(counts.values(), reverse=True)[:20]
    assert shown[20]["key"] == "others" and shown[20]["label"] == f"{len(counts) - 20} others"
    assert sum(each["count"] for each in shown) == len(sent)
    assert len({each["label"] for each in shown}) == 21
    both = (await timed.json("phases", by="peer", peer=REUSED))["groups"]
    assert {each["label"].partition(" (removed ")[0] for each in both} == {REUSED}
    assert sorted(each["key"] for each in both) == sorted(timed.ids[REUSED])
    assert len({each["label"] for each in both}) == 2


async def test_a_name_that_looks_like_a_formula_is_text_in_csv(timed: Timed) -> None:
    [row] = await timed.csv("phases", by="peer", peer=FORMULA)
    assert row["label"] == f"'{FORMULA}"
    [group] = (await timed.json("phases", by="peer", peer=FORMULA))["groups"]
    assert group["label"] == FORMULA


async def test_modes_compared(timed: Timed) -> None:
    cells: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: {"sieve": [], "secure-only": []})
    sent = [row for row in delivered(timed.rows) if row["direction"] == "sent"]
    for row in sent:
        classes = dimensions(row)
        key = SIZE_CLASSES[classes["size_class"]], SHARE_CLASSES[classes["share_class"]]
        cells[key][row["mode"]].append(row["response_us"])
    shown = await timed.json("modes")
    assert {(cell["size"], cell["share"]) for cell in shown["cells"]} == cells.keys()
    for cell in shown["cells"]:
        values = cells[cell["size"], cell["share"]]
        for mode, name in (("sieve", "sieve"), ("secure-only", "secure_only")):
            assert cell[name]["count"] == len(values[mode])
            assert cell[name]["mean_ms"] == (near(fmean(values[mode]) / 1000) if values[mode] else None)
        enough = min(map(len, values.values())) >= 10
        assert cell["enough"] is enough
        if enough:
            percent = 100 * (1 - fmean(values["sieve"]) / fmean(values["secure-only"]))
            assert cell["improvement_percent"] == pytest.approx(percent, abs=0.01)
            assert cell["low"] < percent < cell["high"]
        else:
            assert cell["improvement_percent"] is cell["low"] is cell["high"] is None
    assert any(cell["enough"] for cell in shown["cells"]) and not all(cell["enough"] for cell in shown["cells"])
    predicted = [row for row in sent if row["predicted_us"] is not None]
    within = [row for row in predicted if row["response_us"] / 2 <= row["predicted_us"] <= 2 * row["response_us"]]
    assert (shown["planner"]["predicted"], shown["planner"]["within_two"]) == (len(predicted), len(within))
    estimated = [row for row in sent if row["expected_us"] is not None]
    as_expected = [row for row in estimated if is_as_expected(row)]
    assert 0 < len(as_expected) < len(estimated)
    assert shown["planner"]["expected"] == len(estimated)
    assert shown["planner"]["expected_within_two"] == len(as_expected)
    assert shown["planner"]["expected_within_two_share"] == round(len(as_expected) / len(estimated), 4)
    for name in ("expected", "turnaround"):
        assert shown["planner"][f"mean_{name}_ms"] == near(fmean(row[f"{name}_us"] for row in estimated) / 1000)
    table = await timed.csv("modes", table="cells")
    assert [row["improvement_percent"] for row in table] == [
        "" if cell["improvement_percent"] is None else str(cell["improvement_percent"]) for cell in shown["cells"]
    ]
    assert [row["secure_only_count"] for row in table] == [str(cell["secure_only"]["count"]) for cell in shown["cells"]]
    edges = await timed.csv("modes", table="break-even")
    assert [row["size"] for row in edges] == [each["size"] for each in shown["break_even"]]
    [planner] = await timed.csv("modes", table="planner")
    assert int(planner["within_two"]) == len(within)
    assert int(planner["expected_within_two"]) == len(as_expected)


async def test_points(timed: Timed) -> None:
    for asked, keeps in FILTERS:
        kept = {row["transfer_id"]: row for row in delivered(timed.rows) if keeps(row)}
        shown = await timed.json("points", **asked)
        assert shown["of"] == shown["count"] == len(kept)
        assert {*shown["transfer_id"]} == kept.keys()
        for number, transfer_id in enumerate(shown["transfer_id"]):
            row = kept[transfer_id]
            assert shown["response_ms"][number] == row["response_us"] / 1000
            assert shown["size"][number] == row["size"] and shown["mode"][number] == row["mode"]
            assert shown["share"][number] == SHARE_CLASSES[dimensions(row)["share_class"]]
            at = datetime.fromisoformat(shown["at"][number])
            assert (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) == row["at_ns"] // 1000
    shown = await timed.json("points")
    table = await timed.csv("points")
    assert [row["transfer_id"] for row in table] == shown["transfer_id"]
    assert [float(row["response_ms"]) for row in table] == shown["response_ms"]


async def test_no_list_of_transfers_says_how_much_exactly_is_classified(timed: Timed) -> None:
    """Admins need no clearance, and of a document with one span it would be the length of the span."""
    for path in ("points", "cell"):
        assert "classified" not in json.dumps(await timed.json(path))
        assert not [name for name in (await timed.csv(path))[0] if "classified" in name or "bytes" in name]


async def test_causes_and_ended_transfers(timed: Timed) -> None:
    sent = [row for row in timed.rows if row["direction"] == "sent"]
    shown = await timed.json("queue")
    counted = Counter(row["cause"] for row in sent if row["outcome"] != "delivered")
    assert [(each["cause"], each["count"]) for each in shown["causes"]] == counted.most_common()
    assert {each["cause"] for each in shown["causes"]} <= {*TimingCause}
    assert sum(shown["series"]["ended"]) == len([row for row in sent if row["outcome"] != "retry"])
    assert (await timed.csv("queue", table="causes"))[0]["label"] == shown["causes"][0]["label"]
    assert len(await timed.csv("queue", table="series")) == len(shown["series"]["columns"])


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
    table = await timed.csv("standouts")
    assert [(row["kind"], row["peer"]) for row in table] == [(each["kind"], each["peer"]) for each in shown["items"]]
    of_busy = await timed.json("standouts", peer=BUSY)
    assert [each for each in of_busy["items"] if each["kind"] != "phase"] == [
        each for each in found if each["peer"] == BUSY
    ]


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


async def test_capacity_is_answered_from_what_was_measured(timed: Timed) -> None:
    asked = {"rate": 2, "document_bytes": 800_000, "classified_share": 0.5, "send_mode": "sieve"}
    shown = await timed.json("capacity", **asked)
    sent = [row for row in timed.rows if row["direction"] == "sent"]
    ended = [row for row in sent if row["outcome"] != "retry"]
    assert shown["load"]["rate_per_s"] == pytest.approx(len(ended) / (3600 * HOURS), rel=1e-3)
    assert {curve["mode"]: curve["count"] for curve in shown["curves"]} == Counter(
        row["mode"] for row in delivered(sent)
    )
    assert shown["asked"]["document_bytes"] == 800_000 and shown["answer"]["mode"] == "sieve"
    assert len(await timed.csv("capacity", **asked, table="measured")) == len(shown["measured"])
    rows = await timed.csv("capacity", **asked, table="curves")
    assert len(rows) == sum(len(curve["points"]) for curve in shown["curves"])
    rows = await timed.csv("capacity", **asked, table="model-curves")
    assert len(rows) == sum(len(model["points"]) for model in shown["models"])
    modes = await timed.csv("capacity", **asked, table="modes")
    assert [(row["mode"], row["demand_ci95_ms"]) for row in modes] == [
        (curve["mode"], "" if curve["demand_ci95_ms"] is None else str(curve["demand_ci95_ms"]))
        for curve in shown["curves"]
    ]
    [load] = await timed.csv("capacity", **asked, table="load")
    assert float(load["busiest_per_s"]) == shown["load"]["busiest_per_s"]
    [answer] = await timed.csv("capacity", **asked, table="answer")
    assert (answer["document_bytes"], answer["mode"]) == ("800000", "sieve")
    for name in ("response_ms", "saturation_per_s"):
        assert answer[name] == ("" if shown["answer"][name] is None else str(shown["answer"][name]))
    assert answer["reason"] == shown["answer"]["reason"]


async def test_the_busiest_hour_is_the_same_in_every_range_that_touches_it(timed: Timed) -> None:
    ended_s = [
        row["at_ns"] // NS_PER_S for row in timed.rows if row["direction"] == "sent" and row["outcome"] != "retry"
    ]
    hours = Counter(at_s // 3600 * 3600 for at_s in ended_s)
    most, at_s = max((count, start_s) for start_s, count in hours.items())
    until_s = timed.begin_s + 3600 * HOURS
    ranges = [
        (at_s, at_s + 3600),
        (at_s + 600, at_s + 1200),
        *((until_s - days * 86_400, until_s) for days in (1, 7, 30, 90)),
    ]
    for since_s, end_s in ranges:
        load = (await timed.json("capacity", since=iso(since_s), until=iso(end_s)))["load"]
        assert load["busiest_per_s"] == pytest.approx(most / 3600, rel=1e-3)
        assert (load["busiest_at"], load["busiest_span_s"]) == (iso(at_s), 3600)
    # Of half a year ago, only days are kept.
    load = (await timed.json("capacity", since=iso(until_s - 180 * 86_400), until=iso(until_s)))["load"]
    day = max(Counter(at_s // 86_400 for at_s in ended_s).values())
    assert load["busiest_per_s"] == pytest.approx(day / 86_400, rel=1e-3)
    assert load["busiest_span_s"] == 86_400


async def test_csv_without_a_table_has_all_of_them(timed: Timed) -> None:
    for path, names in (
        ("modes", ["cells", "break-even", "planner"]),
        ("queue", ["now", "series", "causes", "peers", "deadlines"]),
        ("capacity", ["curves", "measured", "models", "model-curves", "modes", "load", "answer"]),
    ):
        parts = [(await timed.get(path, format="csv", table=name)).text for name in names]
        whole = (await timed.get(path, format="csv")).text
        if path == "queue":  # ages of what waits change meanwhile, but nothing waits here
            assert parts[0].splitlines()[1].startswith("0,0,,")
        assert whole == "\r\n".join(f"{name}\r\n{part}" for name, part in zip(names, parts, strict=True))


async def test_an_empty_range_is_answered(timed: Timed) -> None:
    asked = timed.within(-600, -300)
    for path in ("summary", "responses", "cell", "phases", "modes", "points", "queue", "capacity"):
        shown = await timed.json(path, **asked)
        await timed.csv(path, **asked)
        match path:
            case "summary":
                assert shown["current"] == headline([])
                assert BUSY in shown["choices"]["peers"]  # so that a page knows that there were transfers
            case "responses":
                assert not any(shown["count"]) and not shown["cells"] and not shown["bucket_edges_ms"]
            case "phases":
                assert shown["groups"] == []
            case "capacity":
                assert (
                    not shown["answer"]["enough"] and "transfers are needed; there are 0" in shown["answer"]["reason"]
                )


async def test_a_range_of_years_has_the_same_transfers_in_wide_columns(timed: Timed) -> None:
    years = {"since": "2015-01-01T00:00:00Z", "until": iso(timed.begin_s + 3600 * HOURS)}
    few = await timed.json("responses", columns=3)
    assert len(few["columns"]) <= 4
    assert sum(few["count"]) == sum((await timed.json("responses"))["count"])
    for asked in ({}, {"channels": "1+1"}, {"peer": BUSY, "size": "1MB", "suite": SUITE}):
        shown = await timed.json("responses", **years, **asked)
        assert len(shown["columns"]) <= 181
        assert sum(shown["count"]) == (await timed.json("summary", **asked))["current"]["delivered"]
        ended = (await timed.json("queue", **years, **asked))["series"]["ended"]
        assert sum(ended) == sum((await timed.json("queue", **asked))["series"]["ended"])
        load = (await timed.json("capacity", **years, **asked))["load"]
        assert 0 < load["rate_per_s"] < load["busiest_per_s"]


REFUSED: Final[Sequence[tuple[dict[str, str], str]]] = (
    ({"since": "2026-01-02T00:00Z", "until": "2026-01-01T00:00Z"}, "query.since: the time range must begin before"),
    ({"since": "yesterday"}, "query.since: "),
    ({"peer": "nobody"}, "query.peer: this gateway never had a peer of this name"),
    ({"peer": "p" * 64}, "query.peer: "),
    ({"suite": "RC4"}, "query.suite: "),
    ({"channels": "many"}, "query.channels: "),
    ({"size": "2MB"}, "query.size: "),
    ({"direction": "up"}, "query.direction: "),
    ({"format": "xml"}, "query.format: "),
)


async def test_invalid_values_are_refused_in_one_sentence(world: World) -> None:
    async with world.client("root") as api:
        for asked, detail in REFUSED:
            answer = await api.get("/timings/phases", params=asked)
            assert answer.status_code == 422, asked
            assert answer.json()["detail"].startswith(detail)


@pytest.mark.parametrize("part", ["summary", "capacity", "cell", "queue"])
async def test_an_unknown_parameter_is_refused_by_its_name(world: World, part: str) -> None:
    async with world.client("root") as api:
        answer = await api.get(f"/timings/{part}", params={"range": "1h", "format": "csv"})
        assert answer.status_code == 422
        assert "query.range: this route has no such parameter; it takes batch, channels, " in answer.json()["detail"]
        refused = await api.post("/timings/rebuild", params={"now": "1"})
        assert refused.json()["detail"].endswith("query.now: this route has no such parameter; it takes none")
    async with world.client("anna") as api:
        assert (await api.get(f"/timings/{part}", params={"range": "1h"})).status_code == 403


async def test_a_plus_that_was_not_quoted_is_understood(world: World) -> None:
    async with world.client("root") as api:
        for address in ("channels=1+2", "channels=1%2B2", "batch=10+", "batch=10%2B"):
            assert (await api.get(f"/timings/phases?{address}")).status_code == 200


async def test_the_queue_now(world: World) -> None:
    now = now_ns()
    minute = 60 * NS_PER_S
    async with world.database.write() as session:
        author = await a_user(session, "annette")
        charlie = await a_peer(session, "charlie")
        document = await a_document(session, author)
        waiting = [
            await a_transfer(session, document, author, charlie, now_ns=now - age * minute, deadline_at_ns=until)
            for age, until in ((5, now + 30 * minute), (3, now + 90 * minute), (-1, now + 10 * minute))
        ]
    await world.settle_delivered(await world.send(b"a memo"))
    async with world.client("root") as api:
        shown = (await api.get("/timings/queue")).json()
        table = [
            *csv.DictReader(io.StringIO((await api.get("/timings/queue?format=csv&table=peers")).text, newline=""))
        ]
        [moment] = csv.DictReader(io.StringIO((await api.get("/timings/queue?format=csv&table=now")).text, newline=""))
        deadlines = (await api.get("/timings/queue?format=csv&table=deadlines")).text
    assert (shown["depth"], shown["sending"], moment["depth"]) == (3, 0, "3")
    assert shown["oldest_waiting_s"] >= 300
    # The one that was sent just now counts, too.
    assert shown["rate_in_per_s"] == pytest.approx(3 / 3570, rel=0.02)
    assert shown["rate_out_per_s"] == 0
    async with world.database.write() as session:
        await add(
            session, [made(random.Random(1), charlie.id, now / NS_PER_S) | {"direction": "sent", "outcome": "failed"}]
        )
    await world.services.timing_rollups.roll_up()
    async with world.client("root") as api:
        assert (await api.get("/timings/queue")).json()["rate_out_per_s"] == pytest.approx(1 / 3570, rel=0.02)
    assert [each["transfer_id"] for each in shown["deadlines"]] == [waiting[2].id, waiting[0].id]
    assert deadlines.count("charlie") == 2
    assert [(each["name"], each["waiting"]) for each in shown["peers"]] == [("charlie", 3), ("bravo", 0)]
    assert [(row["name"], row["waiting"]) for row in table] == [("charlie", "3"), ("bravo", "0")]
    assert [each["last_delivered_at"] is None for each in shown["peers"]] == [True, False]


async def test_what_waits_follows_the_filters_that_are_known_by_then(world: World) -> None:
    now = now_ns()
    async with world.database.write() as session:
        author = await a_user(session, "annette")
        charlie, delta = await a_peer(session, "charlie"), await a_peer(session, "delta")
        small = await a_document(session, author)
        large = await a_document(session, author)
        large.size = large.classified_size = 5 * MB
        for number, (peer, document) in enumerate([(charlie, small), (charlie, large), (delta, large)]):
            until = now + 600 * NS_PER_S
            row = await a_transfer(
                session, document, author, peer, now_ns=now - (number + 1) * NS_PER_S, deadline_at_ns=until
            )
            row.mode = "auto" if peer is delta else "sieve"
    async with world.client("root") as api:
        for asked, depth, waiting, accepted in (
            ({}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, 3),
            ({"peer": "charlie"}, 2, {"charlie": 2}, 2),
            ({"peer": "charlie", "size": "10MB"}, 1, {"charlie": 1}, None),
            ({"share": "100"}, 2, {"bravo": 0, "charlie": 1, "delta": 1}, None),
            ({"mode": "auto"}, 1, {"bravo": 0, "charlie": 0, "delta": 1}, None),
            # These are not known of what waits.
            ({"direction": "received"}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, 3),
            ({"channels": "1+1", "outcome": "failed"}, 3, {"bravo": 0, "charlie": 2, "delta": 1}, None),
        ):
            shown = (await api.get("/timings/queue", params=asked)).json()
            assert (shown["depth"], len(shown["deadlines"])) == (depth, depth), asked
            assert {each["name"]: each["waiting"] for each in shown["peers"]} == waiting
            series = shown["series"]["accepted"]
            assert (None if series is None else sum(series)) == accepted
            assert (shown["rate_in_per_s"] is None) == (accepted is None)
            long = await api.get("/timings/queue", params={"since": "2026-01-01T00:00Z", **asked})
            assert (long.json()["series"]["accepted"] is None) == bool(asked.keys() - {"direction"})
            table = await api.get("/timings/queue", params={**asked, "format": "csv", "table": "series"})
            assert (table.text.splitlines()[1].split(",")[1] == "") == (accepted is None)


async def test_a_breaker_that_is_open(world: World) -> None:
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    for open_ns, is_open in ((3600 * NS_PER_S, True), (-NS_PER_S, False)):
        async with world.database.write() as session:
            await session.merge(Breaker(peer_id=bravo.id, failures=5, open_until_ns=now_ns() + open_ns))
        async with world.client("root") as api:
            [peer] = (await api.get("/timings/queue")).json()["peers"]
            found = (await api.get("/timings/standouts")).json()["items"]
        assert (peer["failures"], peer["breaker_open_until"] is not None) == (5, is_open)
        assert [(each["kind"], each["peer"], each["count"]) for each in found] == [("paused", "bravo", 5)] * is_open
