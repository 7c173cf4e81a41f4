"""A change of the master key: whatever was sealed opens before, after and at every point in between."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from databases import url
from kept_data import KEY, KeptData
from pki import new_identity
from sieve.channel.held_ranges import Held
from sieve.cli.app import main
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_heads import AuditHeads, ChainSeen
from sieve.gateway.backups import backup, restore
from sieve.gateway.errors import Conflict, KeyChangeError, StartError
from sieve.gateway.inbound.partials import Kept
from sieve.gateway.inbound.partials import Partial as Broken
from sieve.gateway.keys import rotation
from sieve.gateway.keys.rotation import Where
from sieve.gateway.peering.identity import Identity
from sieve.gateway.runtime import data_folder
from sieve.store import sealed_value, sealing_context
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.key_source import KeyCommand, KeyFile
from sieve.store.master_keys import MasterKeys, key_id
from sieve.store.models import DraftLabels, Peer, Policy, PolicyVersion
from sieve.store.queries import audit, drafts, keys_in_use, notifications, people
from sieve.store.queries import partials as partial_queries

OLD = key_id(bytes.fromhex(KEY))


class Sealed(KeptData):
    """A data folder with something of every kind that a master key wraps."""

    async def fill(self) -> None:
        """Adds all kinds but documents, which `add` adds."""
        database, seal = database_from_url(url(self.places.database)), self._seal
        async with database.write() as session:
            anna = await people.by_name(session, "anna")
            assert anna is not None
            session.add(Policy(name="p", version=1))
            await session.flush()
            more = {"title": "P", "rules": 1, "guard": True, "written_in": "toml", "changed_by": "root"}
            source = seal("the policy", sealing_context.policy("p", 1))
            session.add(PolicyVersion(name="p", version=1, source=source, changed_at_ns=1, **more))
            draft = await drafts.add(session, draft_id="d1", owner_id=anna.id, now_ns=1)
            session.add(DraftLabels(draft_id=draft.id, sealed=seal("the labels", sealing_context.labels("d1"))))
            secret = seal("the secret", sealing_context.webhook("w1"))
            await notifications.add_webhook(
                session, id="w1", user_id=anna.id, url="https://app.example.org/", secret=secret, created_at_ns=1
            )
            peer = {
                "name": "bravo",
                "secure_url": "https://b",
                "plain_url": "http://b",
                "ca_der": b"",
                "state": "active",
            }
            session.add(Peer(id="b", receipt_key=b"", created_at_ns=1, **peer))
            await session.flush()
            await partial_queries.put(session, self._partial())
            for number in range(3):
                sealed = {"banner": f"NATO SECRET {number}"}
                await Audit(self.keys).note(
                    session, "anna", "labels-lowered", f"d{number}", {}, reason=f"why {number}", sealed_details=sealed
                )
        await self.heads(database).sign()
        await database.dispose()

    def _partial(self) -> Any:
        sealed = self.blobs.new_scattered(owner="t", purpose="document", size=300_000)
        assert sealed.begun is not None
        plain = self.blobs.new_plain(owner="t", purpose="document").begun(5)
        kept = Kept(plain, sealed.begun, None, Held())
        return Broken("ab", 300_005, 1, 1, kept).to_row(("b", "t1"), self.blobs)

    def _seal(self, text: str, place: str) -> bytes:
        return sealed_value.seal(self.keys, text.encode(), place)

    @property
    def where(self) -> Where:
        return Where(
            self.folder,
            url(self.places.database),
            self.places.blobs,
            KeyFile(self.places.master_key),
            self.places.identity,
        )

    @property
    def key_lines(self) -> list[str]:
        return self.places.master_key.read_text().split()

    def heads(self, database: Database) -> AuditHeads:
        identity = Identity.load(self.places.identity)
        return AuditHeads(database, identity.receipt_key, identity.earlier_receipt_keys)

    async def opened(self, *, has_partials: bool = True) -> tuple[list[str], ChainSeen]:
        """What all values say with the keys of the file, and the state of the audit log. Documents: see `read`.
        `has_partials`: also opens the partial, whose file no backup holds."""
        keys, database = (
            MasterKeys.from_text(self.places.master_key.read_text()),
            database_from_url(url(self.places.database)),
        )
        async with database.read() as session:
            policy = await session.get_one(PolicyVersion, ("p", 1))
            labels = await session.get_one(DraftLabels, "d1")
            [hook] = await notifications.webhooks_of(session, (await people.by_name(session, "anna")).id)  # type: ignore[union-attr]
            [broken] = await partial_queries.load(session)
            entries = [entry async for entry in audit.in_chain(session)]
        found = [
            sealed_value.unseal(keys, policy.source, sealing_context.policy("p", 1)).decode(),
            sealed_value.unseal(keys, labels.sealed, sealing_context.labels("d1")).decode(),
            sealed_value.unseal(keys, hook.secret, sealing_context.webhook("w1")).decode(),
            *(f"{Audit(keys).reason_of(entry)} {Audit(keys).details_of(entry)}" for entry in entries if entry.reason),
        ]
        if has_partials:
            again = Broken.from_row(broken, BlobStore(BlobFolder(self.places.blobs), keys))
            assert again is not None and again.kept.sealed is not None
            BlobStore(BlobFolder(self.places.blobs), keys).resume_scattered(again.kept.sealed, []).close()
        self.keys = keys
        seen = await self.heads(database).verify()
        await database.dispose()
        return found, seen


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Path:
    folder = tmp_path_factory.mktemp("sealed")
    data = Sealed(folder / "data", migrated)
    shutil.rmtree(data.places.identity)
    new_identity(folder, "identity")
    (folder / "identity").rename(data.places.identity)
    for content in (b"one", b"two" * 200_000):
        data.add(content, received=len(content) > 10)
    asyncio.run(data.fill())
    return folder


def copied(template: Path, to: Path) -> Sealed:
    shutil.copytree(template, to)
    return Sealed(to / "data")


@pytest.fixture
def data(template: Path, tmp_path: Path) -> Sealed:
    return copied(template, tmp_path / "copy")


def everything(data: Sealed, *, has_partials: bool = True) -> tuple[list[str], list[bytes]]:
    """All that is sealed, opened with the keys of the file. The audit log has no problem."""
    found, seen = asyncio.run(data.opened(has_partials=has_partials))
    assert seen.problems == seen.known == []
    return found, sorted(data.read().values())


def steps_of(run: Callable[..., Coroutine[Any, Any, object]], *arguments: Any) -> list[str]:
    steps: list[str] = []
    asyncio.run(run(*arguments, reached=steps.append))
    return steps


def killed_at(number: int, run: Callable[..., Coroutine[Any, Any, object]], *arguments: Any) -> None:
    """Runs it in a process that kills itself at that step."""
    pid = os.fork()
    if not pid:
        steps: list[str] = []

        def reached(step: str) -> None:
            steps.append(step)
            if len(steps) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            asyncio.run(run(*arguments, reached=reached))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


async def rows_by_key(data: Sealed) -> dict[str, int]:
    database = database_from_url(url(data.places.database))
    async with database.browse() as session:
        found = await keys_in_use.counted(session)
    await database.dispose()
    return found


def test_everything_opens_after_a_change_and_the_earlier_key_can_go(data: Sealed, tmp_path: Path) -> None:
    before = everything(data)
    saved = tmp_path / "retired.key"
    done = asyncio.run(rotation.rotate(data.where))
    # Documents have two keys each; a partial, an entry with two values and every other value count once.
    assert (done.made, done.earlier, done.wrapped.rows, done.wrapped.damaged) == (True, (OLD,), 4 + 3 + 1 + 3, 0)
    assert everything(data) == before
    assert asyncio.run(rows_by_key(data)) == {done.current: 4 + 3 + 1 + 6}
    assert asyncio.run(rotation.retire(data.where, saved)) == (OLD,)
    assert saved.read_text() == f"{KEY}\n" and stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert [key_id(bytes.fromhex(line)) for line in data.key_lines] == [done.current]
    assert everything(data) == before
    assert stat.S_IMODE(data.places.master_key.stat().st_mode) == 0o600
    with pytest.raises(KeyChangeError, match="only one master key"):
        asyncio.run(rotation.retire(data.where, saved))


def test_a_change_is_in_the_audit_log_once(data: Sealed) -> None:
    asyncio.run(rotation.rotate(data.where))
    done = asyncio.run(rotation.rotate(data.where))
    assert (done.made, done.wrapped.rows) == (False, 0)
    with sqlite3.connect(data.places.database) as database:
        actions = database.execute("SELECT action FROM audit_entries ORDER BY number").fetchall()
    database.close()
    assert [action for (action,) in actions] == ["labels-lowered"] * 3 + ["master-key-changed"]


def test_killed_at_each_step_nothing_is_lost_and_it_continues(template: Path, tmp_path: Path) -> None:
    first = copied(template, tmp_path / "0")
    before = everything(first)
    steps = steps_of(rotation.rotate, first.where)
    assert len(steps) == len(set(steps)) == 15
    for number in range(1, len(steps) + 1):
        data = copied(template, tmp_path / str(number))
        killed_at(number, rotation.rotate, data.where)
        found, seen = asyncio.run(data.opened())  # as a start does
        assert (found, sorted(data.read().values()), seen.problems) == (*before, []), steps[number - 1]
        asyncio.run(rotation.rotate(data.where))
        assert len(data.key_lines) == 2, steps[number - 1]
        asyncio.run(rotation.retire(data.where, None))
        assert everything(data) == before, steps[number - 1]


def test_killed_while_it_retires_it_continues(data: Sealed, tmp_path: Path) -> None:
    before = everything(data)
    asyncio.run(rotation.rotate(data.where))
    steps = steps_of(rotation.retire, copied(data.folder.parent, tmp_path / "0").where, tmp_path / "saved-0")
    assert len(steps) == 4
    for number in range(1, 5):
        one, saved = copied(data.folder.parent, tmp_path / str(number)), tmp_path / f"saved-{number}"
        killed_at(number, rotation.retire, one.where, saved)
        assert everything(one) == before
        if len(one.key_lines) == 2:
            asyncio.run(rotation.retire(one.where, saved))
        assert (len(one.key_lines), saved.read_text()) == (1, f"{KEY}\n")
        assert everything(one) == before


def test_a_key_that_a_row_needs_is_not_retired(data: Sealed) -> None:
    killed_at(6, rotation.rotate, data.where)
    lines = data.key_lines
    with pytest.raises(KeyChangeError, match=rf"rows need an earlier master key \({OLD}\); run sieve rotate-key first"):
        asyncio.run(rotation.retire(data.where, None))
    assert data.key_lines == lines


def test_what_does_not_open_stays_and_keeps_no_key(data: Sealed) -> None:
    with sqlite3.connect(data.places.database) as database:
        database.execute("UPDATE webhooks SET secret = substr(secret, 1, 90)")
    database.close()
    done = asyncio.run(rotation.rotate(data.where))
    assert done.wrapped.damaged == 1
    assert asyncio.run(rotation.retire(data.where, None)) == (OLD,)


def test_a_damaged_audit_log_is_not_wrapped_again(data: Sealed) -> None:
    with sqlite3.connect(data.places.database) as database:
        database.execute("UPDATE audit_entries SET subject = 'other' WHERE number = 2")
    database.close()
    with pytest.raises(Conflict, match="sieve audit continue"):
        asyncio.run(rotation.rotate(data.where))
    assert data.key_lines == [KEY]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            "UPDATE audit_entries SET reason = x'00' WHERE number = 2",
            "before entry 4 have changed since the master key",
        ),
        ("UPDATE audit_entries SET linked_reason = 'ab' WHERE number = 2", "entry 2 is not as it was written"),
        ("DELETE FROM audit_heads WHERE number = 4", "the sealed part of entry 1 was replaced"),
        ("UPDATE audit_entries SET linked_reason = reason, reason = x'00' WHERE number = 5", "entry 5"),
    ],
)
def test_what_was_done_to_entries_after_a_change_shows(data: Sealed, change: str, problem: str) -> None:
    asyncio.run(rotation.rotate(data.where))
    asyncio.run(_one_more(data))
    with sqlite3.connect(data.places.database) as database:
        database.execute(change)
    database.close()
    database_ = database_from_url(url(data.places.database))

    async def problems() -> list[str]:
        seen = await data.heads(database_).verify()
        await database_.dispose()
        return [*seen.problems]

    assert any(problem in one for one in asyncio.run(problems()))


async def _one_more(data: Sealed) -> None:
    database = database_from_url(url(data.places.database))
    async with database.write() as session:
        keys = MasterKeys.from_text(data.places.master_key.read_text())
        await Audit(keys).note(session, "anna", "labels-lowered", "d9", reason="why")
    await database.dispose()


def test_a_backup_from_before_opens_with_the_saved_key(data: Sealed, tmp_path: Path) -> None:
    before = everything(data)
    backup.make(data.places, "alpha", tmp_path / "backup")
    asyncio.run(rotation.rotate(data.where))
    asyncio.run(rotation.retire(data.where, tmp_path / "retired.key"))
    restore.restore(data.places, tmp_path / "backup", replace=True)
    with data.places.master_key.open("a") as file:
        file.write((tmp_path / "retired.key").read_text())
    assert everything(data, has_partials=False) == before
    asyncio.run(rotation.rotate(data.where))
    asyncio.run(rotation.retire(data.where, None))
    assert everything(data, has_partials=False) == before


def test_a_running_gateway_is_reported_and_a_link_to_the_key_file_stays_one(
    data: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_folder.lock, "__defaults__", (0.0,))
    lock_fd = data_folder.lock(data.folder)
    try:
        with pytest.raises(StartError, match="another process uses the data folder"):
            asyncio.run(rotation.rotate(data.where))
    finally:
        os.close(lock_fd)
    link = data.folder.parent / "elsewhere" / "master.key"
    link.parent.mkdir()
    data.places.master_key.rename(link)
    data.places.master_key.symlink_to(link)
    asyncio.run(rotation.rotate(data.where))
    assert data.places.master_key.is_symlink() and len(link.read_text().split()) == 2


def test_with_a_command_the_keys_are_its_own(data: Sealed) -> None:
    before = everything(data)
    where = replace(data.where, keys=KeyCommand(f"cat {data.places.master_key}"))
    assert not asyncio.run(rotation.rotate(where)).made
    data.places.master_key.write_text(f"{'ab' * 32}\n{KEY}\n")
    assert asyncio.run(rotation.rotate(where)).wrapped.rows == 11
    assert asyncio.run(rotation.retire(where, None)) == (OLD,)
    assert data.key_lines == ["ab" * 32, KEY]
    data.places.master_key.write_text(f"{'ab' * 32}\n")
    assert everything(data) == before


def test_the_commands(
    data: Sealed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in data.environment.items():
        monkeypatch.setenv(name, value)
    assert main(["keys"]) == 0
    assert f"{OLD}" in (told := capsys.readouterr().out) and "current" in told
    assert main(["rotate-key", "--discard"]) == 2
    assert "use them with --retire" in capsys.readouterr().err
    assert main(["rotate-key"]) == 0
    told = capsys.readouterr().out
    assert "made the master key" in told and f"when all is well, remove {OLD}: sieve rotate-key --retire" in told
    assert main(["rotate-key", "--retire"]) == 2
    assert "--save-to FILE, or --discard" in capsys.readouterr().err
    assert main(["keys", "--json"]) == 0
    states = {each["id"]: (each["state"], each["rows"]) for each in json.loads(capsys.readouterr().out)}
    assert states.pop(OLD) == ("earlier", 0) and list(states.values()) == [("current", 14)]
    assert main(["rotate-key", "--retire", "--save-to", str(tmp_path / "retired")]) == 0
    assert f"removed {OLD} from {data.places.master_key}; " in capsys.readouterr().out
    assert main(["rotate-key", "--retire", "--discard"]) == 1
    assert "only one master key" in capsys.readouterr().err
