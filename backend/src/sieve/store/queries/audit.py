"""The audit log: entries are added in the transaction of the action that they record, and never changed or removed.

Invariant: each entry links to the previous one. There is one writer at a time, so each writer can extend the chain.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from blake3 import blake3
from sqlalchemy import ColumnElement, LargeBinary, String, and_, cast, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from sieve.core import hash_chain
from sieve.store.case_folding import contains
from sieve.store.dialect import is_bytes, is_number
from sieve.store.models import AuditEntry, AuditHead
from sieve.store.queries.sorting import After

ENTRIES_AT_ONCE: Final = 200
"""Entries that are looked at between two chances for others to run."""
HEADS_AT_ONCE: Final = 1_000
_CLEAR: Final = ("id", "number", "at_ns", "actor", "action", "subject", "details")
_SEALED: Final = ("sealed_details", "reason")
LINKED: Final = (*_CLEAR, *_SEALED)
"""The columns that an entry's link is made of."""
LINKED_EARLIER: Final = tuple(f"linked_{name}" for name in _SEALED)
"""Digests of sealed values as they were linked, if a change of the master key wrapped them again."""

HIGHEST: Final = 10**18 - 1
"""Number of an entry: more than a head tells is none."""
APART: Final = 1 << 40
"""Entries are never so far apart. So behind the highest number that so many may have there always is another."""


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
    """The link of an entry with these columns."""
    return hash_chain.link(before, linked_members(entry))


def linked_members(entry: Mapping[str, Any]) -> dict[str, str | int | None]:
    """What an entry's link is made of: its columns, with BLAKE3 digests (hexadecimal) for sealed values, as they were
    when the entry was written."""
    clear = {name: entry[name] for name in _CLEAR}
    return clear | {name: entry.get(f"linked_{name}") or digest_of(entry[name]) for name in _SEALED}


def digest_of(sealed: bytes | None) -> str | None:
    """The digest of a sealed value, in a link."""
    return None if sealed is None else blake3(sealed).hexdigest()


def columns_of(entry: AuditEntry) -> dict[str, Any]:
    """The columns that `link_of` and `linked_members` read."""
    return {name: getattr(entry, name) for name in (*LINKED, *LINKED_EARLIER)}


async def _has_place(session: AsyncSession) -> ColumnElement[bool]:
    """Whether an entry has a place in the chain: SQLite stores any value as a number if somebody wrote it there."""
    numbered = is_number(AuditEntry.number)
    last_first = select(AuditEntry.number).where(numbered, AuditEntry.number.between(1, HIGHEST))
    highest = await session.scalar(last_first.order_by(AuditEntry.number.desc()).limit(1)) or 0
    if highest > APART:  # Counting takes long, and one entry may be that far away.
        entries = await session.scalar(select(func.count()).select_from(AuditEntry)) or 0
        highest = min(HIGHEST, entries * APART)
    return and_(numbered, AuditEntry.number.between(1, highest))


def is_link(value: object) -> bool:
    """Whether a value may be a link: somebody may have written anything there."""
    return type(value) is bytes and len(value) == len(hash_chain.BEGINNING)


_IS_LINK: Final = (is_bytes(AuditEntry.link), func.length(AuditEntry.link) == len(hash_chain.BEGINNING))


async def head(session: AsyncSession) -> Head:
    """Where the chain ends: the last number, and the last link that is one, whatever else somebody wrote there."""
    last_first = select(AuditEntry).where(await _has_place(session)).order_by(AuditEntry.number.desc()).limit(1)
    number = last_first.with_only_columns(AuditEntry.number)
    link = last_first.with_only_columns(AuditEntry.link).where(*_IS_LINK)
    found = (await session.execute(select(number.scalar_subquery(), link.scalar_subquery()))).one()
    return Head(found[0] or 0, found[1] or hash_chain.BEGINNING)


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
    entry = {
        "id": entry_id,
        "at_ns": now_ns,
        "actor": actor,
        "action": action,
        "subject": subject,
        "details": details,
        "sealed_details": sealed_details,
        "reason": reason,
    }
    await add_all(session, [entry], after=after)


async def add_all(session: AsyncSession, entries: Iterable[Mapping[str, Any]], *, after: int = 0) -> None:
    """More entries. Each has all columns but `number` and `link`; the numbers are beyond `after`."""
    last = await head(session)
    number, link = max(last.number, after), last.link
    for given in entries:
        number += 1
        entry = {"number": number, **given}
        link = link_of(link, entry)
        session.add(AuditEntry(**entry, link=link))
    await session.flush()


class AuditFilter(NamedTuple):
    """What entries are wanted; None for any. `actor`: exactly; empty for somebody unknown. `actions`: one of them.
    `search`: in the actor, the subject or the details that are stored in clear, in any case. `since_ns`: then or later;
    `until_ns`: before.
    """

    actor: str | None = None
    actions: Sequence[str] | None = None
    search: str | None = None
    since_ns: int | None = None
    until_ns: int | None = None

    def conditions(self, *, in_chain: bool = False) -> list[ColumnElement[bool]]:
        """All of these must hold. `in_chain`: for a list in the order of the chain, which no index of actors has: by it
        SQLite would sort all entries of an actor for each page.
        """
        found: list[ColumnElement[bool]] = []
        if self.actor is not None:
            actor = func.coalesce(AuditEntry.actor, "") if in_chain else AuditEntry.actor
            found.append(actor == self.actor)
        if self.actions is not None:
            found.append(AuditEntry.action.in_(self.actions))
        if self.search:
            # Cast: SQLite stores values of any type, and one damaged row must not end the search.
            columns = (cast(column, String) for column in (AuditEntry.actor, AuditEntry.subject, AuditEntry.details))
            found.append(or_(*(contains(column, self.search) for column in columns)))
        if self.since_ns is not None:
            found.append(AuditEntry.at_ns >= self.since_ns)
        if self.until_ns is not None:
            found.append(AuditEntry.at_ns < self.until_ns)
        return found


ANY: Final = AuditFilter()


async def page(
    session: AsyncSession, wanted_ones: AuditFilter = ANY, *, after: After | None, limit: int
) -> Sequence[AuditEntry]:
    """Entries, the latest first."""
    wanted = select(AuditEntry).where(*wanted_ones.conditions())
    if after is not None:
        wanted = wanted.where(tuple_(AuditEntry.at_ns, AuditEntry.id) < after)
    latest_first = wanted.order_by(AuditEntry.at_ns.desc(), AuditEntry.id.desc()).limit(limit)
    return (await session.scalars(latest_first)).all()


async def latest_of(session: AsyncSession, action: str) -> AuditEntry | None:
    """The last entry in the chain with that action."""
    of_it = select(AuditEntry).where(await _has_place(session), AuditEntry.action == action)
    return (await session.scalars(of_it.order_by(AuditEntry.number.desc()).limit(1))).first()


async def without_place(session: AsyncSession) -> AsyncIterator[AuditEntry]:
    """The entries that have no place in the chain: what somebody wrote for their number is none."""
    in_order = select(AuditEntry).where(~await _has_place(session)).order_by(AuditEntry.id).limit(ENTRIES_AT_ONCE)
    some = in_order
    while found := (await session.scalars(some)).all():
        for entry in found:
            yield entry
        some = in_order.where(AuditEntry.id > found[-1].id)
        session.expunge_all()


async def in_chain(session: AsyncSession, *, after: int = 0) -> AsyncIterator[AuditEntry]:
    """The entries with numbers beyond `after`, in order."""
    in_order = select(AuditEntry).where(await _has_place(session)).order_by(AuditEntry.number).limit(ENTRIES_AT_ONCE)
    while found := (await session.scalars(in_order.where(AuditEntry.number > after))).all():
        for entry in found:
            yield entry
        after = found[-1].number
        session.expunge_all()


async def linked(
    session: AsyncSession, wanted: AuditFilter, *, after: int, up_to: int
) -> Sequence[tuple[AuditEntry, bytes]]:
    """The next of the wanted entries in the order of the chain, with numbers beyond `after`, `up_to` at most; each with
    the link of the entry before it. Empty after the last one.
    """
    earlier = aliased(AuditEntry)
    before = (
        select(cast(earlier.link, LargeBinary))
        .where(earlier.number < AuditEntry.number)
        .order_by(earlier.number.desc())
        .limit(1)
        .scalar_subquery()
    )
    in_order = (
        select(AuditEntry, before)
        .where(await _has_place(session), AuditEntry.number > after, AuditEntry.number <= up_to)
        .where(*wanted.conditions(in_chain=True))
        .order_by(AuditEntry.number)
        .limit(ENTRIES_AT_ONCE)
    )
    return [(entry, link or hash_chain.BEGINNING) for entry, link in await session.execute(in_order)]


async def link_at(session: AsyncSession, number: int) -> bytes | None:
    """The link of the entry of that number, if there is one."""
    return (await session.scalars(select(AuditEntry.link).where(AuditEntry.number == number))).first()


async def keep_head(session: AsyncSession, signed: Head, signature: bytes, now_ns: int) -> None:
    """Stores a signed head. It replaces an earlier one of that number: see `gateway.auditing.chain_heads`."""
    await session.merge(AuditHead(number=signed.number, link=signed.link, at_ns=now_ns, signature=signature))
    await session.flush()


async def highest_head(session: AsyncSession, *, up_to: int) -> int:
    """The highest number, `up_to` at most, of a head that is kept, from any peer; 0 if there is none."""
    found = await session.scalar(select(func.max(AuditHead.number)).where(AuditHead.number <= up_to))
    return found or 0


async def signed_heads(session: AsyncSession, *, last_first: bool = False) -> AsyncIterator[Sequence[SignedHead]]:
    """All heads that are kept, the first one first, in pieces: in a year there may be half a million."""
    # Cast: somebody may have written a text there.
    link, signature = cast(AuditHead.link, LargeBinary), cast(AuditHead.signature, LargeBinary)
    in_order = (
        select(AuditHead.number, link, AuditHead.at_ns, signature, AuditEntry.link)
        .outerjoin(AuditEntry, AuditEntry.number == AuditHead.number)
        .order_by(AuditHead.number.desc() if last_first else AuditHead.number)
        .limit(HEADS_AT_ONCE)
    )
    some = in_order
    while found := [SignedHead(*row) for row in await session.execute(some)]:
        yield found
        last = found[-1].number
        some = in_order.where(AuditHead.number < last if last_first else AuditHead.number > last)


async def last_at_ns(session: AsyncSession) -> int | None:
    """When the latest entry was made, by the clock of that time; None if there is none."""
    found: int | None = await session.scalar(select(func.max(AuditEntry.at_ns)))
    return found
