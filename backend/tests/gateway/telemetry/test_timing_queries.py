"""Any question about roll-ups is answered as plain Python answers it from the records."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from gateway.telemetry.rolled_up import Time, approximately, fill, quick, run
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_queries import Span
from sieve.store.models.timings import HISTOGRAM_FIGURES, SAMPLED_FROM
from sieve.store.queries import timing_points, timing_sums
from sieve.store.queries.timing_rollups import SUMS
from timing_rows import (
    DAY,
    DIMENSIONS,
    NOW_S,
    S,
    Values,
    dimensions,
    grouped,
    is_own,
    plain_totals,
    records,
    times,
)

T = TypeVar("T")

BY: Final = st.lists(
    st.sampled_from(["direction", "outcome", "cause", "mode", "peer_id", "size_class", "share_class"]),
    unique=True,
    max_size=3,
)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Filters, list[Any], Span, int, int, dict[str, int]]:
    """Filters, dimensions, a span of whole minutes that are kept, the width of columns, how long an earlier span ends
    before it, and when groups are looked up: with a cost of 0 all are, of none the ids are named, of 0 hours each is
    read from the index."""

    def maybe(values: st.SearchStrategy[T]) -> T | None:
        return draw(st.none() | st.none() | values)

    filters = Filters(
        direction=maybe(st.sampled_from(["sent", "received"])),
        peer_ids=maybe(st.frozensets(st.sampled_from(DIMENSIONS["peer_id"]), max_size=2)),
        mode=maybe(st.sampled_from(["sieve", "secure-only"])),
        size_class=maybe(st.integers(0, 3)),
        share_class=maybe(st.integers(0, 7)),
        channels=maybe(st.sampled_from(["0+0", "1+1", "1+2"])),
        suite=maybe(st.sampled_from(["", "TLS_AES_128_GCM_SHA256"])),
        batch_class=maybe(st.integers(0, 3)),
        outcome=maybe(st.sampled_from(["delivered", "retry"])),
    )
    ends = [NOW_S - NOW_S % 60 + 60 - 60 * draw(st.integers(0, 2 * 1440)) for _ in range(2)]
    # From a whole hour or day on, roll-ups follow those of the earlier span without a gap.
    start_of_s = draw(st.sampled_from([60, 3600, DAY]))
    span = Span(min(ends) - min(ends) % start_of_s, max(ends))
    column_s = draw(st.sampled_from([60, 300, 3600, 7200, DAY]))
    limits = {
        "LOOKUP_COST": draw(st.sampled_from([0, 8])),
        "FEW_GROUPS": draw(st.sampled_from([0, 3000])),
        "INDEXED_HOURS": draw(st.sampled_from([0, 6])),
        "INDEXED_COARSE_HOURS": draw(st.sampled_from([0, 24])),
    }
    return filters, draw(BY), span, column_s, draw(st.sampled_from([0, 60])), limits


def is_asked_for(record: Values, filters: Filters, span: Span) -> bool:
    divided = dimensions(record)
    values = {name: value for name, value in filters.values().items() if name != "direction"}
    # What a gateway sent to itself counts once, unless received documents are asked for.
    if not (record["direction"] == filters.direction if filters.direction else not is_own(record)):
        return False
    return span.since_s * S <= record["at_ns"] < span.until_s * S and all(
        divided[name] in value for name, value in values.items()
    )


@settings(max_examples=examples(4))
@given(data=st.data())
def test_every_question_is_answered_as_plain_python_answers_it(migrated: Path, data: st.DataObject) -> None:
    ended_s = st.integers(NOW_S - 2 * DAY, NOW_S) | st.integers(NOW_S - 3600, NOW_S)
    every = data.draw(st.lists(records(ended_s), min_size=20, max_size=40))
    asked = data.draw(st.lists(questions(), min_size=8, max_size=8))

    async def ask(path: Path, patched: pytest.MonkeyPatch) -> None:
        database = await fill(path, every, Time())
        try:
            for filters, by, span, column_s, gap_s, limits in asked:
                counted = [record for record in every if is_asked_for(record, filters, span)]
                async with database.browse() as session:
                    for name, limit in limits.items():
                        patched.setattr(timing_sums, name, limit)
                    sums = await timing_queries.totals(session, span, filters, by, sums=SUMS, now_s=NOW_S)
                    counts = await timing_queries.counts(session, span, filters, by, now_s=NOW_S)
                    earlier = Span(span.since_s - DAY, span.since_s - gap_s)
                    of_both = await timing_queries.counts_of_ranges(session, (span, earlier), filters, by, now_s=NOW_S)
                    per_column = await timing_queries.counts(session, span, filters, by, column_s=column_s, now_s=NOW_S)
                    stored = await timing_queries.histograms(session, span, filters, "stored", by, now_s=NOW_S)
                    columns = await timing_queries.totals(
                        session, span, filters, by, column_s=column_s, sums=SUMS, now_s=NOW_S
                    )
                    waits = await timing_queries.histograms(
                        session, span, filters, "waiting", by, column_s=column_s, now_s=NOW_S
                    )
                    both = await timing_queries.totals_and_histograms(session, span, filters, by, now_s=NOW_S)
                    points = await timing_queries.points(session, span, filters, 100, now_s=NOW_S)
                    cell = await timing_queries.in_cell(session, span, filters, "total", 10, 10**7, 100)
                    edges = span.since_s * S, span.until_s * S
                    samples = [
                        await timing_points.timed(session, ["transfer_id"], *edges, sample, 100, filters.of_records())
                        for sample in (1, SAMPLED_FROM)
                    ]
                groups = {key[1:]: found for key, found in grouped(counted, by).items()}
                assert sums == {key: approximately(plain_totals(found)) for key, found in groups.items()}
                assert counts == {key: len(found) for key, found in groups.items()}
                before = [record for record in every if is_asked_for(record, filters, earlier)]
                groups_before = {key[1:]: found for key, found in grouped(before, by).items()}
                assert of_both == {
                    key: (len(groups.get(key, ())), len(groups_before.get(key, ())))
                    for key in groups.keys() | groups_before.keys()
                }
                assert stored == {
                    key: Histogram.of(measured) for key, found in groups.items() if (measured := times(found, "stored"))
                }
                in_columns = grouped(counted, by, column_s)
                assert per_column == {key: len(found) for key, found in in_columns.items()}
                assert columns == {key: approximately(plain_totals(found)) for key, found in in_columns.items()}
                assert waits == {
                    key: Histogram.of(waited)
                    for key, found in in_columns.items()
                    if (waited := times(found, "waiting"))
                }
                assert both == {
                    key: (
                        approximately(plain_totals(found)),
                        {
                            figure: Histogram.of(measured)
                            for figure in HISTOGRAM_FIGURES
                            if (measured := times(found, figure))
                        },
                    )
                    for key, found in groups.items()
                }
                timed = [record for record in counted if record["response_us"] is not None]
                assert points.of == len(timed)
                assert {each.transfer_id for each in points.points} == {each["transfer_id"] for each in timed}
                for sample, rows in zip((1, SAMPLED_FROM), samples, strict=True):
                    assert {row[0] for row in rows} == {
                        each["transfer_id"] for each in timed if each["sample"] >= sample
                    }
                in_cell = [each for each in timed if each["total_us"] is not None and 10 < each["total_us"] <= 10**7]
                assert {each.transfer_id for each in cell} == {each["transfer_id"] for each in in_cell}
                assert [each.at_ns for each in cell] == sorted((each["at_ns"] for each in in_cell), reverse=True)
        finally:
            await database.dispose()

    with TemporaryDirectory() as folder, quick():
        path = Path(folder, "sieve.db")
        shutil.copyfile(migrated, path)
        with pytest.MonkeyPatch.context() as patched:
            run(ask(path, patched))
