"""A replica joins only with the master key of the others, also while nothing is sealed yet."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from blob_storages import BUCKET, SPOOL, endpoint
from postgres_server import PostgresServer
from sieve.store import sealed_value
from sieve.store.blob_place import Bucket, S3Address
from sieve.store.errors import MasterKeyMissing
from sieve.store.key_source import KeyFile
from sieve.store.master_keys import key_id
from sieve.store.models import AuditEntry, new_id
from sieve.store.open_store import Holder, Store, open_store
from sieve.store.queries import keys_in_use
from sieve.web.passkey_challenges import KEY_PURPOSE, Challenges

OURS: Final = "ab" * 32
OTHER: Final = "cd" * 32
numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer.start()
    server.make_template("template_of_tests")
    yield server
    server.stop()


@dataclass
class Replicas:
    """A database and a bucket, and a data folder for each replica."""

    address: str
    bucket: S3Address
    folder: Path

    def key_file(self, name: str, *lines: str) -> Path:
        """The replica's key file, made of `lines` if there are some."""
        path = self.folder / name / "master.key"
        path.parent.mkdir(exist_ok=True)
        if lines:
            path.touch(mode=0o600)
            path.write_text("".join(f"{line}\n" for line in lines))
        return path

    @asynccontextmanager
    async def started(self, name: str, *lines: str) -> AsyncIterator[Store]:
        store = await open_store(
            self.address,
            Bucket(self.bucket, self.folder / name / "spool", SPOOL),
            KeyFile(self.key_file(name, *lines)),
            Holder("alpha", b"key"),
            now_ns=1_800_000_000_000_000_000,
        )
        try:
            await store.database.let_others_join()
            yield store
        finally:
            await store.close()

    async def refused(self, name: str, *lines: str) -> str:
        """The line, which is the same again. No key was made, and the others still use only theirs."""
        said = set()
        before = self.key_file(name, *lines).exists()
        for _ in range(2):
            with pytest.raises(MasterKeyMissing) as caught:
                async with self.started(name):
                    pass
            said.add(str(caught.value))
        [line] = said
        assert "\n" not in line and self.key_file(name).exists() == before
        return line


@pytest.fixture
async def replicas(server: PostgresServer, tmp_path: Path) -> Replicas:
    name = f"sieve_{next(numbers)}"
    connection = await server.connect("postgres")
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template_of_tests OWNER gateway")
    await connection.close()
    return Replicas(server.address(name), S3Address(BUCKET, uuid4().hex, endpoint()), tmp_path)


async def recorded(store: Store) -> set[str]:
    async with store.database.read() as session:
        return await keys_in_use.recorded(session)


async def seal_something(store: Store) -> None:
    sealed = sealed_value.seal(store.keys, b"why", "audit")
    given = {"actor": "anna", "action": "labels-lowered", "subject": "s", "details": "{}"}
    async with store.database.write() as session:
        session.add(AuditEntry(id=new_id(), number=1, at_ns=1, sealed_details=sealed, link=b"", **given))


async def test_a_replica_without_the_key_of_the_others_is_refused_and_makes_none(replicas: Replicas) -> None:
    async with replicas.started("one") as one:
        line = await replicas.refused("two")
        assert one.keys.current in line and "all replicas" in line
        assert await recorded(one) == {one.keys.current}
        async with replicas.started("three", *replicas.key_file("one").read_text().split()) as three:
            assert three.keys.current == one.keys.current


async def test_a_replica_with_another_key_is_refused_also_if_it_has_that_of_the_others(replicas: Replicas) -> None:
    async with replicas.started("one", OURS) as one:
        assert key_id(bytes.fromhex(OURS)) in await replicas.refused("two", OTHER)
        line = await replicas.refused("three", OTHER, OURS)
        assert key_id(bytes.fromhex(OTHER)) in line and "all replicas" in line
        assert await recorded(one) == {one.keys.current}


@pytest.mark.parametrize("lines", [(), (OTHER,)])
async def test_one_that_starts_alone_later_needs_the_key_too(replicas: Replicas, lines: tuple[str, ...]) -> None:
    """Nothing is sealed yet. But the one that was first comes back with its key."""
    async with replicas.started("one", OURS) as one:
        pass
    assert one.keys.current in await replicas.refused("two", *lines)
    async with replicas.started("one"):
        pass
    async with replicas.started("two", OTHER, f"lost {one.keys.current}") as two:
        assert two.keys.current == key_id(bytes.fromhex(OTHER))


async def test_others_join_one_that_removed_a_key_that_nothing_needs(replicas: Replicas) -> None:
    async with replicas.started("one", OURS):
        pass
    async with replicas.started("one", OTHER, OURS) as store:
        await seal_something(store)
    async with replicas.started("one", OTHER) as one, replicas.started("two", OTHER):
        assert await recorded(one) == {key_id(bytes.fromhex(OTHER))}
        await replicas.refused("three", OURS)


async def test_one_that_lacks_the_newer_of_two_keys_is_refused(replicas: Replicas) -> None:
    async with replicas.started("one", OURS) as store:
        await seal_something(store)
    async with replicas.started("one", OTHER, OURS):
        await replicas.refused("two", OURS)
        async with replicas.started("two", OTHER, OURS):
            pass


async def test_replicas_with_the_same_keys_in_another_order_understand_each_other(replicas: Replicas) -> None:
    async with replicas.started("one", OURS):
        pass
    async with replicas.started("one", OTHER, OURS) as one, replicas.started("two", OURS, OTHER) as two:
        assert one.keys.current != two.keys.current
        for here, there in ((one, two), (two, one)):
            assert (
                sealed_value.unseal(there.keys, sealed_value.seal(here.keys, b"a flow", "place"), "place") == b"a flow"
            )
            challenge = Challenges(here.keys.derived(KEY_PURPOSE)).new("sign-in")
            assert Challenges(there.keys.derived(KEY_PURPOSE)).is_valid(challenge, "sign-in")
