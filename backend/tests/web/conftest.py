"""The gateway of the web tests, new for each test; certificates and migrations are made once."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from command_world import MARKED, Served, Sieve
from pki import new_identity
from sieve.cli import main
from sieve.composition import own_invitation, reading_service
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.invitation import Invitation
from web.timed import Recorded, Timed, record
from web_world import Ground, World
from world_building import LISTENERS, a_ground, build, close, settings_for


@pytest.fixture(scope="session")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where throw-away identities are made."""
    return tmp_path_factory.mktemp("identities")


@pytest.fixture(scope="session")
def identity(identities: Path) -> Identity:
    return new_identity(identities, "alpha")


@pytest.fixture(scope="session")
def ours(identity: Identity, tmp_path_factory: pytest.TempPathFactory) -> Invitation:
    """The invitation that each world makes."""
    return own_invitation(settings_for(tmp_path_factory.mktemp("settings")), identity, LISTENERS)


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory, migrated: Path, identity: Identity) -> Iterator[Ground]:
    reading = reading_service(settings_for(tmp_path_factory.mktemp("settings")))
    yield asyncio.run(a_ground(tmp_path_factory.mktemp("ground"), migrated, identity, reading))
    asyncio.run(reading.close())


@pytest.fixture
async def world(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground)
    yield world
    await close(world)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, ground: Ground) -> Recorded:
    return asyncio.run(record(tmp_path_factory.mktemp("recorded") / "sieve.db", ground))


@pytest.fixture
async def timed(tmp_path: Path, recorded: Recorded) -> AsyncIterator[Timed]:
    """A gateway with timings."""
    world = await build(tmp_path, recorded.ground)
    yield Timed(world, recorded.begin_s, recorded.rows, recorded.ids)
    await close(world)


@pytest.fixture
def served(tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name in list(os.environ):
        if name.startswith("SIEVE_"):
            monkeypatch.delenv(name)
    (tmp_path / "alpha").mkdir()
    with Served(tmp_path / "alpha", ground) as served:
        monkeypatch.setenv("SIEVE_URL", served.url)
        yield served


@pytest.fixture
def sieve(served: Served, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Sieve:
    """Runs a command as a person; returns status, stdout and stderr."""

    def run(*arguments: str, who: str = "anna") -> tuple[int, str, str]:
        monkeypatch.setenv("SIEVE_TOKEN", served.world.tokens[who])
        status = main(list(arguments))
        out, error = capsysbinary.readouterr()
        return status, out.decode(), error.decode()

    return run


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A marked text that commands send."""
    path = tmp_path / "memo.md"
    path.write_bytes(MARKED)
    return path


@pytest.fixture
async def guarded(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    """A gateway that requires open findings to be confirmed."""
    world = await build(tmp_path, ground, open_findings="confirm")
    yield world
    await close(world)
