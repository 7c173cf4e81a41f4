"""Notifications that are still to be sent, and webhooks. `store.models.notifications` says what each is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import BigInteger, Integer, Table, and_, bindparam, delete, insert, literal, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Document, InboxEntry, Notification, Peer, Received, User, Webhook
from sieve.store.models.notifications import EMAIL

LONGEST_PAUSE_NS: Final = 3600 * 1_000_000_000
"""The longest wait between two tries."""
_NOTIFICATIONS: Final = cast(Table, Notification.__table__)
_OF_RECEIVED: Final = InboxEntry.received_id.in_(bindparam("received", expanding=True))
_ADD: Final = insert(_NOTIFICATIONS).from_select(
    ["entry_id", "target", "created_at_ns", "next_try_at_ns", "tries"],
    union_all(
        select(InboxEntry.id, literal(EMAIL), InboxEntry.created_at_ns, InboxEntry.created_at_ns, literal(0))
        .join(User, User.id == InboxEntry.user_id)
        .where(_OF_RECEIVED, User.email_notifications.is_(True)),
        select(InboxEntry.id, Webhook.id, InboxEntry.created_at_ns, InboxEntry.created_at_ns, literal(0))
        .join(Webhook, Webhook.user_id == InboxEntry.user_id)
        .where(_OF_RECEIVED),
    ),
    include_defaults=False,
)


async def add_for(session: AsyncSession, received_ids: Sequence[str]) -> None:
    """Adds the notifications of the inbox entries of these received transfers."""
    await session.execute(_ADD, {"received": received_ids})


class Due(NamedTuple):
    """A notification, and what is needed to send it. `unread`: the entry was neither opened nor deleted."""

    entry_id: str
    target: str
    created_at_ns: int
    tries: int
    unread: bool
    deleted: bool
    transfer_id: str
    received_at_ns: int
    sender: str
    peer: str
    document: str
    user_id: str
    login: str
    display_name: str
    disabled: bool
    email: str | None
    url: str | None
    secret: bytes | None


# Built once: the gateway asks every few seconds.
_DUE: Final = (
    select(
        Notification.entry_id,
        Notification.target,
        Notification.created_at_ns,
        Notification.tries,
        and_(
            InboxEntry.read_at_ns.is_(None),
            InboxEntry.trashed_at_ns.is_(None),
            InboxEntry.deleted_at_ns.is_(None),
        ),
        InboxEntry.deleted_at_ns.is_not(None),
        Received.transfer_id,
        Received.received_at_ns,
        Received.sender_name,
        Peer.name,
        Document.name,
        User.id,
        User.name,
        User.display_name,
        User.disabled_at_ns.is_not(None),
        User.email,
        Webhook.url,
        Webhook.secret,
    )
    .join(InboxEntry, InboxEntry.id == Notification.entry_id)
    .join(Received, Received.id == InboxEntry.received_id)
    .join(Peer, Peer.id == Received.peer_id)
    .join(Document, Document.id == Received.document_id)
    .join(User, User.id == InboxEntry.user_id)
    .outerjoin(Webhook, Webhook.id == Notification.target)
    .where(Notification.next_try_at_ns <= bindparam("now_ns", type_=BigInteger))
    .order_by(Notification.next_try_at_ns)
    .limit(bindparam("most", type_=Integer))
)


async def due(session: AsyncSession, now_ns: int, most: int) -> Sequence[Due]:
    """Notifications whose next try is due, the oldest try first."""
    return [Due._make(row) for row in await session.execute(_DUE, {"now_ns": now_ns, "most": most})]


_ONE: Final = (_NOTIFICATIONS.c.entry_id == bindparam("entry"), _NOTIFICATIONS.c.target == bindparam("to"))
_REMOVE: Final = delete(_NOTIFICATIONS).where(*_ONE)
_POSTPONE: Final = (
    update(_NOTIFICATIONS).where(*_ONE).values(next_try_at_ns=bindparam("at_ns"), tries=bindparam("tried"))
)


async def remove(session: AsyncSession, done: Sequence[Due]) -> None:
    """Removes notifications that need no further try."""
    if done:
        await session.execute(_REMOVE, [{"entry": one.entry_id, "to": one.target} for one in done])


async def postpone(session: AsyncSession, until_ns: Mapping[Due, int], *, tried: bool) -> None:
    """Postpones notifications. `tried`: this was a try that failed."""
    if until_ns:
        values = [
            {"entry": one.entry_id, "to": one.target, "at_ns": at_ns, "tried": one.tries + tried}
            for one, at_ns in until_ns.items()
        ]
        await session.execute(_POSTPONE, values)


async def remove_emails_of(session: AsyncSession, user_id: str) -> None:
    """Removes the e-mails that wait for a person."""
    theirs = select(InboxEntry.id).where(InboxEntry.user_id == user_id)
    await session.execute(
        delete(_NOTIFICATIONS).where(_NOTIFICATIONS.c.target == EMAIL, _NOTIFICATIONS.c.entry_id.in_(theirs))
    )


# --- webhooks --------------------------------------------------------------------------------------------------------


async def add_webhook(session: AsyncSession, **values: Any) -> Webhook:
    """Adds a webhook."""
    row = Webhook(**values)
    session.add(row)
    await session.flush()
    return row


async def webhooks_of(session: AsyncSession, user_id: str) -> Sequence[Webhook]:
    """A person's webhooks, the oldest first."""
    wanted = select(Webhook).where(Webhook.user_id == user_id).order_by(Webhook.created_at_ns, Webhook.id)
    return (await session.scalars(wanted)).all()


async def webhook(session: AsyncSession, user_id: str, webhook_id: str) -> Webhook | None:
    """One of a person's webhooks."""
    row = await session.get(Webhook, webhook_id)
    return row if row is not None and row.user_id == user_id else None


async def remove_webhook(session: AsyncSession, webhook_id: str) -> None:
    """Removes a webhook, and what was still to be sent to it."""
    await session.execute(delete(_NOTIFICATIONS).where(_NOTIFICATIONS.c.target == webhook_id))
    await session.execute(delete(Webhook).where(Webhook.id == webhook_id))


async def note_webhook(session: AsyncSession, webhook_id: str, now_ns: int, problem: str | None) -> None:
    """Records how the latest request to a webhook ended."""
    values: dict[str, Any] = {"problem": problem} | ({} if problem else {"sent_at_ns": now_ns})
    await session.execute(update(Webhook).where(Webhook.id == webhook_id).values(**values))
