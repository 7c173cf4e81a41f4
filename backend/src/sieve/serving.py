"""Runs one gateway's parts: starts them in order, and ends them in order.

`main` imports this module only when the settings can be used: its imports take more than a second.
"""

import asyncio
import json
import logging
import signal
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sieve.composition import compose, plain_limits
from sieve.config import Settings
from sieve.gateway.clock import follow, now_ns
from sieve.gateway.documents.plain_blob_tags import PlainBlobTagger
from sieve.gateway.documents.retention import Retention
from sieve.gateway.documents.versions import VersionRetention
from sieve.gateway.peering.identity import Identity
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.runtime import file_descriptors
from sieve.gateway.runtime.confinement import Confinement
from sieve.gateway.runtime.garbage_collector import freeze_startup_objects
from sieve.gateway.runtime.listeners import address_of, bind
from sieve.gateway.runtime.replicas import Job
from sieve.gateway.telemetry.timing_import import TimingImport
from sieve.gateway.telemetry.timing_marks_retention import TimingMarksRetention
from sieve.store.blob_place import BlobPlace, Bucket, S3Address
from sieve.store.key_source import key_source
from sieve.store.open_store import Holder, open_store
from sieve.wired_gateway import Gateway

log = logging.getLogger("sieve")

LISTENERS_FILE = "listeners.json"


@dataclass(frozen=True, slots=True)
class Sockets:
    """The three bound listeners."""

    web: socket.socket
    secure: socket.socket
    plain: socket.socket

    @classmethod
    def bind(cls, settings: Settings) -> "Sockets":
        """Binds all three.

        Raises:
            StartError: an address cannot be used.
        """
        return cls(bind(settings.web_bind), bind(settings.secure_bind), bind(settings.plain_bind))

    def addresses(self) -> dict[str, str]:
        """`host:port` of each."""
        return {
            "web": address_of(self.web),
            "secure": address_of(self.secure),
            "plain": address_of(self.plain),
        }


async def serve(gateway: Gateway, sockets: Sockets, stopped: asyncio.Event) -> None:
    """Runs `gateway` until `stopped` is set, then ends it in order."""
    services, settings = gateway.services, gateway.services.settings
    clock = gateway.attempts.deps.clock
    await gateway.open()
    secure = gateway.secure_server(services.web_connections)
    web = gateway.web_server()
    work: list[Coroutine[Any, Any, None]] = [
        services.database.watch(),
        *([services.peers.follow()] if services.database.is_shared else []),
        gateway.plain.run(),
        gateway.worker.run(),
        services.audit_heads.run(),
        services.contacts.run(),
        services.clock_trust.run(),
        gateway.attempts.deps.partials.run(gateway.is_peer),
    ]
    # Of all replicas, one does these.
    of_leader: list[Job] = [
        services.timing_rollups.run,
        services.notifier.run,
        services.read_receipts.run,
        TimingImport(services.database, services.timing_rollups.wake).run,
        TimingMarksRetention(services.database, settings.timing_marks_days, clock).run,
        Retention(
            services.database,
            services.blobs,
            services.announcements,
            settings.retention_days,
            clock,
            settings.deleted_days,
        ).run,
        VersionRetention(services.database, services.blobs, clock).run,
        PlainBlobTagger(services.database, services.blobs).run,
        *(each.run for each in services.audit_forwarding),
    ]
    if gateway.blob_sweep is not None:
        of_leader.append(gateway.blob_sweep.run)
    if gateway.spooled_copies is not None:
        work.append(gateway.spooled_copies.run())
    if services.sso is not None:
        work.append(services.sso.provider.run())
    work += [gateway.replicas.while_leading(job) for job in of_leader]
    working = [asyncio.create_task(each) for each in work]
    meeting = asyncio.create_task(services.database.meet(gateway.replicas))
    serving = [
        asyncio.create_task(secure.serve(sockets=[sockets.secure])),
        asyncio.create_task(web.serve(sockets=[sockets.web])),
    ]
    addresses = Path(settings.data_dir) / LISTENERS_FILE
    try:
        freeze_startup_objects()
        with _only_warned(addresses):
            addresses.write_text(json.dumps({"name": settings.name, **services.listeners}))
        log.info("%s: web %s, secure %s, plain %s", settings.name, *services.listeners.values())
        stopping = asyncio.create_task(stopped.wait())
        # When one part ends, the gateway ends: half a gateway would accept documents that it cannot send.
        await asyncio.wait([stopping, meeting, *working, *serving], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
    finally:
        with _only_warned(addresses):
            addresses.unlink(missing_ok=True)
        # The servers wait for open event streams until their patience ends.
        services.announcements.close()
        services.progress.close()
        web.should_exit = secure.should_exit = True
        # No request waits for files that are still being read.
        await services.reading.close()
        await gateway.attempts.settle()
        for task in working:
            task.cancel()
        results = await asyncio.gather(*working, *serving, return_exceptions=True)
        await gateway.replicas.finish()
        meeting.cancel()
        results += await asyncio.gather(meeting, return_exceptions=True)
        await gateway.aclose()
        for result in results:
            if isinstance(result, Exception):
                raise result


@contextmanager
def _only_warned(path: Path) -> Iterator[None]:
    """Only warns about errors: the gateway works without this file."""
    try:
        yield
    except OSError as error:
        log.warning("%s cannot be changed: %s", path, error.strerror)


def blob_place(settings: Settings) -> BlobPlace:
    """Where the blobs are."""
    if settings.bucket is None:
        return settings.blobs_path
    name, prefix = settings.bucket
    ca = None if settings.s3_ca is None else settings.s3_ca.read_bytes()
    return Bucket(S3Address(name, prefix, settings.s3_endpoint, ca=ca), settings.blobs_path, settings.spool_bytes)


async def run(
    settings: Settings, identity: Identity, lock_fd: int, *, confinement: Confinement, adopt_blobs: bool
) -> None:
    """Opens the store and the listeners, and runs the gateway until SIGINT or SIGTERM.

    `adopt_blobs`: see `open_store`. `lock_fd`: the data folder's lock. `confinement`: see `compose`.

    Raises:
        SieveError: it cannot start.
    """
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    sockets = Sockets.bind(settings)
    keys = key_source(settings.master_key_command, settings.master_key_path)
    holder = Holder(settings.name, identity.receipt_public_key)
    store = await open_store(
        settings.database, blob_place(settings), keys, holder, now_ns=now_ns(), adopt_blobs=adopt_blobs
    )
    follow(store.database.now_ns)
    plain = PlainListener(sockets.plain, plain_limits(settings), lock_fd)
    connections = file_descriptors.connections(file_descriptors.raise_limit())
    gateway = compose(
        settings,
        identity,
        store,
        sockets.addresses(),
        plain,
        web_connections=connections,
        confinement=confinement,
    )
    await serve(gateway, sockets, stopped)
