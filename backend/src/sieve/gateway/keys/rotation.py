"""Changes the master key of a stopped gateway, and retires the earlier ones.

    rotate    a new key becomes the first in the key file; then all data keys are wrapped again under the first key
    retire    earlier keys leave the key file, once no row needs them

State: a key file with more than one key is a change under way, so a repeated `rotate` makes no further key. Each step
is durable before the next, and can be repeated. The gateway works at every point in between, because it unwraps with
all keys of the file. A backup needs the keys of its time, so retired keys are saved, or discarded by name.
"""

import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_heads import AuditHeads
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import KeyChangeError
from sieve.gateway.keys import rewrap
from sieve.gateway.keys.rewrap import Wrapped
from sieve.gateway.peering.identity import Identity
from sieve.gateway.runtime import data_folder
from sieve.store import blob_file
from sieve.store.blob_place import BlobPlace
from sieve.store.key_source import KeyFile, KeySource
from sieve.store.master_keys import KEY_SIZE
from sieve.store.open_store import Store, open_store
from sieve.store.queries import keys_in_use

ACTOR: Final = "(sieve rotate-key)"
"""The actor of the audit entries: the owner of the data folder."""

Reached = Callable[[str], None]
"""Called after each durable step with its name; tests kill the process there."""


@dataclass(frozen=True, slots=True)
class Where:
    """A gateway's data, its keys, and its identity, which signs the head of the audit log."""

    data: Path
    database_url: str
    blobs: BlobPlace
    keys: KeySource
    identity: Path


@dataclass(frozen=True, slots=True)
class Rotated:
    """A change of the master key. `made`: a new key was made; else it went on. `earlier`: ids of the keys that can be
    retired now."""

    current: str
    made: bool
    earlier: tuple[str, ...]
    wrapped: Wrapped


@contextmanager
def _alone(where: Where) -> Iterator[None]:
    """Nobody else uses the data folder meanwhile."""
    data_folder.check_user(where.data, "sieve rotate-key")
    lock_fd = data_folder.lock(where.data)
    try:
        data_folder.check_not_half_restored(where.data)
        yield
    finally:
        os.close(lock_fd)


@asynccontextmanager
async def _opened(where: Where) -> AsyncIterator[Store]:
    """The gateway's store, for the holder of the data folder's lock."""
    store = await open_store(where.database_url, where.blobs, where.keys, None, now_ns=now_ns())
    try:
        yield store
    finally:
        await store.close()


async def rotate(where: Where, *, reached: Reached = lambda _: None) -> Rotated:
    """Makes a new master key, unless a change is under way, and wraps all data keys again under the first key.

    Raises:
        StartError: a gateway runs, or the data folder or the identity cannot be used.
        KeyChangeError: the key file cannot be written.
        Conflict: the audit log is damaged.
        StoreError: the store cannot be opened or written.
    """
    identity = Identity.load(where.identity)
    with _alone(where):
        async with _opened(where) as store:
            await _heads(store, identity).check_sound()
            made = len(store.keys.ids) == 1 and isinstance(where.keys, KeyFile)
        if made and isinstance(where.keys, KeyFile):
            _put_first(where.keys.path, reached)
        # Opened again: that records the new key before it wraps anything.
        async with _opened(where) as store:
            reached("the new key is recorded")
            done = await _wrap(store, _heads(store, identity), reached)
            return Rotated(store.keys.current, made, store.keys.ids[1:], done)


async def _wrap(store: Store, heads: AuditHeads, reached: Reached) -> Wrapped:
    keys, done = store.keys, Wrapped()
    for kind in rewrap.kinds(keys):
        done += await rewrap.wrap_all(store.database, kind, reached=reached)
    of_entries = Wrapped()

    async def entries(session: AsyncSession) -> int:
        nonlocal of_entries
        of_entries = await rewrap.wrap_in(session, rewrap.audit_entries(keys))
        reached("audit entries: before the commit")
        return of_entries.rows

    await heads.change_master_key(Audit(keys), ACTOR, entries, {"earlier": [*keys.ids[1:]]})
    reached("audit entries: after the commit")
    return done + of_entries


def _heads(store: Store, identity: Identity) -> AuditHeads:
    return AuditHeads(store.database, identity.receipt_key, identity.earlier_receipt_keys)


async def retire(where: Where, save_to: Path | None, *, reached: Reached = lambda _: None) -> tuple[str, ...]:
    """Removes all keys but the first from the key file; of a command, only checks that nothing needs its other keys.
    `save_to`: a new file for the removed keys, mode 0600; earlier backups need them. Returns their ids.

    Raises:
        KeyChangeError: there is no earlier key, a row needs one, or a file cannot be written. Nothing was removed.
        StartError, StoreError: see `rotate`.
    """
    with _alone(where):
        async with _opened(where) as store:
            return await _retire(where, store, save_to, reached)


async def _retire(where: Where, store: Store, save_to: Path | None, reached: Reached) -> tuple[str, ...]:
    earlier = store.keys.ids[1:]
    if not earlier:
        raise KeyChangeError(f"there is only one master key in {where.keys}; there is nothing to retire")
    needed = Wrapped()
    for kind in (*rewrap.kinds(store.keys), rewrap.audit_entries(store.keys)):
        needed += await rewrap.needing(store.database, kind)
    if needed.rows:
        raise KeyChangeError(
            f"{needed.rows:,} rows need an earlier master key ({', '.join(earlier)}); run sieve rotate-key first"
        )
    kept: list[str] = []
    removed: list[str] = []
    if isinstance(where.keys, KeyFile):
        kept, removed = _split(where.keys.path)
        if save_to is not None:
            _save(save_to, "\n".join((*removed, "")))
            reached("the earlier keys are saved")
    async with store.database.write() as session:
        await keys_in_use.forget(session, earlier)
        await Audit(store.keys).note(session, ACTOR, "master-key-retired", store.keys.current, {"retired": [*earlier]})
    reached("the earlier keys are forgotten")
    if isinstance(where.keys, KeyFile):
        _replace(where.keys.path, "\n".join((*kept, "")), reached)
    return earlier


def _put_first(path: Path, reached: Reached) -> None:
    """Puts a new key before the others."""
    _replace(path, f"{secrets.token_hex(KEY_SIZE)}\n{path.read_text('ascii')}", reached)


def _split(path: Path) -> tuple[list[str], list[str]]:
    """The lines of the key file without those of earlier keys, and those."""
    kept: list[str] = []
    removed: list[str] = []
    first: str | None = None
    for line in path.read_text("ascii").splitlines():
        digits = line.strip()
        if len(digits) != 2 * KEY_SIZE or digits.startswith("#"):
            kept.append(line)
            continue
        first = first or digits
        (kept if digits.lower() == first.lower() else removed).append(line)
    return kept, removed


def _replace(path: Path, text: str, reached: Reached) -> None:
    """Replaces the key file in one step, durably, mode 0600. A link to it stays one."""
    real = path.resolve()
    draft = real.with_name(f".{real.name}.new")
    try:
        draft.unlink(missing_ok=True)  # of an interrupted change
        _create(draft, text)
        reached("the key file is drafted")
        draft.replace(real)
        blob_file.sync_folder(real.parent)
    except OSError as error:
        raise KeyChangeError(
            f"the master key file {path} cannot be changed: {error.strerror}; make its folder writable for the "
            "gateway's user"
        ) from error
    reached("the key file is replaced")


def _save(path: Path, text: str) -> None:
    try:
        _create(path, text)
        blob_file.sync_folder(path.absolute().parent)
    except FileExistsError:
        # An interrupted run may have saved them.
        if path.read_bytes() != text.encode():
            raise KeyChangeError(f"{path} exists; name a new file for the earlier keys") from None
    except OSError as error:
        raise KeyChangeError(f"cannot write {path}: {error.strerror}; name another file") from error


def _create(path: Path, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(fd)
