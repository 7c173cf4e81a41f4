"""Timings over the web API, as JSON and CSV, against the same records in plain Python."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

import pytest
from sqlalchemy import select

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_classes import SHARE_CLASSES, SIZE_CLASSES
from sieve.store.models.timings import TimingRollup
from sieve.store.queries.peers import OWN_ID
from sieve.web.timings.schemas import PhaseMeans
from timing_rows import Values, dimensions, is_own
from web.timed import (
    BUSY,
    FILTERS,
    FORMULA,
    HERE,
    HOURS,
    LONG_NAME,
    PERCENTILES,
    REUSED,
    SUITE,
    Timed,
    delivered,
    headline,
    is_as_expected,
    iso,
    near,
    percentile,
)
from web_world import World


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
            "clock_moved": row["clock_moved"],
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
                assert not shown["answer"]["enough"] and "are needed; there are 0" in shown["answer"]["reason"]


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
