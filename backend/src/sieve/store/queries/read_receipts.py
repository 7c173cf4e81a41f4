"""Read receipts: those that wait to be reported to authors' gateways, and those that peers report here."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, cast

from sqlalchemy import Table, bindparam, exists, func, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import InboxEntry, ReadReceipt, Received, Transfer, TransferRecipient, User
from sieve.store.queries.conditional_update import update_where

LONGEST_PAUSE_NS: Final = 3600 * 1_000_000_000
"""The longest wait between two reports."""
_RECEIPTS: Final = cast(Table, ReadReceipt.__table__)


async def note_opened(session: AsyncSession, user_id: str, entry_ids: Collection[str], now_ns: int) -> None:
    """Adds a read receipt for each of a person's entries whose author asks for one; only the first time counts."""
    opened = (
        select(InboxEntry.id, literal(now_ns), literal(now_ns), literal(0))
        .join(Received, Received.id == InboxEntry.received_id)
        .where(
            InboxEntry.id.in_(entry_ids),
            InboxEntry.user_id == user_id,
            Received.read_receipts.is_(True),
            ~exists().where(ReadReceipt.entry_id == InboxEntry.id),
        )
    )
    columns = ["entry_id", "opened_at_ns", "next_try_at_ns", "tries"]
    await session.execute(insert(_RECEIPTS).from_select(columns, opened, include_defaults=False))


async def opened_at_ns(session: AsyncSession, entry_id: str) -> int | None:
    """When a read receipt was added for that entry; None if there is none."""
    return await session.scalar(select(ReadReceipt.opened_at_ns).where(ReadReceipt.entry_id == entry_id))


class Due(NamedTuple):
    """A read receipt to report. `recipient`: the login here."""

    entry_id: str
    peer_id: str
    transfer_id: str
    recipient: str
    opened_at_ns: int
    tries: int


async def due_peers(session: AsyncSession, now_ns: int) -> Sequence[str]:
    """The ids of the peers to which a read receipt is due."""
    wanted = (
        select(Received.peer_id)
        .distinct()
        .join(InboxEntry, InboxEntry.received_id == Received.id)
        .join(ReadReceipt, ReadReceipt.entry_id == InboxEntry.id)
        .where(ReadReceipt.next_try_at_ns <= now_ns)
    )
    return (await session.scalars(wanted)).all()


async def due(session: AsyncSession, peer_id: str, now_ns: int, *, limit: int) -> Sequence[Due]:
    """Read receipts for a peer whose next try is due, the oldest first."""
    wanted = (
        select(
            ReadReceipt.entry_id,
            Received.peer_id,
            Received.transfer_id,
            User.name,
            ReadReceipt.opened_at_ns,
            ReadReceipt.tries,
        )
        .join(InboxEntry, InboxEntry.id == ReadReceipt.entry_id)
        .join(Received, Received.id == InboxEntry.received_id)
        .join(User, User.id == InboxEntry.user_id)
        # By the index of peers, SQLite would read everything that came from this one.
        .where(ReadReceipt.next_try_at_ns <= now_ns, func.coalesce(Received.peer_id, "") == peer_id)
        .order_by(ReadReceipt.next_try_at_ns)
        .limit(limit)
    )
    return [Due._make(row) for row in await session.execute(wanted)]


_ONE: Final = _RECEIPTS.c.entry_id == bindparam("entry")
_SETTLE: Final = update(_RECEIPTS).where(_ONE).values(next_try_at_ns=bindparam("at_ns"), tries=bindparam("tried"))


async def settle(session: AsyncSession, tried: Sequence[tuple[Due, int | None]]) -> None:
    """Records a try of each; with it the time of the next try, None if there is none."""
    if tried:
        values = [{"entry": one.entry_id, "at_ns": at_ns, "tried": one.tries + 1} for one, at_ns in tried]
        await session.execute(_SETTLE, values)


class Asked(NamedTuple):
    """A recipient of a transfer whose author asks for read receipts."""

    author_id: str
    state: str
    delivered_at_ns: int | None
    opened_at_ns: int | None


async def asked(session: AsyncSession, peer_id: str, transfer_id: str, recipient: str) -> Asked | None:
    """What that peer may report of a recipient; None if nothing."""
    wanted = (
        select(Transfer.author_id, Transfer.state, Transfer.delivered_at_ns, TransferRecipient.opened_at_ns)
        .join(TransferRecipient, TransferRecipient.transfer_id == Transfer.id)
        .where(
            Transfer.id == transfer_id,
            Transfer.peer_id == peer_id,
            Transfer.read_receipts.is_(True),
            TransferRecipient.name == recipient,
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else Asked._make(found)


async def keep_report(session: AsyncSession, transfer_id: str, recipient: str, opened_at_ns: int) -> None:
    """Records when a recipient opened a transfer; the first report counts."""
    theirs = TransferRecipient.transfer_id == transfer_id, TransferRecipient.name == recipient
    await update_where(
        session, TransferRecipient, *theirs, TransferRecipient.opened_at_ns.is_(None), opened_at_ns=opened_at_ns
    )
