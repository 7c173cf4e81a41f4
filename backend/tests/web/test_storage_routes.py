"""What the gateway stores and how long, for its admins."""

import threading
from typing import Any

import pytest

from databases import ON_SERVER
from sieve.gateway.backups.folder import LastBackup
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.store.blob_folder import BlobFolder
from sieve.store.models import new_id
from sieve.web import storage_use
from sieve.web.storage_use import DAY_NS, Disk, StorageUse
from web_world import World

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E>. Weather: fair."
RECEIVED_NS = 1_700_000_000 * NS_PER_S


class At(Clock):
    """A clock that moves only when a test sets it."""

    def __init__(self, now_ns: int) -> None:
        super().__init__()
        self.at_ns = now_ns

    def now_ns(self) -> int:
        return self.at_ns


async def storage(world: World) -> dict[str, Any]:
    async with world.client("root") as api:
        answer = await api.get("/storage")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def rule(shown: dict[str, Any], kind: str) -> dict[str, Any]:
    [found] = [each for each in shown["retention"] if each["kind"] == kind]
    return dict(found)


async def test_it_says_what_takes_space_and_what_is_free(world: World) -> None:
    await world.deliver(MARKED)
    await world.upload(MARKED)
    gone = await world.upload(MARKED)
    async with world.client("anna") as api:
        await api.delete(f"/documents/{gone}")
    folder = BlobFolder(world.services.settings.blobs_path)
    folder.quarantine.mkdir(parents=True)
    left = folder.root / new_id()
    left.write_bytes(b"half")
    folder.move_away([left], RECEIVED_NS)

    shown = await storage(world)
    by_origin = {each.pop("origin"): each for each in shown["documents"]}
    both = {"documents": 1, "plain_bytes": 27, "sealed_bytes": 19}
    assert by_origin == {"authored": both, "received": both}
    assert shown["quarantine"] == {"files": 1, "bytes": 4}
    assert rule(shown, "quarantine")["oldest_at"] == "2023-11-14T22:13:20Z"
    assert shown["database"]["bytes"] > 0 and shown["partials"] == {"files": 0, "bytes": 0}
    assert {what for disk in shown["disks"] for what in disk["holds"]} == (
        {"documents"} if ON_SERVER else {"database", "documents"}
    )
    assert all(0 <= disk["free_bytes"] <= disk["total_bytes"] for disk in shown["disks"])
    assert shown["backup"] is None
    data = world.services.settings.data_dir
    LastBackup("2026-11-20T10:00:00.000001Z", 70, 1).write(data)
    backup = (await storage(world))["backup"]
    assert backup == {"taken_at": "2026-11-20T10:00:00.000001Z", "bytes": 70, "damaged": 1}
    (data / "last-backup.json").write_text("{}")
    assert (await storage(world))["backup"] is None


async def test_the_event_loop_never_waits_for_the_disk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()

    def disks(_: StorageUse) -> list[Disk]:
        threads.add(threading.get_ident())
        return []

    monkeypatch.setattr(StorageUse, "disks", disks)
    await storage(world)
    assert threads and threading.get_ident() not in threads


async def test_it_says_what_retention_removes_next(world: World) -> None:
    await world.deliver(MARKED)
    services = world.services
    clock = At(RECEIVED_NS + 29 * DAY_NS)
    settings = services.settings.model_copy(update={"retention_days": 30})
    use = StorageUse(settings, services.database, clock)
    found = (await use.measured()).received
    assert found == (RECEIVED_NS, 0, 2)
    clock.at_ns += DAY_NS - 60 * NS_PER_S
    assert (await use.measured()).received == (RECEIVED_NS, 2, 2)
    kept_for_ever = StorageUse(services.settings, services.database, clock)
    assert (await kept_for_ever.measured()).received == (RECEIVED_NS, 0, 0)


async def test_counts_are_remembered_for_some_minutes(world: World) -> None:
    clock = At(RECEIVED_NS)
    use = StorageUse(world.services.settings, world.services.database, clock)
    first = await use.measured()
    await world.deliver(MARKED)
    clock.at_ns += (storage_use.FRESH_S - 1) * NS_PER_S
    assert await use.measured() is first
    clock.at_ns += NS_PER_S
    assert (await use.measured()).documents != first.documents


async def test_it_names_the_setting_of_each_rule(world: World) -> None:
    shown = await storage(world)
    settings = {each["kind"]: (each["setting"], each["kept_s"]) for each in shown["retention"]}
    day_s = 86400.0
    assert settings == {
        "received": ("SIEVE_RETENTION_DAYS", None),
        "deleted": ("SIEVE_DELETED_DAYS", 30 * day_s),
        "versions": (None, 30 * day_s),
        "partials": (None, day_s),
        "quarantine": (None, 7 * day_s),
        "timing-records": ("SIEVE_TIMING_RECORDS_DAYS", 90 * day_s),
        "timing-marks": ("SIEVE_TIMING_MARKS_DAYS", 30 * day_s),
        "sessions": ("SIEVE_SESSION_LIFE_S", 7 * day_s),
        "audit": (None, None),
    }
    assert rule(shown, "deleted") | {"oldest_at": None, "next_run": 0, "next_day": 0} == rule(shown, "deleted")
