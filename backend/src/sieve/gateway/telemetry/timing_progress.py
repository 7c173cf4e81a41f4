"""How far timings are: records that are not rolled up yet, older transfers that are imported, and a rebuild."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.timing_periods import DAY_S
from sieve.store.queries import timing_rollups


@dataclass(frozen=True, slots=True)
class RollupProgress:
    """How far roll-ups are. `waiting_records`: that many records, or fewer, are not in them yet. `imported_to` and
    `import_done`: see `TimingState`. `rebuilt`: the part that is computed again, from 0 to 1; None if no rebuild is
    under way."""

    waiting_records: int
    imported_to: str
    import_done: bool
    rebuilt: float | None


async def records_kept_from_s(session: AsyncSession) -> int:
    """Single records that ended earlier were removed."""
    return (await timing_rollups.state(session)).kept_from_s


async def progress(session: AsyncSession, *, now_s: int | None = None) -> RollupProgress:
    """How far roll-ups, their rebuild and the import of older transfers are."""
    state = await timing_rollups.state(session)
    last = await timing_rollups.last_record_id(session)
    rebuilt = None
    if state.rebuild_from_s is not None:
        now = now_ns() // NS_PER_S if now_s is None else now_s
        first = await timing_rollups.first_s(session, state.kept_from_s)
        rebuilt = 0.0 if first is None else min(1.0, max(0.0, (state.rebuild_from_s - first) / max(DAY_S, now - first)))
    return RollupProgress(max(0, last - state.rolled_up_id), state.imported_to, state.import_done, rebuilt)
