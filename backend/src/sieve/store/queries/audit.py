"""The audit log: entries are added, in the transaction of what they witness; nothing changes or removes one.

The law: each entry is linked to the one before it. There is one writer at a time, so whoever adds one is the chainer.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from blake3 import blake3
from sqlalchemy import LargeBinary, cast, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core import chain
from sieve.store.marking_models import AuditEntry, AuditHead
from sieve.store.queries.pages import After

_AT_ONCE: Final = 200
"""Entries that are looked at between two chances for others to run."""
_HEADS_AT_ONCE: Final = 1_000
_CLEAR: Final = ("id", "number", "at_ns", "actor", "action", "subject", "details")
_SEALED: Final = ("sealed_details", "reason")
LINKED: Final = (*_CLEAR, *_SEALED)
"""The columns that an entry's link is made of."""


class Head(NamedTuple):
    """Where the chain ends: the number and the link of the last entry; 0 and the beginning, if there is none."""

    number: int
    link: bytes


class SignedHead(NamedTuple):
    """A head as it was signed. `there`: the link of the entry that has its number, if one has."""

    number: int
    link: bytes
    at_ns: int
    signature: bytes
    there: bytes | None


def link_of(before: bytes, entry: Mapping[str, Any]) -> bytes:
    """The link of an entry with these columns; of what is sealed it holds the digest, as it lies there."""
    told = {name: entry[name] for name in _CLEAR}
    sealed = {name: None if entry[name] is None else blake3(entry[name]).hexdigest() for name in _SEALED}
    return chain.link(before, told | sealed)


async def head(session: AsyncSession) -> Head:
    """Where the chain ends, whatever else somebody wrote for a number or a link."""
    numbered = (func.typeof(AuditEntry.number) == "integer") & (func.typeof(AuditEntry.link) == "blob")
    last = select(AuditEntry.number, AuditEntry.link).where(numbered).order_by(AuditEntry.number.desc()).limit(1)
    found = (await session.execute(last)).first()
    return Head(0, chain.BEGINNING) if found is None else Head(*found)


async def add(
    session: AsyncSession,
    *,
    entry_id: str,
    actor: str,
    action: str,
    subject: str,
    details: str,
    reason: bytes | None,
    now_ns: int,
    sealed_details: bytes | None = None,
    after: int = 0,
) -> None:
    """One more entry; its number is beyond `after`."""
    last = await head(session)
    entry = {
        "id": entry_id,
        "number": max(last.number, after) + 1,
        "at_ns": now_ns,
        "actor": actor,
        "action": action,
        "subject": subject,
        "details": details,
        "sealed_details": sealed_details,
        "reason": reason,
    }
    session.add(AuditEntry(**entry, link=link_of(last.link, entry)))
    await session.flush()


async def page(session: AsyncSession, *, after: After | None, limit: int) -> Sequence[AuditEntry]:
    """Entries, the latest first."""
    wanted = select(AuditEntry)
    if after is not None:
        wanted = wanted.where(tuple_(AuditEntry.at_ns, AuditEntry.id) < after)
    latest_first = wanted.order_by(AuditEntry.at_ns.desc(), AuditEntry.id.desc()).limit(limit)
    return (await session.scalars(latest_first)).all()


async def whole_chain(session: AsyncSession) -> AsyncIterator[AuditEntry]:
    """All entries, the first one first, whatever somebody wrote for a number."""
    place = tuple_(AuditEntry.number, AuditEntry.id)
    in_order = select(AuditEntry).order_by(AuditEntry.number, AuditEntry.id).limit(_AT_ONCE)
    some = in_order
    while True:
        found = (await session.scalars(some)).all()
        for entry in found:
            yield entry
        if not found:
            return
        some = in_order.where(place > (found[-1].number, found[-1].id))
        session.expunge_all()


async def link_at(session: AsyncSession, number: int) -> bytes | None:
    """The link of the entry of that number, if there is one."""
    return (await session.scalars(select(AuditEntry.link).where(AuditEntry.number == number))).first()


async def keep_head(session: AsyncSession, signed: Head, signature: bytes, now_ns: int) -> None:
    """A head that was signed."""
    session.add(AuditHead(number=signed.number, link=signed.link, at_ns=now_ns, signature=signature))
    await session.flush()


async def last_signed(session: AsyncSession) -> AuditHead | None:
    """The head that was signed last."""
    return (await session.scalars(select(AuditHead).order_by(AuditHead.number.desc()).limit(1))).first()


async def signed_heads(session: AsyncSession) -> AsyncIterator[Sequence[SignedHead]]:
    """All heads that were signed, the first one first, in pieces: in a year there may be half a million."""
    # Cast: somebody may have written a text there.
    link, signature = cast(AuditHead.link, LargeBinary), cast(AuditHead.signature, LargeBinary)
    in_order = (
        select(AuditHead.number, link, AuditHead.at_ns, signature, AuditEntry.link)
        .outerjoin(AuditEntry, AuditEntry.number == AuditHead.number)
        .order_by(AuditHead.number)
        .limit(_HEADS_AT_ONCE)
    )
    some = in_order
    while found := [SignedHead(*row) for row in await session.execute(some)]:
        yield found
        some = in_order.where(AuditHead.number > found[-1].number)
