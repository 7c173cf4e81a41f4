"""Peers: unconfirmed, active, removed; two keys may overlap, and a removed one's name is free again."""

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.database import Database
from sieve.store.queries import peers
from store_rows import a_peer


async def pins(session: AsyncSession, name: str) -> list[str]:
    return next(list(pins) for row, pins in await peers.known(session) if row.name == name)


async def test_from_invitation_to_removal(session: AsyncSession) -> None:
    bravo = await a_peer(session, confirmed=False)
    assert bravo.state == "unconfirmed"
    await peers.confirm(session, bravo.id, 5)
    await peers.confirm(session, bravo.id, 6)
    assert (bravo.state, bravo.confirmed_at_ns) == ("active", 5)
    assert await peers.by_name(session, "bravo") is bravo
    await peers.remove(session, bravo.id, 7)
    assert (bravo.state, bravo.removed_at_ns) == ("removed", 7)
    assert await peers.by_name(session, "bravo") is None
    assert await peers.known(session) == []
    await peers.confirm(session, bravo.id, 8)
    assert bravo.state == "removed"
    assert (await a_peer(session)).id != bravo.id


async def test_a_name_is_one_peers_at_a_time(database: Database) -> None:
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await a_peer(session)
            await a_peer(session)


async def test_two_keys_overlap_during_a_renewal(session: AsyncSession) -> None:
    bravo, _ = await a_peer(session), await a_peer(session, "charlie")
    [old] = await pins(session, "bravo")
    new = "ab" * 32
    for _ in range(2):
        await peers.renew(
            session,
            bravo.id,
            secure_url="https://new:1",
            plain_url="http://new:2",
            ca_der=b"new ca",
            receipt_key=b"\1" * 32,
            pin=new,
            now_ns=9,
        )
    assert (bravo.secure_url, bravo.plain_url, bravo.ca_der) == ("https://new:1", "http://new:2", b"new ca")
    assert await pins(session, "bravo") == [old, new]
    await peers.retire_pin(session, bravo.id, old, 10)
    assert await pins(session, "bravo") == [new]
    assert len(await pins(session, "charlie")) == 1
