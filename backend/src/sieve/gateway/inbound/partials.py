"""Partials: the received parts of documents whose attempts broke off, kept until another attempt resumes.

Invariants: a partial that an attempt has taken belongs to that attempt, and nothing here touches its files. Bytes count
as held only if they were durable before the row that says so was committed. The transaction that makes the blobs a
document's removes the row, so no partial names blobs that somebody can read.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NamedTuple, Self, TypeAlias

from sieve.channel.errors import MalformedOpening
from sieve.channel.held_ranges import Held
from sieve.channel.manifest import Manifest
from sieve.gateway.clock import Clock
from sieve.store import sealed_value, sealing_context
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.errors import MasterKeyError, StoreError
from sieve.store.models import Partial as Row
from sieve.store.queries import partials as queries

log = logging.getLogger(__name__)

Key: TypeAlias = tuple[str, str]
"""A peer's id, and that of its transfer."""

WORTH_IT: Final = 1024 * 1024
"""The least bytes of a document that is resumed; smaller ones start over."""
MOST: Final = 64
"""Partials of one peer."""
KEPT_NS: Final = 24 * 3600 * 1_000_000_000
"""How long after its last attempt a partial is removed."""
PACE_S: Final = 300.0

_NOT_REMOVED: Final = "what came of broken transfers cannot be removed just now: %s"


@dataclass(frozen=True, slots=True)
class Kept:
    """The blobs of an incomplete document (plain, sealed, of the redacted edition and of the marks; None where a row
    would hold it), and the ranges of its streams that are durable there."""

    plain: BlobRef
    sealed: BlobRef | None
    redacted: BlobRef | None
    held: Held
    marks: BlobRef | None = None

    @property
    def refs(self) -> list[BlobRef]:
        """The blobs that exist."""
        return [ref for ref in (self.plain, self.sealed, self.redacted, self.marks) if ref is not None]

    def to_json(self) -> dict[str, Any]:
        return {
            "plain": _ref_to_json(self.plain),
            "sealed": _ref_to_json(self.sealed),
            "redacted": _ref_to_json(self.redacted),
            "marks": _ref_to_json(self.marks),
            "held": self.held.to_json(),
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """Reads what `to_json` returned.

        Raises:
            KeyError, TypeError, ValueError, MalformedOpening: it is anything else.
        """
        plain = _ref_from_json(said["plain"])
        if plain is None:
            raise ValueError("a partial has a plain blob")
        held = Held.from_json(said["held"])
        sealed, redacted = _ref_from_json(said["sealed"]), _ref_from_json(said["redacted"])
        # Gateways that took no marks left them out.
        return cls(plain, sealed, redacted, held, _ref_from_json(said.get("marks")))


@dataclass(frozen=True, slots=True)
class Partial:
    """An incomplete document. `size`: all of its bytes, for which space is reserved."""

    manifest_digest: str
    size: int
    deadline_at_ns: int
    touched_at_ns: int
    kept: Kept
    handle: str = ""
    """The handle of the attempt that left it; empty after a restart."""

    @property
    def until_ns(self) -> int:
        """When it is removed."""
        return min(self.deadline_at_ns, self.touched_at_ns + KEPT_NS)

    def to_row(self, key: Key, blobs: BlobStore) -> Row:
        return Row(
            peer_id=key[0],
            transfer_id=key[1],
            manifest_digest=self.manifest_digest,
            size=self.size,
            deadline_at_ns=self.deadline_at_ns,
            touched_at_ns=self.touched_at_ns,
            blob_ids=" ".join(ref.id for ref in self.kept.refs),
            kept=sealed_value.seal(blobs.keys, json.dumps(self.kept.to_json()).encode(), sealing_context.partial(*key)),
        )

    @classmethod
    def from_row(cls, row: Row, blobs: BlobStore) -> "Partial | None":
        """None if it does not open, or a file is not here."""
        try:
            kept = Kept.from_json(
                json.loads(
                    sealed_value.unseal(blobs.keys, row.kept, sealing_context.partial(row.peer_id, row.transfer_id))
                )
            )
        except (BlobDamaged, MasterKeyError, MalformedOpening, KeyError, TypeError, ValueError) as error:
            log.warning("transfer %s starts over: what came of it cannot be read: %s", row.transfer_id, error)
            return None
        if not all(blobs.can_resume(ref) for ref in kept.refs):
            return None
        return cls(row.manifest_digest, row.size, row.deadline_at_ns, row.touched_at_ns, kept)


class Incoming(NamedTuple):
    """A partial, for admins. `is_taken`: an attempt continues it now."""

    peer_id: str
    transfer_id: str
    partial: Partial
    is_taken: bool


@dataclass(slots=True)
class Partials:
    """All partials of a gateway. Memory answers questions; the rows serve the next start."""

    database: Database
    blobs: BlobStore
    clock: Clock = field(default_factory=Clock)
    # The least recently touched first.
    _all: dict[Key, Partial] = field(default_factory=dict)
    _taken: set[Key] = field(default_factory=set)
    # Given up; their rows and files are not removed yet.
    _going: list[tuple[Key, Partial]] = field(default_factory=list)
    _clearing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """For the start: reads the rows, and removes those that no attempt can resume. The next sweep moves their files
        to quarantine. Rows that cannot be removed now wait for the next start.

        Replicas leave rows whose files are not here: they may be another replica's, which may just be making them a
        document.
        """
        async with self.database.read() as session:
            rows = await queries.load(session)
        for row in rows:
            if (partial := Partial.from_row(row, self.blobs)) is not None:
                self._all[row.peer_id, row.transfer_id] = partial
        if self.database.is_shared:
            return
        try:
            async with self.database.write() as session:
                await queries.keep_only(session, self._all)
        except StoreError as error:  # the rows can still be read
            log.warning(_NOT_REMOVED, error)

    def find(self, key: Key) -> Partial | None:
        """The partial of that transfer, unless an attempt has taken it."""
        return None if key in self._taken else self._all.get(key)

    def all(self) -> list[Incoming]:
        """Every partial, the one that was touched last first."""
        return [Incoming(*key, partial, key in self._taken) for key, partial in reversed(self._all.items())]

    def sizes(self, peer_id: str) -> dict[str, int]:
        """The sizes of a peer's partials that no attempt has taken, by transfer."""
        return {key[1]: one.size for key, one in self._all.items() if key[0] == peer_id and key not in self._taken}

    # --- for attempts ----------------------------------------------------------------------------------------------

    def take(self, key: Key) -> Kept:
        """Gives a partial to an attempt, until `keep`, `drop` or `forget`.

        Raises:
            KeyError: there is none to take.
        """
        if key in self._taken:
            raise KeyError(key)
        kept = self._all[key].kept
        self._taken.add(key)
        return kept

    async def record(self, key: Key, manifest: Manifest, kept: Kept) -> None:
        """Records what is durable now; the attempt continues, and keeps the partial.

        Raises:
            StoreError: it could not be recorded; the earlier record still counts.
        """
        partial = Partial(manifest.digest, manifest.carried_size, manifest.deadline_at_ns, self.clock.now_ns(), kept)
        async with self._clearing, self.database.write() as session:
            await queries.put(session, partial.to_row(key, self.blobs))
        self._all.pop(key, None)
        self._all[key] = partial
        self._taken.add(key)

    async def keep(self, key: Key, manifest: Manifest, kept: Kept, handle: str) -> None:
        """The same at the end of the attempt with that handle, which gives the partial back.

        Raises:
            StoreError: see `record`; then call `drop`.
        """
        await self.record(key, manifest, kept)
        self._all[key] = replace(self._all[key], handle=handle)
        self._taken.discard(key)
        theirs = [other for other in self._all if other[0] == key[0] and other not in self._taken]
        self._give_up(theirs[: max(0, len(theirs) - MOST)])
        await self.clear_away()

    def forget(self, key: Key) -> None:
        """Forgets a partial whose blobs are a document's now; its row is gone."""
        self._all.pop(key, None)
        self._taken.discard(key)

    def give_up(self, key: Key) -> None:
        """Gives it up, also for its attempt. `clear_away` removes row and files."""
        self._taken.discard(key)
        self._give_up([key])

    async def abandon(self, peer_id: str, handle: str, transfer_id: str | None = None) -> bool:
        """Removes the partials that the peer's attempt with that handle left, of one transfer or all; returns whether
        there were any."""
        left = [
            key
            for key, one in self._all.items()
            if key[0] == peer_id and one.handle == handle and transfer_id in (None, key[1]) and key not in self._taken
        ]
        self._give_up(left)
        await self.clear_away()
        return bool(left)

    async def drop(self, key: Key) -> None:
        """Gives it up, and removes it."""
        self.give_up(key)
        await self.clear_away()

    # --- making room -----------------------------------------------------------------------------------------------

    def shrink(self, peer_id: str, most: int, apart_from: str) -> None:
        """Gives up a peer's partials, the oldest first, until those that no attempt has taken have at most `most`
        bytes. `clear_away` removes their files."""
        sizes = {transfer_id: size for transfer_id, size in self.sizes(peer_id).items() if transfer_id != apart_from}
        total = sum(sizes.values())
        for transfer_id, size in sizes.items():
            if total <= most:
                return
            self._give_up([(peer_id, transfer_id)])
            total -= size

    async def drop_oldest(self) -> bool:
        """Removes the least recently touched partial; returns whether there was one."""
        oldest = next((key for key in self._all if key not in self._taken), None)
        if oldest is None:
            return False
        await self.drop(oldest)
        return True

    async def purge(self, is_peer: Callable[[str], bool]) -> None:
        """Removes the partials of removed peers; and, unless the clock is doubted, those past their deadline or not
        touched for `KEPT_NS`."""
        now = self.clock.now_ns()
        over = set() if self.clock.is_doubted else {key for key, one in self._all.items() if one.until_ns <= now}
        if self.database.is_shared and not self.clock.is_doubted:
            await self._remove_rows_of_others(now)
        gone = {key for key in self._all if not is_peer(key[0])}
        self._give_up((over | gone) - self._taken)
        await self.clear_away()

    async def _remove_rows_of_others(self, now_ns: int) -> None:
        """Removes what replicas left that do not exist any more."""
        try:
            async with self.database.write() as session:
                await queries.remove_older(session, now_ns - 2 * KEPT_NS)
        except StoreError as error:
            log.warning(_NOT_REMOVED, error)

    async def run(self, is_peer: Callable[[str], bool]) -> None:
        """Purges every `PACE_S`, until cancelled."""
        while True:
            await self.purge(is_peer)
            await asyncio.sleep(PACE_S)

    def _give_up(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if (partial := self._all.pop(key, None)) is not None:
                self._going.append((key, partial))

    async def clear_away(self) -> None:
        """Removes what was given up; what cannot be removed now waits for the next call.

        Files first: on a full disk no row can change before they are removed. An attempt that finds a row without its
        files starts over.
        """
        async with self._clearing:
            going, self._going = self._going, []
            if not going:
                return
            refs = [ref for _, one in going for ref in one.kept.refs]
            await asyncio.to_thread(self.blobs.delete_all, refs)
            try:
                async with self.database.write() as session:
                    # A newer attempt may have left a new row for the transfer.
                    await queries.remove(session, [key for key, _ in going if key not in self._all])
            except (
                Exception
            ) as error:  # the database may be busy or its disk fail; an end of `run` would end the gateway
                log.warning(_NOT_REMOVED, error)
                self._going += going


def _ref_to_json(ref: BlobRef | None) -> dict[str, Any] | None:
    if ref is None:
        return None
    said = asdict(ref)
    del said["content"]
    return said | {"wrapped_key": ref.wrapped_key.hex() if ref.wrapped_key is not None else None}


def _ref_from_json(said: dict[str, Any] | None) -> BlobRef | None:
    if said is None:
        return None
    wrapped = said["wrapped_key"]
    return BlobRef(**said | {"wrapped_key": bytes.fromhex(wrapped) if wrapped is not None else None})
