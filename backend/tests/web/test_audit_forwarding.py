"""The audit log reaches a real syslog receiver and a file: all of it, in order, and nothing that is sealed."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

import syslog_server
from gateway.two_gateways import until
from pki import new_identity
from sieve.config_error import ConfigError
from sieve.gateway.auditing import forwarding as job
from sieve.gateway.auditing import syslog_receiver
from sieve.gateway.auditing.forwarding import AuditForwarding
from sieve.gateway.errors import ForwardingFailed
from sieve.load_config import load
from sieve.store.models import AuditEntry
from sieve.store.queries import audit_forwarding
from web_world import Ground, World
from world_building import build, close

MESSAGE = re.compile(
    r"<(\d+)>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) alpha sieve - ([!-~]{1,32}) "
    r'\[sieve@32473 number="(\d+)" link="([0-9a-f]{64})"\] (\{.*\})'
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `ca.pem` and an identity of the receiver."""
    folder = tmp_path_factory.mktemp("receiver")
    new_identity(folder, "receiver")
    return folder / "receiver"


@dataclass
class Receiver:
    """The receiver of a test, which can be killed and started again at the same port."""

    authority: Path
    out: Path
    host: str = "127.0.0.1"
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self, mode: str = "proper", *, wants_client: bool = False) -> None:
        pem, key, ca = (str(self.authority / name) for name in ("identity.pem", "identity.key", "ca.pem"))
        arguments = [self.host, str(self.port), pem, key, ca if wants_client else "-", str(self.out), mode]
        command = [sys.executable, syslog_server.__file__, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def kill(self) -> None:
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None

    @property
    def messages(self) -> list[tuple[str, ...]]:
        """Priority, time, action, number, link and text of each."""
        lines = self.out.read_text().splitlines() if self.out.exists() else []
        found = [MESSAGE.fullmatch(line) for line in lines]
        assert all(found), lines
        return [each.groups() for each in found if each is not None]

    @property
    def numbers(self) -> list[int]:
        return [int(number) for _, _, _, number, _, _ in self.messages]


@pytest.fixture
def receiver(authority: Path, tmp_path: Path) -> Iterator[Receiver]:
    made = Receiver(authority, tmp_path / "received")
    yield made
    made.kill()


@asynccontextmanager
async def forwarding_to(
    receiver: Receiver, tmp_path: Path, ground: Ground, **settings: Any
) -> AsyncIterator[tuple[World, AuditForwarding]]:
    values = {
        "audit_syslog": f"{receiver.host}:{receiver.port}",
        "audit_syslog_ca": receiver.authority / "ca.pem",
        **settings,
    }
    world = await build(tmp_path, ground, **values)
    yield world, world.services.audit_forwarding[0]
    await close(world)


async def note(world: World, count: int = 1, **more: Any) -> None:
    async with world.database.write() as session:
        for each in range(count):
            await world.services.audit.note(session, "root", "person-changed", f"person-{each}", **more)


async def all_of(forwarding: AuditForwarding) -> None:
    while await forwarding.forward():
        pass


async def stop(jobs: list[asyncio.Task[None]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancels jobs while none uses the database, which would leave a connection open."""
    idle = 0

    async def wait(_: AuditForwarding) -> bool:
        nonlocal idle
        idle += 1
        return await asyncio.Event().wait()

    monkeypatch.setattr(AuditForwarding, "forward", wait)
    await until(lambda: idle == len(jobs))
    for each in jobs:
        each.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


async def test_entries_arrive_once_and_in_order(receiver: Receiver, tmp_path: Path, ground: Ground) -> None:
    receiver.start()
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world, 250)
        async with world.database.write() as session:
            await world.services.audit.note(session, "", "sign-in-failed", "anna", {"failures": 1, "source": "::1"})
        await all_of(forwarding)
        await note(world)
        await all_of(forwarding)
        assert receiver.numbers == list(range(1, 253))
        priority, at, action, number, link, text = receiver.messages[250]
        assert (priority, action) == ("108", "sign-in-failed")
        assert receiver.messages[0][0] == "110"
        sent = json.loads(text)
        assert sent == {
            "number": 251,
            "at": at,
            "gateway": "alpha",
            "actor": "",
            "action": "sign-in-failed",
            "subject": "anna",
            "details": {"failures": 1, "source": "::1"},
            "link": link,
        }
        assert number == "251"


async def test_a_gateway_that_stops_continues_where_it_was(receiver: Receiver, tmp_path: Path, ground: Ground) -> None:
    receiver.start()
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world, 3)
        await all_of(forwarding)
        await note(world, 2)
        again = AuditForwarding(
            "syslog", world.database, world.services.audit, forwarding.receiver, "alpha", False, forwarding.clock
        )
        await all_of(again)
        assert receiver.numbers == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("mode", ["proper", "abrupt"])
async def test_a_receiver_that_is_killed_in_a_batch_gets_it_again(
    receiver: Receiver, tmp_path: Path, ground: Ground, mode: str
) -> None:
    """Whether or not it answers the end of connections."""
    receiver.start(mode)
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world)
        await all_of(forwarding)
        receiver.kill()
        receiver.start("stuck")
        await note(world, 3)
        sending = asyncio.create_task(forwarding.forward())
        await until(lambda: len(receiver.numbers) == 2)
        receiver.kill()
        with pytest.raises(ForwardingFailed):
            await sending
        await note(world)
        with pytest.raises(ForwardingFailed, match="cannot be reached"):
            await forwarding.forward()
        assert forwarding.waiting == 4
        receiver.start(mode)
        await all_of(forwarding)
        assert receiver.numbers == [1, 2, 2, 3, 4, 5]
        assert (forwarding.problem, forwarding.waiting) == (None, 0)


async def test_a_receiver_that_takes_nothing_ends_the_try(
    receiver: Receiver, tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syslog_receiver, "LIMIT_S", 0.5)
    receiver.start("stuck")
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world, 2)
        with pytest.raises(ForwardingFailed, match="did not take the entries"):
            await forwarding.forward()


async def test_a_dead_receiver_shows_and_holds_up_nothing(
    receiver: Receiver, tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pace in ("PACE_S", "LONGEST_PAUSE_S"):
        monkeypatch.setattr(job, pace, 0.01)
    receiver.start()
    receiver.kill()
    file = tmp_path / "audit.jsonl"
    async with forwarding_to(receiver, tmp_path, ground, audit_file=file) as (world, forwarding):
        jobs = [asyncio.create_task(each.run()) for each in world.services.audit_forwarding]
        await note(world, 2)
        await until(lambda: forwarding.problem is not None and file.exists())
        async with world.client("root") as api:
            ready = await api.get("http://alpha/readyz")
            metrics = (await api.get("http://alpha/metrics")).text
        assert ready.status_code == 200
        # Everybody may ask: no address and no path.
        assert ready.json()["audit_forwarding"] == {"syslog": forwarding.problem, "file": None}
        assert str(receiver.port) not in (forwarding.problem or "")
        for line in (
            'waiting{receiver="syslog"} 2.0',
            'failing{receiver="syslog"} 1.0',
            'failing{receiver="file"} 0.0',
        ):
            assert f"sieve_audit_{line}" in metrics
        receiver.start()
        await until(lambda: receiver.numbers == [1, 2])
        await until(lambda: forwarding.problem is None)
        await stop(jobs, monkeypatch)


async def test_a_server_that_the_authority_does_not_know_gets_nothing(
    receiver: Receiver, tmp_path: Path, ground: Ground
) -> None:
    receiver.start()
    other = tmp_path / "other"
    new_identity(other, "other")
    async with forwarding_to(receiver, tmp_path, ground, audit_syslog_ca=other / "other" / "ca.pem") as (world, job):
        await note(world)
        with pytest.raises(ForwardingFailed, match="its certificate is not valid"):
            await job.forward()
    assert receiver.messages == []


async def test_a_server_with_the_certificate_of_another_host_gets_nothing(
    receiver: Receiver, tmp_path: Path, ground: Ground
) -> None:
    receiver.host = "127.0.0.2"
    receiver.start()
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world)
        with pytest.raises(ForwardingFailed, match="its certificate is not valid: IP address mismatch"):
            await forwarding.forward()
    assert receiver.messages == []


@pytest.mark.parametrize("shown", [True, False])
async def test_a_receiver_may_want_a_certificate(
    receiver: Receiver, tmp_path: Path, ground: Ground, shown: bool
) -> None:
    receiver.start(wants_client=True)
    files: dict[str, Any] = {
        "audit_syslog_certificate": receiver.authority / "identity.pem",
        "audit_syslog_key": receiver.authority / "identity.key",
    }
    async with forwarding_to(receiver, tmp_path, ground, **(files if shown else {})) as (world, forwarding):
        await note(world)
        if shown:
            await all_of(forwarding)
        else:
            with pytest.raises(ForwardingFailed):
                await forwarding.forward()
    assert receiver.numbers == ([1] if shown else [])


@pytest.mark.parametrize("reasons", [False, True])
async def test_what_is_sealed_leaves_only_if_the_setting_allows_it(
    receiver: Receiver, tmp_path: Path, ground: Ground, reasons: bool
) -> None:
    receiver.start()
    async with forwarding_to(receiver, tmp_path, ground, audit_forward_reasons=reasons) as (world, forwarding):
        await note(world, details={"spans": 3}, reason="PLANTED reason\nof two lines", sealed_details={"to": "PLANTED"})
        await all_of(forwarding)
    [text] = [json.loads(each[-1]) for each in receiver.messages]
    if reasons:
        assert text["details"] == {"spans": 3, "to": "PLANTED"}
        assert text["reason"] == "PLANTED reason\nof two lines"
    else:
        assert text["details"] == {"spans": 3} and "reason" not in text
        assert b"PLANTED" not in receiver.out.read_bytes()


async def test_no_entry_holds_up_the_others(receiver: Receiver, tmp_path: Path, ground: Ground) -> None:
    """One that is too long for a receiver, and one whose row is damaged."""
    receiver.start()
    async with forwarding_to(receiver, tmp_path, ground) as (world, forwarding):
        await note(world, details={"much": "x" * 20_000})
        await note(world, 2)
        async with world.database.write() as session:
            damaged = update(AuditEntry).where(AuditEntry.number == 2)
            await session.execute(damaged.values(details="not JSON", actor="é\n", action="an action", at_ns=2**62))
        await all_of(forwarding)
    assert receiver.numbers == [1, 2, 3]
    long, bad, _ = (json.loads(text) for *_, text in receiver.messages)
    assert (long["cut"], long["details"], bad["unreadable"], bad["actor"]) == (True, None, True, "é\n")
    assert receiver.messages[1][2] == "an?action"


async def test_a_file_gets_lines_and_survives_crashes(tmp_path: Path, ground: Ground) -> None:
    file = tmp_path / "audit.jsonl"

    def numbers() -> list[int | None]:
        def number(line: str) -> int | None:
            try:
                return int(json.loads(line)["number"])
            except ValueError:
                return None

        return [number(line) for line in file.read_text().splitlines()]

    world = await build(tmp_path, ground, audit_file=file)
    [forwarding] = world.services.audit_forwarding

    def restarted() -> AuditForwarding:
        audit, receiver = world.services.audit, forwarding.receiver
        return AuditForwarding("file", world.database, audit, receiver, "alpha", False, forwarding.clock)

    await note(world, 3)
    await all_of(forwarding)
    assert numbers() == [1, 2, 3] and oct(file.stat().st_mode & 0o7777) == "0o640"
    before = file.read_bytes()
    # It stopped after it wrote the file and before it stored the position: nothing comes twice.
    async with world.database.write() as session:
        await audit_forwarding.keep_position(session, str(file), 1, 1)
    await all_of(restarted())
    assert file.read_bytes() == before
    # It stopped while it wrote: the line that was cut off stays, and nothing is missing.
    file.write_bytes(before[:-10])
    async with world.database.write() as session:
        await audit_forwarding.keep_position(session, str(file), 2, 1)
    await all_of(restarted())
    assert numbers() == [1, 2, None, 3]
    # The file is of a database that has other entries: these are not skipped.
    last = json.loads(before.splitlines()[-1]) | {"number": 4, "link": "ab" * 32}
    file.write_text(json.dumps(last) + "\n")
    await note(world)
    await all_of(restarted())
    assert numbers() == [4, 4]
    # Somebody moved it away.
    file.rename(tmp_path / "audit.jsonl.1")
    await note(world)
    await all_of(forwarding)
    assert numbers()[-1] == 5
    file.unlink()
    file.mkdir()
    await note(world)
    with pytest.raises(ForwardingFailed, match="cannot be written"):
        await forwarding.forward()
    await close(world)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"SYSLOG": "syslog.example.org"}, "SIEVE_AUDIT_SYSLOG: the port is missing"),
        ({"SYSLOG": "0.0.0.0:6514"}, "SIEVE_AUDIT_SYSLOG: it is not the address of a server"),
        ({"SYSLOG_CA": "ca.pem"}, "SIEVE_AUDIT_SYSLOG: it must be set if one of the files for it is"),
        (
            {"SYSLOG": "s:1", "SYSLOG_KEY": "identity.key"},
            "SIEVE_AUDIT_SYSLOG_KEY: set it together with SIEVE_AUDIT_SYSLOG_CERTIFICATE",
        ),
        ({"SYSLOG": "s:1", "SYSLOG_CA": "none.pem"}, "SIEVE_AUDIT_SYSLOG_CA: the file cannot be read: No such file"),
        (
            {"SYSLOG": "s:1", "SYSLOG_CA": "identity.key"},
            "SIEVE_AUDIT_SYSLOG_CA: the file holds no certificates in PEM form",
        ),
        (
            {"SYSLOG": "s:1", "SYSLOG_CERTIFICATE": "ca.pem", "SYSLOG_KEY": "identity.key"},
            "SIEVE_AUDIT_SYSLOG_CERTIFICATE: the files hold no certificate with its private key",
        ),
    ],
)
def test_bad_settings_stop_the_start(
    authority: Path, settings: dict[str, str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"SIEVE_AUDIT_{name}", value if name == "SYSLOG" else str(authority / value))
    with pytest.raises(ConfigError) as refused:
        load()
    assert str(refused.value).startswith(line)
