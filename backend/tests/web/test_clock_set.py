"""Waits and ends that a wrong clock stored, beside those of transfers (`gateway/test_clock.py`): after the clock was
set, none is further ahead than it could be if it had been stored now, and nothing is given up for its age.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from sqlalchemy import event, select, update

from sieve.channel.cover import Cover
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.inbound import read_receipts as reporting
from sieve.gateway.inbound.read_receipts import ReadReceipts
from sieve.gateway.peering.links import Links
from sieve.store.models import Base, InboxEntry, Notification, ReadReceipt
from sieve.store.queries import clock_corrections, factors, notifications, read_receipts
from web.test_notifier import RECEIVED_NS, Outside, hook, wants_email
from web_world import World

DAY_NS: Final = 24 * 3600 * NS_PER_S
AHEAD_NS: Final = 10 * DAY_NS
NOW_NS: Final = RECEIVED_NS - AHEAD_NS
"""The right time, when the world's deliveries were stored by a clock that was ahead."""
COVER: Final = Cover("berta", "", read_receipts=True)

HAPPENED: Final = {
    "added_at_ns",
    "at_ns",
    "believed_at_ns",
    "changed_at_ns",
    "cleared_since_ns",
    "confirmed_at_ns",
    "created_at_ns",
    "deleted_at_ns",
    "delivered_at_ns",
    "disabled_at_ns",
    "ended_at_ns",
    "heard_at_ns",
    "last_at_ns",
    "last_used_at_ns",
    "locked_before_ns",
    "opened_at_ns",
    "reached_at_ns",
    "read_at_ns",
    "received_at_ns",
    "removed_at_ns",
    "retired_at_ns",
    "revoked_at_ns",
    "said_at_ns",
    "sent_at_ns",
    "sieve_ns",
    "started_at_ns",
    "touched_at_ns",
    "trashed_at_ns",
    "unconfirmed_ns",
    "unreachable_since_ns",
    "used_at_ns",
    "verified_at_ns",
}
"""Names of columns that say when something happened, or how long it took."""
EXEMPT: Final = {
    "transfers.deadline_at_ns": "both gateways signed it, and the author sees it and can send again",
    "received.deadline_at_ns": "it is the sender's",
    "partials.deadline_at_ns": "it is the sender's; a partial also ends a day after its last attempt",
    "tokens.expires_at_ns": "while the clock is slow for a moment, no program may lose its token",
    "peer_contacts.certificate_until_ns": "a certificate says it",
    "used_once.until_ns": "what was used stays used",
}
"""Ends that were not set by this gateway's clock alone."""


async def fit(world: World, now_ns: int) -> None:
    async with world.database.write() as session:
        await clock_corrections.fit(session, now_ns=now_ns, retry_ns=1, breaker_ns=1, lease_ns=1, held=())


async def test_every_stored_end_is_fitted_or_exempt(world: World) -> None:
    """A new column with a time that may lie in the future fails here until `clock_corrections` fits it."""
    statements: list[str] = []
    async with world.database.write() as session:
        engine = session.get_bind()
        event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
        await clock_corrections.fit(session, now_ns=NOW_NS, retry_ns=1, breaker_ns=1, lease_ns=1, held=())
    fitted = {
        f"{found[1]}.{column}"
        for statement in statements
        if (found := re.match(r"UPDATE (\w+) SET (.*?) WHERE", statement, re.DOTALL))
        for column in re.findall(r"(\w+)=", found[2])
        if column not in HAPPENED
    }
    times = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        if column.name.endswith("_ns") and column.name not in HAPPENED
    }
    assert fitted.isdisjoint(EXEMPT)
    assert fitted | set(EXEMPT) == times


async def test_what_arrived_while_the_clock_was_ahead_is_notified_at_once(world: World) -> None:
    outside = Outside(now_ns=NOW_NS)
    notifier = outside.notifier(world)
    await wants_email(world, "bruno")
    await hook(world, notifier, "rosa")
    await world.deliver(b"plain", to=["bruno", "rosa"])
    await fit(world, NOW_NS)
    assert await notifier.send_due() == 2
    assert (len(outside.emails), len(outside.calls)) == (1, 1)


async def test_a_failed_notification_waits_no_longer_than_the_longest_pause(world: World) -> None:
    await wants_email(world, "bruno")
    await world.deliver(b"plain", to=["bruno"])
    async with world.database.write() as session:
        await session.execute(update(Notification).values(tries=3))
    await fit(world, NOW_NS)
    async with world.database.read() as session:
        assert await session.scalar(select(Notification.next_try_at_ns)) == NOW_NS + notifications.LONGEST_PAUSE_NS


async def test_a_clock_that_was_set_forward_gives_up_no_notification(world: World) -> None:
    outside = Outside(status=500)
    passed_ns = 0
    clock = Clock(lambda: outside.now_ns, lambda: passed_ns)
    notifier = replace(outside.notifier(world), clock=clock)
    await hook(world, notifier, "rosa")
    await world.deliver(b"plain", to=["rosa"])
    outside.now_ns += AHEAD_NS
    assert await notifier.send_due() == 1
    outside.now_ns += notifications.LONGEST_PAUSE_NS
    outside.status = 200
    passed_ns += 2 * notifications.LONGEST_PAUSE_NS
    clock.confirm()
    assert await notifier.send_due() == 1
    outside.now_ns += notifications.LONGEST_PAUSE_NS
    assert await notifier.send_due() == 0


@dataclass
class Unreachable:
    """Links to peers, none of which can be reached."""

    world: World

    def to(self, peer: Any) -> Any:
        return self

    async def ask(self, method: str, path: str, json: Any) -> None:
        await self.world.links.link.ask(method, path)


async def opened(world: World, at_ns: int) -> str:
    """A read receipt waits; the peer's id."""
    await world.deliver(b"plain", to=["bruno"], cover=COVER)
    async with world.database.write() as session:
        entry = (await session.scalars(select(InboxEntry))).one()
        await read_receipts.note_opened(session, world.people["bruno"].id, [entry.id], at_ns)
    world.links.link.reachable = False
    bravo = world.services.peers.by_name("bravo")
    assert bravo is not None
    return bravo.id


def reports(world: World, clock: Clock) -> ReadReceipts:
    return ReadReceipts(world.database, world.services.peers, cast(Links, Unreachable(world)), clock)


async def next_report_ns(world: World) -> int | None:
    async with world.database.read() as session:
        return await session.scalar(select(ReadReceipt.next_try_at_ns))


async def test_a_read_receipt_of_a_clock_that_was_ahead_is_reported_at_once(world: World) -> None:
    peer_id = await opened(world, RECEIVED_NS)
    job = reports(world, Clock(lambda: NOW_NS, lambda: 0))
    assert await job.report_due(peer_id) == 0
    await fit(world, NOW_NS)
    assert await job.report_due(peer_id) == 1
    async with world.database.write() as session:
        await session.execute(update(ReadReceipt).values(next_try_at_ns=RECEIVED_NS))
    await fit(world, NOW_NS)
    assert await next_report_ns(world) == NOW_NS + read_receipts.LONGEST_PAUSE_NS


async def test_a_clock_that_was_set_forward_gives_up_no_read_receipt(world: World) -> None:
    peer_id = await opened(world, RECEIVED_NS)
    wall_ns = passed_ns = 0
    clock = Clock(lambda: RECEIVED_NS + wall_ns, lambda: passed_ns)
    job = reports(world, clock)
    wall_ns = reporting.GIVE_UP_NS + 1
    assert await job.report_due(peer_id) == 1
    assert await next_report_ns(world) is not None
    passed_ns = DAY_NS
    wall_ns += DAY_NS
    clock.confirm()
    assert await job.report_due(peer_id) == 1
    assert await next_report_ns(world) is None


async def test_an_unfinished_sign_in_ends_as_if_it_was_begun_now(world: World) -> None:
    bruno = world.people["bruno"].id
    async with world.database.write() as session:
        await factors.add_unfinished(session, bruno, "cookie", "factor", RECEIVED_NS)
    await fit(world, NOW_NS)
    async with world.database.read() as session:
        assert await factors.unfinished(session, "cookie", NOW_NS + factors.UNFINISHED_NS - 1) is not None
        assert await factors.unfinished(session, "cookie", NOW_NS + factors.UNFINISHED_NS) is None
