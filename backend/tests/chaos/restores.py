"""A gateway is backed up while documents are sent, goes on, dies, and is restored from that backup.

What holds then, of each transfer that its author got an answer for (docs/operations.md, "Backup and restore"):

- What the gateway had accepted before the backup began is not lost: a sender delivers what it had accepted, a receiver
  has what it had delivered.
- What a sender accepted later, it may not know any more; what a receiver delivered later may be gone there. What the
  sender still owes when its receiver dies, arrives.
- Nothing is in an inbox twice, and nothing has other bytes than its author sent, whenever it was accepted.
- A receipt is not contradicted: a transfer that its sender knew as delivered when its receiver died remains so, and
  its receipt verifies.
"""

import asyncio
import shutil
from collections.abc import Collection, Mapping
from typing import Final

import httpx

from chaos.world import PATIENCE_S, WAYS, TrialFailed, World

FAULTS: Final = {"alpha": "restore of a sender", "bravo": "restore of a receiver"}


async def restore(world: World, victim: str) -> None:
    """One such restore, of either gateway."""
    fault = FAULTS[victim]
    before = await _sent(world, world.draw.choice(WAYS))
    if victim == "bravo":
        for transfer_id in before:
            await world.both.ended(transfer_id)
    during = asyncio.create_task(_sent(world, "batch"))
    backup = world.both.folder / f"{victim}.backup"
    await world.both.sieve(victim, "backup", str(backup))
    later = {**await during, **await _sent(world, world.draw.choice(WAYS))}
    await asyncio.sleep(world.draw.random() * 0.4)  # the fault's moment, not a wait for something
    process = world.gateway(victim).process
    process.kill()
    await asyncio.to_thread(process.wait)
    delivered = await _delivered(world, later) if victim == "bravo" else set()

    await world.both.sieve(victim, "restore", str(backup), "--replace")
    await asyncio.to_thread(_clear_up, world, victim)
    await world.start_again(victim)
    # Restored gateways take and deliver documents.
    new = await _sent(world, world.draw.choice(WAYS))

    counts = world.book[fault]
    counts["trials"] += 1
    counts["documents"] += len(before) + len(later) + len(new)
    known = await _known(world, {**before, **later, **new})
    for transfer_id in (before.keys() | new.keys()) - known:
        world.note(fault, "lost", f"{victim} does not know transfer {transfer_id} any more")
    for transfer_id in known:
        ended = await world.ended(transfer_id)
        if ended["state"] != "delivered":
            world.note(fault, "lost", f"transfer {transfer_id} is {ended['state']}: {ended['reason']}")
        elif not await _receipt_holds(world, transfer_id):
            world.note(fault, "changed", f"the receipt of transfer {transfer_id} does not verify")
    inbox = await world.inbox()
    may_be_gone = delivered if victim == "bravo" else later.keys() - known
    for transfer_id, document_id in {**before, **later, **new}.items():
        if (number := inbox[transfer_id]) > 1:
            world.note(fault, "doubled", f"transfer {transfer_id} is {number} times in the inbox")
        elif number == 1:
            await world.compare(transfer_id, document_id, fault)
        elif transfer_id not in may_be_gone:
            world.note(fault, "lost", f"transfer {transfer_id} is not in the inbox")


async def _sent(world: World, way: str) -> dict[str, str]:
    """Sends documents; the ids of the accepted transfers, with those of their documents."""
    return await world.transfers_of(await world.send(way))


async def _delivered(world: World, transfers: Collection[str]) -> set[str]:
    """The transfers of which the sender has a receipt, now that the receiver is dead."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            states = {transfer_id: (await world.both.transfer(transfer_id))["state"] for transfer_id in transfers}
            # What is being sent may have its receipt, and say so in a moment.
            if "sending" not in states.values():
                return {transfer_id for transfer_id, state in states.items() if state == "delivered"}
            # Only the gateway's API shows that the attempt ended: soon, for the receiver is dead.
            await asyncio.sleep(0.02)


async def _known(world: World, transfers: Mapping[str, str]) -> set[str]:
    """The transfers that the sender knows."""
    known = set()
    async with world.both.author as api:
        for transfer_id in transfers:
            answer = await api.get(f"/transfers/{transfer_id}")
            if answer.status_code not in (httpx.codes.OK, httpx.codes.NOT_FOUND):
                raise TrialFailed(f"restore: transfer {transfer_id} cannot be looked at: {answer.text}")
            if answer.status_code == httpx.codes.OK:
                known.add(transfer_id)
    return known


async def _receipt_holds(world: World, transfer_id: str) -> bool:
    async with world.both.author as api:
        answer = await api.get(f"/transfers/{transfer_id}/verification")
    return answer.status_code == httpx.codes.OK and bool(answer.json()["valid"])


def _clear_up(world: World, victim: str) -> None:
    """Removes the backup and the replaced data."""
    shutil.rmtree(world.both.folder / f"{victim}.backup")
    for folder in (world.both.folder / victim).glob("replaced-*"):
        shutil.rmtree(folder)
