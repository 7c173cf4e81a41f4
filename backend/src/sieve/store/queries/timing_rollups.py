"""Writes roll-ups of timing records, and reads the records for it: `store.models.timings` says what each is, and
`timing_sums` reads them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import ColumnElement, Row, Table, and_, delete, func, select, update
from sqlalchemy import column as column_of
from sqlalchemy import values as values_of
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import added_counts, insert
from sieve.store.models import TimingGroup, TimingRecord, TimingRollup
from sieve.store.models.timings import ANY, ANY_CLASS, HISTOGRAM_FIGURES, Grain, TimingState
from sieve.store.queries.inserts import CompiledInsert

NS_PER_S: Final = 1_000_000_000
WIDTHS: Final = (60, 3600, 86_400)
"""Seconds of each kind of period: a minute, an hour, a day."""

_RECORDS: Final = cast(Table, TimingRecord.__table__)
_GROUPS: Final = cast(Table, TimingGroup.__table__)
_ROLLUPS: Final = cast(Table, TimingRollup.__table__)

_KEY: Final = ("width_s", "grain", "start_s", "group_id")
COUNTS: Final = tuple(f"{figure}_counts" for figure in HISTOGRAM_FIGURES)
"""The columns of histograms."""
SUMS: Final = tuple(column.name for column in _ROLLUPS.columns if column.name not in (*_KEY, *COUNTS))
"""The columns of sums."""
ROW: Final = (*_KEY, *SUMS, *COUNTS)

_BASE: Final = frozenset({"direction", "outcome", "cause", "mode"})
_PEER: Final = frozenset({"peer_id"})
_SIZE: Final = frozenset({"size_class", "share_class"})
_LINK: Final = frozenset({"channels", "suite", "batch_class"})
GRAINS: Final[Mapping[Grain, frozenset[str]]] = {
    "base": _BASE,
    "peer": _BASE | _PEER,
    "size": _BASE | _SIZE,
    "link": _BASE | _LINK,
    "peer-size": _BASE | _PEER | _SIZE,
    "peer-link": _BASE | _PEER | _LINK,
    "size-link": _BASE | _SIZE | _LINK,
    "full": _BASE | _PEER | _SIZE | _LINK,
}
"""By which dimensions each grain divides, the coarsest grain first."""


def widths(grain: Grain) -> Sequence[int]:
    """The widths for which there are roll-ups of that grain."""
    return WIDTHS[1:] if "-" in grain else WIDTHS


def is_fine(grain: Grain) -> bool:
    """Whether it divides by two of peer, size and link, or by all."""
    return "-" in grain or grain == "full"


class Group(NamedTuple):
    """The dimensions of a group, in the order of its columns."""

    grain: str
    direction: str
    outcome: str
    cause: str
    mode: str
    peer_id: str
    size_class: int
    share_class: int
    channels: str
    suite: str
    batch_class: int

    def of_grain(self, grain: Grain) -> "Group":
        """The group of that grain to which this one belongs."""
        rest = [value if kept else any_ for value, (kept, any_) in zip(self[1:], _KEPT[grain], strict=True)]
        return Group._make((grain, *rest))


_KEPT: Final = {
    grain: [(name in kept, ANY_CLASS if name.endswith("_class") else ANY) for name in Group._fields[1:]]
    for grain, kept in GRAINS.items()
}
"""For each dimension, whether the grain divides by it, and its value if not."""


def grain_for(dimensions: Iterable[str], width_s: int = WIDTHS[-1]) -> Grain:
    """The coarsest grain that divides by all of these, of those with roll-ups of that width."""
    needed = set(dimensions)
    return next(grain for grain, kept in GRAINS.items() if needed <= kept and width_s in widths(grain))


# --- what is rolled up -----------------------------------------------------------------------------------------------


async def state(session: AsyncSession) -> TimingState:
    """How far timings are."""
    return (await session.scalars(select(TimingState))).one()


async def advance(session: AsyncSession, from_id: int, to_id: int) -> bool:
    """Moves `rolled_up_id`; False if it is not `from_id` any more."""
    moved = await session.execute(
        update(TimingState)
        .where(TimingState.rolled_up_id == from_id)
        .values(rolled_up_id=to_id)
        .execution_options(synchronize_session=False)
    )
    return bool(cast(Any, moved).rowcount)


async def request_rebuild(session: AsyncSession) -> None:
    """All roll-ups are to be computed again."""
    await session.execute(update(TimingState).values(rebuild_from_s=0).execution_options(synchronize_session=False))


async def rebuilt(session: AsyncSession, from_s: int, to_s: int | None) -> None:
    """Moves `rebuild_from_s`, unless it is not `from_s` any more. None: all are computed again."""
    await session.execute(
        update(TimingState)
        .where(TimingState.rebuild_from_s == from_s)
        .values(rebuild_from_s=to_s)
        .execution_options(synchronize_session=False)
    )


async def last_record_id(session: AsyncSession) -> int:
    """The highest id of a record; 0 if there are none."""
    last: int | None = await session.scalar(select(func.max(_RECORDS.c.id)))
    return last or 0


RECORD_COLUMNS: Final = tuple(
    column.name for column in _RECORDS.columns if column.name not in ("transfer_id", "attempt")
)


async def records_after(session: AsyncSession, record_id: int, most: int) -> Sequence[Row[*tuple[Any, ...]]]:
    """The next records by id, as `RECORD_COLUMNS`."""
    wanted = select(*_record_columns()).where(_RECORDS.c.id > record_id).order_by(_RECORDS.c.id).limit(most)
    return (await session.execute(wanted)).all()


async def records_between(
    session: AsyncSession, since_s: int, until_s: int, up_to_id: int
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The records that ended from `since_s` on and before `until_s`, of those up to an id, as `RECORD_COLUMNS`."""
    wanted = (
        select(*_record_columns())
        .where(_RECORDS.c.at_ns >= since_s * NS_PER_S, _RECORDS.c.at_ns < until_s * NS_PER_S)
        .where(_RECORDS.c.id <= up_to_id)
    )
    return (await session.execute(wanted)).all()


async def first_s(session: AsyncSession, since_s: int) -> int | None:
    """The earliest second from `since_s` on at which a record ended or a period of roll-ups starts; None if there are
    neither."""
    first_ns: int | None = await session.scalar(
        select(_RECORDS.c.at_ns).where(_RECORDS.c.at_ns >= since_s * NS_PER_S).order_by(_RECORDS.c.at_ns).limit(1)
    )
    found = [] if first_ns is None else [first_ns // NS_PER_S]
    for grain in GRAINS:
        for width_s in widths(grain):
            start_s = await first_period_s(session, grain, width_s, since_s)
            found += [] if start_s is None else [start_s]
    return min(found, default=None)


async def first_period_s(session: AsyncSession, grain: Grain, width_s: int, since_s: int = 0) -> int | None:
    """The start of the first period of roll-ups from `since_s` on."""
    table = _ROLLUPS.c
    found: int | None = await session.scalar(
        select(table.start_s)
        .where(table.width_s == width_s, table.grain == grain, table.start_s >= since_s)
        .order_by(table.start_s)
        .limit(1)
    )
    return found


def _record_columns() -> list[ColumnElement[Any]]:
    return [_RECORDS.c[name] for name in RECORD_COLUMNS]


# --- removing --------------------------------------------------------------------------------------------------------


async def remove(session: AsyncSession, grain: Grain, width_s: int, since_s: int, until_s: int) -> None:
    """Removes the roll-ups of periods that start from `since_s` on and before `until_s`."""
    table = _ROLLUPS.c
    await session.execute(
        delete(_ROLLUPS).where(
            table.width_s == width_s, table.grain == grain, table.start_s >= since_s, table.start_s < until_s
        )
    )


async def keep_from(session: AsyncSession, start_s: int) -> None:
    """Records that ended earlier will be removed; moves `kept_from_s` forward."""
    await session.execute(
        update(TimingState)
        .where(TimingState.kept_from_s < start_s)
        .values(kept_from_s=start_s)
        .execution_options(synchronize_session=False)
    )


async def remove_records(session: AsyncSession, before_s: int, most: int) -> int:
    """Removes records that ended earlier and are rolled up; returns how many."""
    rolled_up_id = select(TimingState.rolled_up_id).scalar_subquery()
    overdue = (
        select(_RECORDS.c.id)
        .where(_RECORDS.c.at_ns < before_s * NS_PER_S, _RECORDS.c.id <= rolled_up_id)
        .order_by(_RECORDS.c.at_ns)
        .limit(most)
    )
    removed = await session.execute(delete(_RECORDS).where(_RECORDS.c.id.in_(overdue)))
    return int(cast(Any, removed).rowcount)


# --- writing ---------------------------------------------------------------------------------------------------------


async def group_ids(session: AsyncSession, groups: Collection[Group]) -> dict[Group, int]:
    """The id of each group, of which there is at least one; makes those that do not exist."""
    await session.execute(_ADD_GROUP, [group._asdict() for group in groups])
    columns = [_GROUPS.c[name] for name in Group._fields]
    # SQLite would read the whole table for a tuple in a list of tuples.
    named = values_of(*(column_of(name, _GROUPS.c[name].type) for name in Group._fields), name="named")
    asked = named.data([tuple(group) for group in groups]).cte()
    wanted = select(_GROUPS.c.id, *columns).join_from(
        asked, _GROUPS, and_(*(_GROUPS.c[name] == asked.c[name] for name in Group._fields))
    )
    return {Group(*row[1:]): row[0] for row in await session.execute(wanted)}


async def add(session: AsyncSession, rows: Sequence[tuple[Any, ...]]) -> None:
    """Adds to roll-ups, or makes them. Each row is the values of `ROW`."""
    await _ADD.run(session, rows)


_ADD_GROUP: Final = insert(_GROUPS).on_conflict_do_nothing()
_INSERT: Final = insert(_ROLLUPS)
_ADD: Final = CompiledInsert(
    _INSERT.on_conflict_do_update(
        index_elements=list(_KEY),
        set_={name: _ROLLUPS.c[name] + _INSERT.excluded[name] for name in SUMS}
        | {name: added_counts(_ROLLUPS.c[name], _INSERT.excluded[name]) for name in COUNTS},
    ),
    ROW,
)
