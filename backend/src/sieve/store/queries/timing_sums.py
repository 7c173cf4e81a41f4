"""What roll-ups of timing records add up to: sums and histograms of ranges of time, by any of their dimensions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    Subquery,
    Table,
    TextClause,
    and_,
    case,
    func,
    literal_column,
    or_,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import joined
from sieve.store.models import TimingGroup, TimingRollup
from sieve.store.models.timings import (
    ANY,
    ANY_CLASS,
    INDEXED_FROM_S,
    INDEXED_PHASES_FROM_S,
    INDEXED_SUMS,
    PHASE_SUMS,
    Grain,
)
from sieve.store.queries.timing_rollups import COUNTS, GRAINS, SUMS, is_fine

FEW_GROUPS: Final = 3000
"""Groups whose ids a statement names."""
LOOKUP_COST: Final = 8
"""To look up one group in one period takes as long as to read so many roll-ups in their order."""
INDEXED_HOURS: Final = 6
"""Fewer hours are not looked for in an index by group."""
INDEXED_COARSE_HOURS: Final = 24
"""Nor are fewer hours of a coarse grain, unless its groups are few."""

EXPECTED_SUMS: Final = ("expected", "expected_within_two", "expected_us", "turnaround_us")
"""Those behind the histograms in the table, which are slow to read."""
TIME_SUMS: Final = tuple(name for name in SUMS if name not in EXPECTED_SUMS)

_INDEXED_BY: Final[Sequence[tuple[str, Grain]]] = (
    ("peer_id", "peer"),
    ("size_class", "size"),
    ("share_class", "size"),
    ("channels", "link"),
    ("suite", "link"),
    ("batch_class", "link"),
)
"""The columns of the index of groups by peer, in their order, each with the coarsest grain that divides by it."""

Filters: TypeAlias = Mapping[str, Collection[Any]]
"""The values of each dimension that count; all of a dimension that is not named."""

_GROUPS: Final = cast(Table, TimingGroup.__table__)
_ROLLUPS: Final = cast(Table, TimingRollup.__table__)


def is_indexed(names: Sequence[str], grain: Grain, width_s: int, since_s: int, until_s: int) -> bool:
    """Whether these sums are best read from an index by group in periods of that width, however many groups match."""
    index_from_s = _indexed_from_s(names, width_s)
    # A few hours have fewer roll-ups than there are groups to look for.
    least = INDEXED_HOURS if is_fine(grain) else INDEXED_COARSE_HOURS
    return index_from_s is not None and (width_s > INDEXED_FROM_S or until_s - since_s >= least * width_s)


def _indexed_from_s(names: Sequence[str], width_s: int) -> int | None:
    """The narrowest width in the index by group that has these sums for `width_s`; None if there is none."""
    indexes = ((INDEXED_FROM_S, INDEXED_SUMS), (INDEXED_PHASES_FROM_S, PHASE_SUMS))
    return next((from_s for from_s, sums in indexes if width_s >= from_s and {*names} <= {*sums}), None)


def _is_long(width_s: int, since_s: int, until_s: int) -> bool:
    return until_s - since_s >= INDEXED_HOURS * width_s


@dataclass(frozen=True, slots=True)
class Where:
    """Periods of one width and grain, and which groups. `group_ids`: their ids if they are few, see `few_groups`; these
    are not needed if the sums `is_indexed`."""

    grain: Grain
    width_s: int
    since_s: int
    until_s: int
    filters: Filters
    group_ids: Sequence[int] | None = None

    @property
    def periods(self) -> tuple[Grain, int, int, int]:
        return self.grain, self.width_s, self.since_s, self.until_s


async def read(
    session: AsyncSession,
    wheres: Sequence[Where],
    by: Sequence[str],
    column_s: int | None = None,
    names: Sequence[str] = SUMS,
) -> Sequence[Row[*tuple[Any, ...]]]:
    """What `names` of `SUMS` and `COUNTS` add up to, for each group of values of `by`: the start of the column, or 0,
    the values of `by`, the sums, and histograms as joined counts. Columns are `column_s` wide; None: one column. Rows
    of several `wheres` may have the same column and values. A row without roll-ups is of None."""
    parts = [await _part(session, where, column_s, names) for where in wheres]
    if not parts:
        return []
    found = (union_all(*parts) if len(parts) > 1 else parts[0]).subquery("found")
    if not by or set(names) & set(COUNTS):
        return await _grouped(session, found, by, column_s, names)
    # By numbers of groups first: these are faster to sort than texts, and then there are fewer groups to look up.
    keys = [found.c.group_id] if column_s is None else [found.c.column_start, found.c.group_id]
    numbers = [func.sum(found.c[name]).label(name) for name in names]
    summed = select(*keys, *numbers).group_by(*keys).subquery("summed")
    return await _grouped(session, summed, by, column_s, names)


async def read_counts(
    session: AsyncSession, ranges: Sequence[Sequence[Where]], by: Sequence[str]
) -> Sequence[Row[*tuple[Any, ...]]]:
    """The counts of several ranges for each group of values of `by`: these values, and the count of each range. Each
    group is looked up once, which takes half of the time with thousands of groups. A row without roll-ups is of None.
    """
    counts = [f"count_{number}" for number in range(len(ranges))]
    every = sorted(
        ((where, number) for number, of in enumerate(ranges) for where in of), key=lambda each: _order(each[0])
    )
    parts, are_summed = [], True
    for _, group in groupby(every, lambda each: (each[0].grain, each[0].width_s)):
        near = [*group]
        if len(near) > 1 and _is_one_run([where for where, _ in near]):
            parts.append(_of_run(near, counts))
            continue
        are_summed = False
        for where, number in near:
            part = (await _part(session, where, None, ("count",), filters_later=True)).subquery()
            of_each = [part.c.count if each == number else literal_column("0") for each in range(len(ranges))]
            parts.append(select(part.c.group_id, *(n.label(name) for n, name in zip(of_each, counts, strict=True))))
    if not parts:
        return []
    if len(parts) > 1 or not are_summed:
        found = union_all(*parts).subquery("found")
        sums = [func.sum(found.c[name]).label(name) for name in counts]
        parts = [select(found.c.group_id, *sums).group_by(found.c.group_id)]
    summed = parts[0].subquery("summed")
    values = [_GROUPS.c[name] for name in by]
    wanted: Select[*tuple[Any, ...]] = select(*values, *(func.sum(summed.c[name]) for name in counts))
    wanted = wanted.join_from(summed, _GROUPS, _GROUPS.c.id == summed.c.group_id).group_by(*values)
    wanted = wanted.where(*_leave(every[0][0].filters))
    # Past the session, which takes three times as long to hand over many rows.
    return await session.run_sync(lambda on: on.connection().execute(wanted).all())


def _order(where: Where) -> tuple[str, int, int]:
    return where.grain, where.width_s, where.since_s


def _is_one_run(wheres: Sequence[Where]) -> bool:
    """Whether these periods, in order, are all counted from the index by group, and each range begins where the one
    before ends."""
    return all(is_indexed(("count",), *each.periods) for each in wheres) and all(
        one.until_s == other.since_s for one, other in pairwise(wheres)
    )


def _of_run(run: Sequence[tuple[Where, int]], counts: Sequence[str]) -> Select[*tuple[Any, ...]]:
    """Reads each group in the index once. Of each range, with its number among `counts`: what it counts."""
    start, (first, _), (last, _) = _ROLLUPS.c.start_s, run[0], run[-1]
    whole = replace(first, until_s=last.until_s)
    sums = []
    for number, name in enumerate(counts):
        within = [and_(start >= each.since_s, start < each.until_s) for each, its in run if its == number]
        counted = case((or_(*within), _ROLLUPS.c.count), else_=0) if within else literal_column("0")
        sums.append(func.sum(counted).label(name))
    wanted = select(_ROLLUPS.c.group_id, *sums).where(*_of_grain(whole), *_in_index(whole, INDEXED_FROM_S))
    return wanted.group_by(_ROLLUPS.c.group_id)


async def _grouped(
    session: AsyncSession, found: Subquery, by: Sequence[str], column_s: int | None, names: Sequence[str]
) -> Sequence[Row[*tuple[Any, ...]]]:
    column: list[ColumnElement[Any]] = [] if column_s is None else [found.c.column_start]
    values = [_GROUPS.c[name] for name in by]
    wanted: Select[*tuple[Any, ...]] = select(
        *(column or [literal_column("0")]),
        *values,
        *(joined(found.c[name]) if name in COUNTS else func.sum(found.c[name]) for name in names),
    )
    if by:
        wanted = wanted.join_from(found, _GROUPS, _GROUPS.c.id == found.c.group_id)
    if column or by:
        wanted = wanted.group_by(*column, *values)
    return (await session.execute(wanted)).all()


async def _part(
    session: AsyncSession, where: Where, column_s: int | None, names: Sequence[str], *, filters_later: bool = False
) -> Select[*tuple[Any, ...]]:
    """The rows of some periods, or what they add up to for each group. `filters_later`: also of groups that the filters
    leave out, if it is faster to look at each group once than at that of each row."""
    start = _ROLLUPS.c.start_s
    column = [] if column_s is None else [(start - start % column_s).label("column_start")]
    wanted: Select[*tuple[Any, ...]] = select(
        *column, _ROLLUPS.c.group_id, *(_ROLLUPS.c[name] for name in names)
    ).where(*_of_grain(where))
    index_from_s = _indexed_from_s(names, where.width_s)
    is_long = _is_long(where.width_s, where.since_s, where.until_s)
    if index_from_s is not None and ((where.group_ids is not None and is_long) or is_indexed(names, *where.periods)):
        wanted = wanted.where(*_in_index(where, index_from_s))
        if column:
            return wanted
        # Added up in the order of the index: otherwise SQLite sorts the rows of several parts.
        summed = [func.sum(_ROLLUPS.c[name]).label(name) for name in names]
        return wanted.with_only_columns(_ROLLUPS.c.group_id, *summed).group_by(_ROLLUPS.c.group_id)
    is_in_index = is_long and where.width_s >= INDEXED_FROM_S
    # Of the fine grains, few roll-ups of a period are of the groups that filters leave: nothing is asked first.
    if where.group_ids is not None and (
        (is_in_index and is_fine(where.grain)) or await _holds_many_others(session, where, len(where.group_ids))
    ):
        if is_in_index:
            # The index knows in which periods each group has a roll-up: of the finest grain, in few.
            those = select(start, _ROLLUPS.c.group_id).where(*_of_grain(where), *_in_index(where, INDEXED_FROM_S))
            return wanted.where(tuple_(start, _ROLLUPS.c.group_id).in_(those.correlate(None)))
        # Single values, so that SQLite looks up each group in each period instead of reading all groups.
        wanted = wanted.where(start.in_(range(where.since_s, where.until_s, where.width_s)))
    else:
        wanted = wanted.where(start >= where.since_s, start < where.until_s)
    if where.group_ids is not None:
        wanted = wanted.where(_ROLLUPS.c.group_id.in_(where.group_ids))
    elif where.filters and not is_fine(where.grain):
        wanted = wanted.where(_ROLLUPS.c.group_id.in_(_matching(where.grain, where.filters)))
    elif where.filters and not filters_later:
        # The finest grain may have a million groups: a look at that of each row is faster than a set of all that match.
        matching = select(_GROUPS.c.id).where(_GROUPS.c.id == _ROLLUPS.c.group_id, *_leave(where.filters))
        wanted = wanted.where(matching.correlate(_ROLLUPS).exists())
    return wanted


def _of_grain(where: Where) -> Sequence[ColumnElement[bool]]:
    return _ROLLUPS.c.width_s == where.width_s, _ROLLUPS.c.grain == where.grain


def _in_index(where: Where, index_from_s: int) -> Sequence[ColumnElement[bool] | TextClause]:
    """The roll-ups of the periods and groups, from the index by group that begins with that width."""
    ids = where.group_ids if where.group_ids is not None else _matching(where.grain, where.filters)
    return (
        # Word for word as in the index, so that the database uses it.
        text(f"timing_rollups.width_s >= {index_from_s}"),
        _ROLLUPS.c.group_id.in_(ids),
        _ROLLUPS.c.start_s >= where.since_s,
        _ROLLUPS.c.start_s < where.until_s,
    )


async def _holds_many_others(session: AsyncSession, where: Where, groups: int) -> bool:
    """Whether the last period with roll-ups has so many that to look up each of `groups` is faster than to read all."""
    table = _ROLLUPS.c
    of_grain = select(table.start_s).where(table.width_s == where.width_s, table.grain == where.grain)
    in_range = of_grain.where(table.start_s >= where.since_s, table.start_s < where.until_s)
    last = in_range.order_by(table.start_s.desc()).limit(1).scalar_subquery()
    beyond = of_grain.where(table.start_s == last).offset(LOOKUP_COST * groups).limit(1)
    return await session.scalar(beyond) is not None


async def few_groups(session: AsyncSession, grain: Grain, filters: Filters) -> Sequence[int] | None:
    """The ids of the groups that the filters leave; None if they are too many to name in a statement. To find them
    takes half of the time of a short query by the finest grain, so the queries of one question share them."""
    found = (await session.scalars(_matching(grain, filters).limit(FEW_GROUPS + 1))).all()
    return found if len(found) <= FEW_GROUPS else None


def _matching(grain: Grain, filters: Filters) -> Select[int]:
    """The groups that the filters leave, found in the index by peer. It begins with what is often not filtered: where
    its first columns have no value, all groups of the grain would be read."""
    conditions = [_GROUPS.c.grain == grain, *_leave(filters)]
    last = max((at for at, (name, _) in enumerate(_INDEXED_BY) if name in filters), default=0)
    for at, (name, coarse) in enumerate(_INDEXED_BY):
        if name not in GRAINS[grain]:
            conditions.append(_GROUPS.c[name] == (ANY_CLASS if name.endswith("_class") else ANY))
        elif name not in filters and at < last:
            # All values that there are: the coarse grain has few groups.
            every = select(_GROUPS.c[name]).where(_GROUPS.c.grain == coarse).distinct()
            conditions.append(_GROUPS.c[name].in_(every.correlate(None)))
    return select(_GROUPS.c.id).where(*conditions)


def _leave(filters: Filters) -> Sequence[ColumnElement[bool]]:
    """The conditions on groups."""
    return [_GROUPS.c[name].in_(each) for name, each in filters.items()]


async def values(session: AsyncSession, grain: Grain, dimensions: Sequence[str]) -> Sequence[Row[*tuple[Any, ...]]]:
    """The combinations of values of these dimensions that groups of that grain have, sorted."""
    columns = [_GROUPS.c[name] for name in dimensions]
    wanted: Select[*tuple[Any, ...]] = select(*columns).where(_GROUPS.c.grain == grain).distinct().order_by(*columns)
    return (await session.execute(wanted)).all()
