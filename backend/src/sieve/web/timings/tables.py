"""Answers as CSV: the numbers of the JSON, one table to a file."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fastapi import Response
from pydantic import BaseModel

from sieve.web.csv_cells import cell
from sieve.web.downloads import disposition
from sieve.web.timings.schemas import (
    BreakEvenShown,
    CapacityLoad,
    CapacityShown,
    CauseCount,
    DeadlineShown,
    Headline,
    ModesCell,
    ModesShown,
    PeerQueue,
    PlannerShown,
    PointsShown,
    QueueShown,
    ResponsesShown,
    TimingsSummary,
)

ModesTable: TypeAlias = Literal["cells", "break-even", "planner"]
QueueTable: TypeAlias = Literal["now", "series", "causes", "peers", "deadlines"]
CapacityTable: TypeAlias = Literal["curves", "measured", "models", "model-curves", "modes", "load", "answer"]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a heading. A null is an empty cell."""

    heading: Sequence[str]
    rows: Iterable[Sequence[Any]]


def csv_of(name: str, table: Table) -> Response:
    """A file `timings-NAME.csv` with one table (RFC 4180)."""
    return _answer(name, [table.heading, *table.rows])


def csv_of_all(name: str, tables: Mapping[str, Table], wanted: str | None) -> Response:
    """A file with the table that is wanted; with all if none is, each below a line with its name."""
    if wanted is not None:
        return csv_of(f"{name}-{wanted}", tables[wanted])
    lines: list[Sequence[Any]] = []
    for title, table in tables.items():
        lines += [[], [title], table.heading, *table.rows]
    return _answer(name, lines[1:])


def _answer(name: str, lines: Iterable[Sequence[Any]]) -> Response:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([cell(value) for value in line] for line in lines)
    return Response(
        out.getvalue().encode(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition(f"timings-{name}.csv")},
    )


def of_rows(shown: Sequence[BaseModel], kind: type[BaseModel]) -> Table:
    """A row for each object of one schema."""
    heading = _columns(kind)
    return Table(heading, [[row.get(column) for column in heading] for row in map(_flat, shown)])


def of_summary(found: TimingsSummary) -> Table:
    """Both time ranges. `own` is known of the current one alone."""
    heading = ["range", "since", "until", *_columns(Headline), "own"]
    ranges = (
        ("current", found.since, found.until, found.current, found.own),
        ("previous", found.previous_since, found.previous_until, found.previous, None),
    )
    rows = [
        {"range": name, "since": since, "until": until, **_flat(of), "own": own}
        for name, since, until, of, own in ranges
    ]
    return Table(heading, [[row.get(column) for column in heading] for row in rows])


def of_responses(found: ResponsesShown) -> Table:
    """A row for each column of the heatmap: its percentiles, and the transfers in each bucket by its upper edge."""
    edges = [f"up_to_{edge:.6g}_ms" for edge in found.bucket_edges_ms[1:]]
    counts = [[0] * len(edges) for _ in found.columns]
    for column, bucket, count in found.cells:
        counts[column][bucket] = count
    lists = zip(found.columns, found.count, found.p50_ms, found.p95_ms, found.p99_ms, counts, strict=True)
    heading = ["column", "count", "p50_ms", "p95_ms", "p99_ms", *edges]
    return Table(heading, [(*row, *buckets) for *row, buckets in lists])


def of_modes(found: ModesShown) -> Mapping[str, Table]:
    """Each table of the modes compared."""
    return {
        "cells": of_rows(found.cells, ModesCell),
        "break-even": of_rows(found.break_even, BreakEvenShown),
        "planner": of_rows([found.planner], PlannerShown),
    }


def of_points(found: PointsShown) -> Table:
    """A row for each point."""
    names = [name for name in PointsShown.model_fields if name not in ("of", "count")]
    return Table(names, zip(*(getattr(found, name) for name in names), strict=True))


def of_queue(found: QueueShown) -> Mapping[str, Table]:
    """Each table of the queue."""
    now = ["depth", "sending", "oldest_waiting_s", "oldest_sending_s", "rate_in_per_s", "rate_out_per_s"]
    series = found.series
    accepted: Sequence[int | None] = series.accepted or [None] * len(series.ended)
    return {
        "now": Table(now, [[getattr(found, name) for name in now]]),
        "series": Table(
            ["column", "accepted", "ended"],
            zip(series.columns, accepted, series.ended, strict=True),
        ),
        "causes": of_rows(found.causes, CauseCount),
        "peers": of_rows(found.peers, PeerQueue),
        "deadlines": of_rows(found.deadlines, DeadlineShown),
    }


def of_capacity(found: CapacityShown) -> Mapping[str, Table]:
    """Each table of the capacity."""
    curves = [(curve.mode, *point) for curve in found.curves for point in curve.points]
    models = ["name", "demand_ms", "servers", "saturation_per_s", "error_percent"]
    model_curves = [(model.name, *point) for model in found.models for point in model.points]
    modes = ["mode", "count", "sampled", "demand_ms", "demand_ci95_ms", "extrapolated", "saturation_per_s", "reason"]
    asked, answer = _flat(found.asked), _flat(found.answer)
    told = [name for name in answer if name != "said"]
    return {
        "curves": Table(["mode", "rate_per_s", "response_ms"], curves),
        "measured": Table(["rate_per_s", "response_ms", "transfers"], found.measured),
        "models": Table(models, [[getattr(model, name) for name in models] for model in found.models]),
        "model-curves": Table(["name", "rate_per_s", "response_ms"], model_curves),
        "modes": Table(modes, [[getattr(curve, name) for name in modes] for curve in found.curves]),
        "load": of_rows([found.load], CapacityLoad),
        "answer": Table([*asked, *told], [[*asked.values(), *(answer[name] for name in told)]]),
    }


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
