"""Answers as CSV: the numbers of the JSON, one table to a file."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import Response
from pydantic import BaseModel

from sieve.web.downloads import disposition
from sieve.web.timings.schemas import (
    CapacityCurve,
    CapacityModel,
    Headline,
    PointsShown,
    QueueSeries,
    QueueShown,
    ResponsesShown,
    TimingsSummary,
)

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_answer(name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> Response:
    """A file `timings-NAME.csv`, with CRLF and one heading line (RFC 4180). A null is an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(heading)
    writer.writerows([cell(value) for value in row] for row in rows)
    return Response(
        out.getvalue().encode(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition(f"timings-{name}.csv")},
    )


def cell(value: Any) -> Any:
    """One value. Text that a spreadsheet would run as a formula gets an apostrophe: other gateways chose some names."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value


def of_rows(name: str, shown: Sequence[BaseModel], kind: type[BaseModel]) -> Response:
    """A row for each object of one schema."""
    heading = _columns(kind)
    return csv_answer(name, heading, ([row.get(column) for column in heading] for row in map(_flat, shown)))


def of_summary(found: TimingsSummary) -> Response:
    """Both time ranges."""
    heading = ["range", "since", "until", *_columns(Headline)]
    previous = found.since - (found.until - found.since)
    ranges = (("current", found.since, found.until, found.current), ("previous", previous, found.since, found.previous))
    rows = [{"range": name, "since": since, "until": until, **_flat(of)} for name, since, until, of in ranges]
    return csv_answer("summary", heading, ([row.get(column) for column in heading] for row in rows))


def of_responses(found: ResponsesShown) -> Response:
    """A row for each column of the heatmap: its percentiles, and the transfers in each bucket by its upper edge."""
    edges = [f"up_to_{edge:.6g}_ms" for edge in found.bucket_edges_ms[1:]]
    counts = [[0] * len(edges) for _ in found.columns]
    for column, bucket, count in found.cells:
        counts[column][bucket] = count
    lists = zip(found.columns, found.count, found.p50_ms, found.p95_ms, found.p99_ms, counts, strict=True)
    heading = ["column", "count", "p50_ms", "p95_ms", "p99_ms", *edges]
    return csv_answer(f"{found.figure}-over-time", heading, ((*row, *buckets) for *row, buckets in lists))


def of_points(found: PointsShown) -> Response:
    """A row for each point."""
    names = [name for name in PointsShown.model_fields if name not in ("of", "count")]
    return csv_answer("points", names, zip(*(getattr(found, name) for name in names), strict=True))


def of_queue_now(found: QueueShown) -> Response:
    """The numbers of this moment."""
    names = ["depth", "sending", "oldest_waiting_s", "rate_in_per_s", "rate_out_per_s"]
    return csv_answer("queue", names, [[getattr(found, name) for name in names]])


def of_queue_series(found: QueueSeries) -> Response:
    """A row for each column."""
    accepted: Sequence[int | None] = found.accepted or [None] * len(found.columns)
    return csv_answer(
        "queue-over-time", ["column", "accepted", "ended"], zip(found.columns, accepted, found.ended, strict=True)
    )


def of_curves(found: Sequence[CapacityCurve]) -> Response:
    """A row for each point of each curve."""
    rows = ((curve.mode, *point) for curve in found for point in curve.points)
    return csv_answer("capacity", ["mode", "rate_per_s", "response_ms"], rows)


def of_models(found: Sequence[CapacityModel]) -> Response:
    """A row for each model, without its curve."""
    names = [name for name in CapacityModel.model_fields if name != "points"]
    return csv_answer("models", names, ([getattr(model, name) for name in names] for model in found))


def of_measured(found: Sequence[tuple[float, float, int]]) -> Response:
    """A row for each measured period."""
    return csv_answer("capacity-measured", ["rate_per_s", "response_ms", "transfers"], found)


def _flat(shown: BaseModel) -> dict[str, Any]:
    """The fields of an object; those of an object within it as `outer_inner`, and none of them if it is null."""
    found: dict[str, Any] = {}
    for name, value in shown:
        if isinstance(value, BaseModel):
            found |= {f"{name}_{inner}": each for inner, each in _flat(value).items()}
        else:
            found[name] = value
    return found


def _columns(kind: type[BaseModel]) -> list[str]:
    """The columns of a schema, with those of the schemas within it."""
    found: list[str] = []
    for name, field in kind.model_fields.items():
        inner = _schema_in(field.annotation)
        found += [name] if inner is None else [f"{name}_{each}" for each in _columns(inner)]
    return found


def _schema_in(annotation: Any) -> type[BaseModel] | None:
    """The schema of a field that has one, or may be null."""
    for each in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None
