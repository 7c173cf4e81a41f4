"""Timings, for admins: what transfers cost, where their time goes, and what load this gateway can carry.

Each answer is JSON or, with `format=csv`, a table of the same numbers.
"""

from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from starlette.concurrency import run_in_threadpool

from sieve.gateway.telemetry.timing_queries import Points
from sieve.store.models.timings import HistogramFigure
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.services import Given
from sieve.web.timings import answers, capacity, queue, standouts, tables
from sieve.web.timings.answers import MOST_IN_CELL
from sieve.web.timings.filters import MOST_COLUMNS, Asked
from sieve.web.timings.known_parameters import known_parameters
from sieve.web.timings.schemas import (
    CapacityShown,
    CellShown,
    CellTransfer,
    ModesShown,
    PhaseGroup,
    PhasesBy,
    PhasesShown,
    PointsShown,
    QueueShown,
    ResponsesShown,
    Standout,
    StandoutsShown,
    TimingsSummary,
)

router = api_router("/timings", tag="timings", dependencies=[Depends(known_parameters)])

Edge = Annotated[float, Query(ge=0, le=1e12, allow_inf_nan=False)]
WhichTable = Query(description="The table that csv contains; all if missing, each below its name.")


@router.get("/summary", response_model=TimingsSummary)
async def summary(admin: Admin, services: Given, asked: Asked) -> TimingsSummary | Response:
    """How many transfers ended and how long they took, beside the time range of the same length before."""
    async with services.database.browse() as session:
        found = await answers.summary(session, asked.span, await asked.resolved(session))
    return tables.csv_of("summary", tables.of_summary(found)) if asked.as_csv else found


@router.get("/standouts", response_model=StandoutsShown)
async def standouts_in(admin: Admin, services: Given, asked: Asked) -> StandoutsShown | Response:
    """What stands out: paused peers, frequent causes of failures, and phases that take longer than before or longer
    than with other peers.
    """
    async with services.database.browse() as session:
        found = await standouts.shown(session, asked.span, await asked.resolved(session))
    return tables.csv_of("standouts", tables.of_rows(found.items, Standout)) if asked.as_csv else found


@router.post("/rebuild", status_code=204)
async def rebuild(admin: Admin, services: Given) -> None:
    """Starts to compute all sums again from the timings of single transfers, in the background. `progress` of the
    summary says how far it is. It continues when the gateway is started again.

    Sums of days whose single timings are not kept any more stay as they are.
    """
    await services.timing_rollups.request_rebuild()


@router.get("/responses", response_model=ResponsesShown)
async def responses(
    admin: Admin,
    services: Given,
    asked: Asked,
    figure: HistogramFigure = "response",
    columns: Annotated[
        int, Query(ge=1, le=MOST_COLUMNS, description="About how many columns to divide the range into.")
    ] = MOST_COLUMNS,
) -> ResponsesShown | Response:
    """A heatmap of one figure over time, and its percentiles."""
    async with services.database.browse() as session:
        found = await answers.responses(session, asked.span, await asked.resolved(session), figure, columns)
    return tables.csv_of(f"{figure}-over-time", tables.of_responses(found)) if asked.as_csv else found


@router.get("/cell", response_model=CellShown)
async def cell(
    admin: Admin,
    services: Given,
    asked: Asked,
    figure: HistogramFigure = "response",
    low_ms: Edge = 0,
    high_ms: Edge = 1e12,
    limit: Annotated[int, Query(ge=1, le=100_000, description="The greatest number of transfers.")] = MOST_IN_CELL,
) -> CellShown | Response:
    """The latest delivered transfers of which a figure is longer than `low_ms` and at most `high_ms`."""
    async with services.database.browse() as session:
        filters = await asked.resolved(session)
        found = await answers.cell(session, asked.span, filters, figure, low_ms, high_ms, limit)
    return tables.csv_of("cell", tables.of_rows(found.transfers, CellTransfer)) if asked.as_csv else found


@router.get("/phases", response_model=PhasesShown)
async def phases(admin: Admin, services: Given, asked: Asked, by: PhasesBy = "size") -> PhasesShown | Response:
    """Where the time of delivered transfers goes."""
    async with services.database.browse() as session:
        found = await answers.phases(session, asked.span, await asked.resolved(session), by)
    return tables.csv_of(f"phases-by-{by}", tables.of_rows(found.groups, PhaseGroup)) if asked.as_csv else found


@router.get("/modes", response_model=ModesShown)
async def modes(
    admin: Admin,
    services: Given,
    asked: Asked,
    table: Annotated[tables.ModesTable | None, WhichTable] = None,
) -> ModesShown | Response:
    """Sieve compared with secure-only, and the planner's estimates with the responses that were measured."""
    async with services.database.browse() as session:
        found = await answers.modes(session, asked.span, await asked.resolved(session))
    return tables.csv_of_all("modes", tables.of_modes(found), table) if asked.as_csv else found


@router.get("/points", response_model=PointsShown)
async def points(
    admin: Admin, services: Given, asked: Asked, limit: Annotated[int, Query(ge=1, le=100_000)] = 20_000
) -> PointsShown | Response:
    """Each delivered transfer as a point, or a random sample of them."""
    async with services.database.browse() as session:
        found = await answers.points(session, asked.span, await asked.resolved(session), limit)
    # In a thread: 100,000 points take most of a second.
    return await run_in_threadpool(_points_answer, found, as_csv=asked.as_csv)


def _points_answer(found: Points, *, as_csv: bool) -> Response:
    shown = answers.points_shown(found)
    if as_csv:
        return tables.csv_of("points", tables.of_points(shown))
    return Response(shown.model_dump_json(), media_type="application/json")


@router.get("/queue", response_model=QueueShown)
async def queue_now(
    admin: Admin,
    services: Given,
    asked: Asked,
    table: Annotated[tables.QueueTable | None, WhichTable] = None,
) -> QueueShown | Response:
    """The outbox and the peers as they are now, and why attempts failed in the span."""
    async with services.database.browse() as session:
        found = await queue.shown(session, asked.span, await asked.resolved(session))
    return tables.csv_of_all("queue", tables.of_queue(found), table) if asked.as_csv else found


@router.get("/capacity", response_model=CapacityShown)
async def capacity_of(
    admin: Admin,
    services: Given,
    asked: Asked,
    rate: Annotated[float, Query(gt=0, le=1e6, allow_inf_nan=False, description="Documents that arrive per second.")]
    | None = None,
    document_bytes: Annotated[int, Query(ge=0, le=2**62)] | None = None,
    classified_share: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] | None = None,
    documents: Annotated[int, Query(ge=1, le=64, description="How many are sent together.")] = 1,
    secure_channels: Annotated[int, Query(ge=1, le=64)] = 1,
    plain_channels: Annotated[int, Query(ge=1, le=64)] = 1,
    send_mode: Annotated[Literal["auto", "sieve", "secure-only"], Query(description="auto: the faster one.")] = "auto",
    table: Annotated[tables.CapacityTable | None, WhichTable] = None,
) -> CapacityShown | Response:
    """What load this gateway can carry, and how long a document would take. Missing values are those of the measured
    transfers.
    """
    wish = capacity.Wish(rate, document_bytes, classified_share, documents, secure_channels, plain_channels, send_mode)
    async with services.database.browse() as session:
        measured = await capacity.measured(session, asked.span, await asked.resolved(session))
    found = await run_in_threadpool(capacity.shown, measured, wish)
    return tables.csv_of_all("capacity", tables.of_capacity(found), table) if asked.as_csv else found
