"""Makes worlds (`web_world`) with everything real but the network: database, blobs, identity, people and a peer."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr

import databases
from cheap_hasher import CHEAP
from databases import url
from fake_parts import FakeLinks, FakePlainListener, FakeWorker
from made_settings import made_settings
from sieve.composition import Parts, compose
from sieve.config import Settings
from sieve.gateway.outbound.worker import OutboxWorker
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.tls import client_context, server_context
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.reading.service import ReadingService
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.master_keys import MasterKeys
from sieve.store.open_store import Store
from sieve.store.queries import peers, people, tokens
from sieve.web.app import create_app
from sieve.web.request_limits import UPLOAD, Pace
from sieve.web.ui import interface
from web_world import NS_PER_S, Ground, World

LISTENERS = {"web": "127.0.0.1:1", "secure": "127.0.0.1:2", "plain": "127.0.0.1:3"}

PEOPLE: dict[str, dict[str, Any]] = {
    "anna": {"is_author": True},
    "adam": {"is_author": True},
    "bruno": {"is_recipient": True, "cleared": True},
    "rosa": {"is_recipient": True},
    "otto": {"is_recipient": True, "cleared": True},
    "root": {"is_admin": True, "admin_confirmed": True},
    "nobody": {},
}
"""Two authors; a cleared and an uncleared recipient, and a cleared one whom nothing is addressed to; an admin."""


def settings_for(folder: Path, **more: Any) -> Settings:
    """Settings of a gateway that works in `folder`."""
    values: dict[str, Any] = {
        "name": "alpha",
        "data_dir": folder,
        "max_document_bytes": 1_000_000,
        # Most tests are about other things than what is in a document.
        "open_findings": "off",
        **more,
    }
    if isinstance(values.get("metrics_token"), str):
        values["metrics_token"] = SecretStr(values["metrics_token"])
    return made_settings(**values)


async def inhabit(database: Database, identity: Identity, bravo_key: Ed25519PrivateKey) -> None:
    """Adds the people, a token of each, and bravo."""
    async with database.write() as session:
        for name, roles in PEOPLE.items():
            user = await people.add(session, name=name, display_name=name.title(), now_ns=NS_PER_S, **roles)
            await tokens.add(session, user_id=user.id, token=token_of(name), label="test", now_ns=NS_PER_S)
        bravo = await peers.add(
            session,
            name="bravo",
            secure_url="https://bravo.example:8443",
            plain_url="http://bravo.example",
            ca_der=identity.ca_der,
            receipt_key=bravo_key.public_key().public_bytes_raw(),
            pin="ab" * 32,
            now_ns=1,
        )
        await peers.confirm(session, bravo.id, 2)


def token_of(name: str) -> str:
    return f"sieve_{name}"


async def a_ground(folder: Path, migrated: Path, identity: Identity, reading: ReadingService) -> Ground:
    """A new ground in `folder`."""
    bravo_key, inhabited = Ed25519PrivateKey.generate(), migrated
    if not databases.ON_SERVER:
        inhabited = folder / "inhabited.db"
        databases.copy(migrated, inhabited)
        database = database_from_url(url(inhabited))
        await inhabit(database, identity, bravo_key)
        await database.dispose()
    blobs = folder / "blobs"
    blobs.mkdir()
    return Ground(
        migrated, inhabited, bravo_key, identity, blobs, reading, (client_context(identity), server_context(identity))
    )


async def close(world: World) -> None:
    """Closes the database and removes the blobs."""
    if world.services.reading is not world.ground.reading:
        await world.services.reading.close()
    await world.services.last_used.close()
    await world.database.dispose()
    # Also the folders of blobs, which are made when they are needed: the next world would look for files in all 256.
    for path in world.blobs_folder.iterdir():
        shutil.rmtree(path)


async def build(
    folder: Path,
    ground: Ground,
    *,
    new_app: bool = False,
    upload_pace: Pace = UPLOAD,
    web_connections: int = 1000,
    **settings: Any,
) -> World:
    """A new world whose database is in `folder`; `close` it at the end. `new_app`: one of its own, which
    counts from nothing and has the limits that are named."""
    identity = ground.identity
    databases.copy(ground.inhabited, folder / "sieve.db")
    database = database_from_url(url(folder / "sieve.db"))
    keys = MasterKeys([bytes(range(32))])
    blobs = BlobStore(BlobFolder(ground.blobs_folder), keys)
    if ground.inhabited == ground.migrated:
        await inhabit(database, identity, ground.bravo_key)
    async with database.read() as session:
        everybody = {user.name: user for user in await people.everybody(session)}
    names = {name: token_of(name) for name in PEOPLE}
    links, worker = FakeLinks(), FakeWorker()
    chosen = settings_for(folder, **settings)
    # Reading processes take a second to start: worlds share them unless they need limits of their own.
    shared = chosen.max_reading_bytes == ground.reading.max_bytes
    parts = Parts(
        tls=ground.tls,
        links=cast(Links, links),
        worker=cast(OutboxWorker, worker),
        reading=ground.reading if shared else None,
        password_hasher=CHEAP,
    )
    gateway = compose(
        chosen,
        identity,
        Store(database, keys, blobs),
        LISTENERS,
        cast(PlainListener, FakePlainListener()),
        web_connections=web_connections,
        parts=parts,
    )
    # No interface, whether the repository has a built one or not.
    services = replace(gateway.services, upload_pace=upload_pace, ui=interface(None))
    await services.peers.load()
    if not new_app and not ground.apps:
        ground.apps.append(create_app(services))
    app = create_app(services) if new_app else ground.apps[-1]
    app.state.services = services
    return World(folder, ground, services, app, names, everybody, links, worker, ground.bravo_key)
