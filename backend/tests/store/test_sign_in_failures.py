"""Failed sign-ins: counted by key, and forgotten after a day of peace."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import sign_in_failures as failures
from sieve.store.queries.sign_in_failures import KEPT_NS


async def _fail(session: AsyncSession, key: str, now_ns: int) -> int:
    row = await failures.of(session, key, now_ns)
    row.failures += 1
    row.last_at_ns, row.blocked_until_ns = now_ns, now_ns + 5
    await session.flush()
    return row.failures


async def test_failures_add_up_until_a_day_of_peace(session: AsyncSession) -> None:
    assert [await _fail(session, "account:a", now) for now in (1, 2, KEPT_NS)] == [1, 2, 3]
    assert await _fail(session, "source:a", 4) == 1
    row = await failures.of(session, "account:a", 2 * KEPT_NS)
    assert (row.failures, row.blocked_until_ns) == (0, 0)


async def test_clearing_and_sweeping(session: AsyncSession) -> None:
    for key, now in (("account:a", 1), ("account:b", 2), ("account:c", 2)):
        await _fail(session, key, now)
    await failures.clear(session, "account:c")
    await failures.sweep(session, KEPT_NS + 1)
    assert (await session.execute(text("SELECT key, failures FROM sign_in_failures"))).all() == [("account:b", 1)]
