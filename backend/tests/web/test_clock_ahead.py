"""A clock that is ahead when the gateway starts deletes nothing, however long it runs and however often it restarts."""

import time
from dataclasses import dataclass, field

from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.documents.retention import DAY_NS, Retention
from sieve.gateway.documents.versions import MINUTE_NS, VersionRetention
from sieve.gateway.peering.clock_trust import ClockTrust
from web.draft_calls import FIRST, SECOND, create, save
from web.test_draft_versions import age, kept
from web_world import World

HOUR_NS = DAY_NS // 24


@dataclass
class Gateway:
    """A gateway with that data, which starts again and again, on a machine whose clock is so far ahead."""

    world: World
    ahead_ns: int = 0
    passed_ns: int = 0
    clock: Clock = field(default_factory=Clock)

    async def starts(self) -> None:
        services = self.world.services
        self.clock = Clock(
            lambda: now_ns() + self.ahead_ns + self.passed_ns, lambda: time.monotonic_ns() + self.passed_ns
        )
        trust = ClockTrust(services.database, self.clock, services.peers, services.links)
        await trust.load()
        await trust.look()

    async def removes(self) -> int:
        """What age ends: received documents, the trash, and earlier saves."""
        services = self.world.services
        removing = Retention(services.database, services.blobs, services.announcements, 30, self.clock)
        return await removing.remove() + await VersionRetention(services.database, services.blobs, self.clock).remove()


async def test_a_clock_that_is_ahead_at_the_start_deletes_nothing_for_good(world: World) -> None:
    gateway = Gateway(world)
    await gateway.starts()
    received, deleted = [await world.deliver(b"plain <$S>secret<$E>", at_ns=now_ns()) for _ in range(2)]
    draft, made = await create(world), await create(world)
    for revision, marked in enumerate([FIRST, SECOND], start=1):
        age(world, made["id"], 2 * MINUTE_NS)
        assert (await save(world, made["id"], revision, marked)).status_code == 200
    async with world.client("bruno") as bruno, world.client("anna") as anna:
        assert (await bruno.delete(f"/inbox/{deleted}")).status_code == 204
        assert (await anna.delete(f"/drafts/{draft['id']}")).status_code == 204
        files = world.blob_files()

        gateway.ahead_ns = 365 * DAY_NS
        for _ in range(3):
            await gateway.starts()
            for _ in range(2):
                assert await gateway.removes() == 0
                gateway.passed_ns += 2 * HOUR_NS

        gateway.ahead_ns = 0
        await gateway.starts()
        assert not gateway.clock.is_doubted
        assert await kept(world, made["id"]) == [3, 2, 1]
        assert world.blob_files() == files
        assert [item["transfer_id"] for item in (await bruno.get("/inbox")).json()["items"]] == [received]
        assert (await bruno.post(f"/inbox/{deleted}/restore")).status_code == 200
        assert (await anna.post(f"/drafts/{draft['id']}/restore")).status_code == 200

    gateway.passed_ns += 31 * DAY_NS
    assert await gateway.removes() > 0, "it removes what is due again"
