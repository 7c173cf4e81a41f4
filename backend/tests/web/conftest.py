"""The world of the web tests, new for each test; certificates and migrations are made once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pki import invitation_of, new_identity
from sieve.gateway.identity import Identity
from sieve.gateway.invitation import Invitation
from web_world import Ground, World, build, close


@pytest.fixture(scope="session")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where throw-away identities are made."""
    return tmp_path_factory.mktemp("identities")


@pytest.fixture(scope="session")
def identity(identities: Path) -> Identity:
    return new_identity(identities, "alpha")


@pytest.fixture(scope="session")
def ours(identity: Identity) -> Invitation:
    return invitation_of(identity, "alpha")


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory, migrated: Path, identity: Identity, ours: Invitation) -> Ground:
    return Ground(migrated, identity, ours, tmp_path_factory.mktemp("blobs"))


@pytest.fixture
async def world(tmp_path: Path, ground: Ground) -> AsyncIterator[World]:
    world = await build(tmp_path, ground)
    yield world
    await close(world)
