"""The gateways that this one is paired with, and their keys. A removed peer keeps its row: receipts name it.

This gateway has a row, too, with the id `OWN_ID`: transfers to its own people name it.
"""

from collections.abc import Sequence
from typing import Final, cast

from sqlalchemy import Table, bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Breaker, Peer, PeerPin, new_id
from sieve.store.queries import recipient_groups
from sieve.store.queries.conditional_update import update_where
from sieve.store.queries.rows_as_objects import RowsOf

OWN_ID: Final = "own"
"""The id of the row of this gateway itself."""


async def known(session: AsyncSession) -> Sequence[tuple[Peer, Sequence[str]]]:
    """Every peer that is not removed, by name, with the pins that count."""
    rows = (await session.scalars(select(Peer).where(Peer.state != "removed").order_by(Peer.name))).all()
    pins = await session.scalars(select(PeerPin).where(PeerPin.retired_at_ns.is_(None)).order_by(PeerPin.added_at_ns))
    by_peer: dict[str, list[str]] = {}
    for row in pins:
        by_peer.setdefault(row.peer_id, []).append(row.pin)
    return [(row, by_peer.get(row.id, [])) for row in rows]


_PEERS: Final = RowsOf(Peer)
_BREAKERS: Final = RowsOf(Breaker)
_BY_ID: Final = (
    select(*_PEERS.columns, *_BREAKERS.columns)
    .select_from(_PEERS.table)
    .outerjoin(_BREAKERS.table, _BREAKERS.table.c.peer_id == _PEERS.table.c.id)
    .where(_PEERS.table.c.id == bindparam("peer"))
)


async def by_id(session: AsyncSession, peer_id: str) -> Peer:
    """A peer that another row names, removed or not, with its breaker. No change of them is written."""
    row, of_peer = (await session.execute(_BY_ID, {"peer": peer_id})).one(), len(_PEERS.columns)
    return _PEERS.made(row[:of_peer], breaker=_BREAKERS.made_if_any(row[of_peer:]))


async def by_name(session: AsyncSession, name: str) -> Peer | None:
    """The peer of that name, unless removed."""
    return await session.scalar(select(Peer).where(Peer.name == name, Peer.state != "removed"))


_PINS: Final = cast(Table, PeerPin.__table__)
_KEY_COUNTS: Final = (
    select(_PINS.c.id)
    .join(_PEERS.table, _PEERS.table.c.id == _PINS.c.peer_id)
    .where(
        _PINS.c.peer_id == bindparam("peer"),
        _PINS.c.pin == bindparam("pin"),
        _PINS.c.retired_at_ns.is_(None),
        _PEERS.table.c.state == "active",
    )
    .limit(1)
)


async def key_counts(session: AsyncSession, peer_id: str, pin: str) -> bool:
    """Whether that key is one of an active peer's."""
    return await session.scalar(_KEY_COUNTS, {"peer": peer_id, "pin": pin}) is not None


async def add(
    session: AsyncSession,
    *,
    name: str,
    secure_url: str,
    plain_url: str,
    ca_der: bytes,
    receipt_key: bytes,
    pin: str,
    now_ns: int,
) -> Peer:
    """A new peer, unconfirmed, with its first pin."""
    peer = Peer(
        id=new_id(),
        name=name,
        secure_url=secure_url,
        plain_url=plain_url,
        ca_der=ca_der,
        receipt_key=receipt_key,
        state="unconfirmed",
        created_at_ns=now_ns,
    )
    session.add(peer)
    await session.flush()
    await _add_pin(session, peer.id, pin, now_ns)
    return peer


async def confirm(session: AsyncSession, peer_id: str, now_ns: int) -> bool:
    """Makes a peer active whose code was compared; one that is, or was removed, stays as it is. Whether it did."""
    changed = await update_where(
        session, Peer, Peer.id == peer_id, Peer.state == "unconfirmed", state="active", confirmed_at_ns=now_ns
    )
    return changed > 0


async def renew(
    session: AsyncSession,
    peer_id: str,
    *,
    secure_url: str,
    plain_url: str,
    ca_der: bytes,
    receipt_key: bytes,
    pin: str,
    now_ns: int,
) -> None:
    """New addresses and keys of a peer; its older pins count until they are retired."""
    await update_where(
        session,
        Peer,
        Peer.id == peer_id,
        secure_url=secure_url,
        plain_url=plain_url,
        ca_der=ca_der,
        receipt_key=receipt_key,
    )
    counts = await session.scalar(
        select(PeerPin.id).where(PeerPin.peer_id == peer_id, PeerPin.pin == pin, PeerPin.retired_at_ns.is_(None))
    )
    if counts is None:
        await _add_pin(session, peer_id, pin, now_ns)


async def retire_pin(session: AsyncSession, peer_id: str, pin: str, now_ns: int) -> None:
    """One of a peer's pins counts no more."""
    await update_where(
        session,
        PeerPin,
        PeerPin.peer_id == peer_id,
        PeerPin.pin == pin,
        PeerPin.retired_at_ns.is_(None),
        retired_at_ns=now_ns,
    )


async def retire_other_pins(session: AsyncSession, peer_id: str, pin: str, now_ns: int) -> None:
    """Of a peer's pins, only this one counts from now on."""
    await update_where(
        session,
        PeerPin,
        PeerPin.peer_id == peer_id,
        PeerPin.pin != pin,
        PeerPin.retired_at_ns.is_(None),
        retired_at_ns=now_ns,
    )


async def remove(session: AsyncSession, peer_id: str, now_ns: int) -> None:
    """Ends the peering and every pin of it."""
    await update_where(session, Peer, Peer.id == peer_id, state="removed", removed_at_ns=now_ns)
    await update_where(
        session, PeerPin, PeerPin.peer_id == peer_id, PeerPin.retired_at_ns.is_(None), retired_at_ns=now_ns
    )


async def own_plain_url(session: AsyncSession) -> str | None:
    """The plain address in the row of this gateway itself."""
    return await session.scalar(select(Peer.plain_url).where(Peer.id == OWN_ID))


async def put_own(
    session: AsyncSession,
    *,
    name: str,
    secure_url: str,
    plain_url: str,
    ca_der: bytes,
    receipt_key: bytes,
    pin: str,
    now_ns: int,
) -> bool:
    """Makes the row of this gateway itself say this; its older pins end. Groups of recipients follow a new name.

    If a peer has that name, the row keeps its earlier name, or is not made; returns False then.
    """
    row, namesake = await session.get(Peer, OWN_ID), await by_name(session, name)
    is_free = namesake is None or namesake.id == OWN_ID
    if row is None:
        if not is_free:
            return False
        row = Peer(id=OWN_ID, name=name, state="active", created_at_ns=now_ns, confirmed_at_ns=now_ns)
    elif is_free and row.name != name:
        await recipient_groups.rename_gateway(session, row.name, name)
        row.name = name
    row.secure_url, row.plain_url, row.ca_der, row.receipt_key = secure_url, plain_url, ca_der, receipt_key
    session.add(row)
    await session.flush()
    counting = PeerPin.peer_id == OWN_ID, PeerPin.retired_at_ns.is_(None)
    if pin not in await session.scalars(select(PeerPin.pin).where(*counting)):
        await update_where(session, PeerPin, *counting, retired_at_ns=now_ns)
        await _add_pin(session, OWN_ID, pin, now_ns)
    return is_free


async def _add_pin(session: AsyncSession, peer_id: str, pin: str, now_ns: int) -> None:
    session.add(PeerPin(id=new_id(), peer_id=peer_id, pin=pin, added_at_ns=now_ns))
    await session.flush()
