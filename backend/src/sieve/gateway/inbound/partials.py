"""Partials: the received parts of documents whose attempts broke off, kept until another attempt resumes.

Invariants: a partial that an attempt has taken is that attempt's alone, and nothing here touches its files. What counts
as held was on the disk before the row that says so was committed. The row goes in the transaction that makes its blobs
a document's, so no partial ever names what somebody can read.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Self, TypeAlias

from sieve.channel.errors import MalformedOpening
from sieve.channel.held import Held
from sieve.channel.manifest import Manifest
from sieve.gateway.clock import Clock
from sieve.store import sealed_value
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.errors import MasterKeyError, StoreError
from sieve.store.models import Partial as Row
from sieve.store.queries import partials as queries

log = logging.getLogger(__name__)

Key: TypeAlias = tuple[str, str]
"""A peer's id, and that of its transfer."""

WORTH_IT: Final = 1024 * 1024
"""Bytes of the smallest document of which a part is kept; smaller ones start over."""
MOST: Final = 64
"""Of one peer."""
KEPT_NS: Final = 24 * 3600 * 1_000_000_000
"""So long after its last attempt a partial goes."""
PACE_S: Final = 300.0

_NOT_REMOVED: Final = "what came of broken transfers cannot be removed just now: %s"


@dataclass(frozen=True, slots=True)
class Kept:
    """A document's blobs as far as they were written: the plain one, the sealed one and that of the redacted edition
    where they are files; and what of its streams is on the disk there."""

    plain: BlobRef
    sealed: BlobRef | None
    redacted: BlobRef | None
    held: Held

    @property
    def refs(self) -> list[BlobRef]:
        """Those that there are."""
        return [ref for ref in (self.plain, self.sealed, self.redacted) if ref is not None]

    def to_json(self) -> dict[str, Any]:
        return {
            "plain": _ref_to_json(self.plain),
            "sealed": _ref_to_json(self.sealed),
            "redacted": _ref_to_json(self.redacted),
            "held": self.held.to_json(),
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` said.

        Raises:
            KeyError, TypeError, ValueError, MalformedOpening: it is something else.
        """
        plain = _ref_from_json(said["plain"])
        if plain is None:
            raise ValueError("a partial has a plain blob")
        held = Held.from_json(said["held"])
        return cls(plain, _ref_from_json(said["sealed"]), _ref_from_json(said["redacted"]), held)


@dataclass(frozen=True, slots=True)
class Partial:
    """A document that came in part. `size`: bytes of all of it, for which room is reserved."""

    manifest_digest: str
    size: int
    deadline_at_ns: int
    touched_at_ns: int
    kept: Kept
    handle: str = ""
    """Of the attempt that left it; not known after a restart."""

    @property
    def until_ns(self) -> int:
        """When it goes."""
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
            kept=sealed_value.seal(blobs.keys, json.dumps(self.kept.to_json()).encode(), _place(key)),
        )

    @classmethod
    def from_row(cls, row: Row, blobs: BlobStore) -> "Partial | None":
        """None if it does not open, or a file is missing."""
        try:
            kept = Kept.from_json(
                json.loads(sealed_value.unseal(blobs.keys, row.kept, _place((row.peer_id, row.transfer_id))))
            )
        except (BlobDamaged, MasterKeyError, MalformedOpening, KeyError, TypeError, ValueError) as error:
            log.warning("transfer %s starts over: what came of it cannot be read: %s", row.transfer_id, error)
            return None
        if not all(blobs.is_there(ref) for ref in kept.refs):
            return None
        return cls(row.manifest_digest, row.size, row.deadline_at_ns, row.touched_at_ns, kept)


@dataclass(slots=True)
class Partials:
    """All partials of a gateway. Questions are answered from memory; the rows are for the next start."""

    database: Database
    blobs: BlobStore
    clock: Clock = field(default_factory=Clock)
    # The one that was touched longest ago first.
    _all: dict[Key, Partial] = field(default_factory=dict)
    _taken: set[Key] = field(default_factory=set)
    # Given up, their rows and files not removed yet.
    _going: list[tuple[Key, Partial]] = field(default_factory=list)
    _clearing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """For the start: reads the rows, and removes those that nothing can go on from. Their files are nobody's then,
        and go as all such files do. Rows that cannot be removed just now wait for the next start."""
        async with self.database.read() as session:
            rows = await queries.load(session)
        for row in rows:
            partial = Partial.from_row(row, self.blobs)
            if partial is not None:
                self._all[row.peer_id, row.transfer_id] = partial
        try:
            async with self.database.write() as session:
                await queries.keep_only(session, self._all)
        except StoreError as error:  # the rows can still be read
            log.warning(_NOT_REMOVED, error)

    def find(self, key: Key) -> Partial | None:
        """What is kept of that transfer, unless an attempt has taken it."""
        return None if key in self._taken else self._all.get(key)

    def sizes(self, peer_id: str) -> dict[str, int]:
        """Of each transfer of a peer of which something is kept that no attempt has taken: the bytes of all of it."""
        return {key[1]: one.size for key, one in self._all.items() if key[0] == peer_id and key not in self._taken}

    # --- for attempts ----------------------------------------------------------------------------------------------

    def take(self, key: Key) -> Kept:
        """From now on it is an attempt's, until `keep`, `drop` or `forget`.

        Raises:
            KeyError: there is nothing to be taken.
        """
        if key in self._taken:
            raise KeyError(key)
        kept = self._all[key].kept
        self._taken.add(key)
        return kept

    async def record(self, key: Key, manifest: Manifest, kept: Kept) -> None:
        """So much is on the disk now; the attempt goes on, and still has it.

        Raises:
            StoreError: it could not be written down; what was recorded before still counts.
        """
        partial = Partial(manifest.digest, manifest.carried_size, manifest.deadline_at_ns, self.clock.now_ns(), kept)
        async with self._clearing, self.database.write() as session:
            await queries.put(session, partial.to_row(key, self.blobs))
        self._all.pop(key, None)
        self._all[key] = partial
        self._taken.add(key)

    async def keep(self, key: Key, manifest: Manifest, kept: Kept, handle: str) -> None:
        """The same at the end of the attempt with that handle, whose it is no more.

        Raises:
            StoreError: see `record`; then `drop` it.
        """
        await self.record(key, manifest, kept)
        self._all[key] = replace(self._all[key], handle=handle)
        self._taken.discard(key)
        theirs = [other for other in self._all if other[0] == key[0] and other not in self._taken]
        self._give_up(theirs[: max(0, len(theirs) - MOST)])
        await self.clear_away()

    def forget(self, key: Key) -> None:
        """Its blobs are a document's now, and its row is gone."""
        self._all.pop(key, None)
        self._taken.discard(key)

    def give_up(self, key: Key) -> None:
        """Nobody needs it any more, its attempt included. Row and files go with `clear_away`."""
        self._taken.discard(key)
        self._give_up([key])

    async def abandon(self, peer_id: str, handle: str, transfer_id: str | None = None) -> bool:
        """Removes what the peer's attempt with that handle left, of one transfer or of all; whether there was any."""
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
        """Gives up a peer's partials, the oldest first, until those that no attempt has taken are `most` bytes at most.
        Their files go with `clear_away`."""
        sizes = {transfer_id: size for transfer_id, size in self.sizes(peer_id).items() if transfer_id != apart_from}
        total = sum(sizes.values())
        for transfer_id, size in sizes.items():
            if total <= most:
                return
            self._give_up([(peer_id, transfer_id)])
            total -= size

    async def drop_oldest(self) -> bool:
        """Removes the partial that was touched longest ago; whether there was one."""
        oldest = next((key for key in self._all if key not in self._taken), None)
        if oldest is None:
            return False
        await self.drop(oldest)
        return True

    async def purge(self, is_peer: Callable[[str], bool]) -> None:
        """Removes those whose peer is gone; and, unless the clock is doubted, those whose deadline has passed or that
        were not touched for long."""
        now = self.clock.now_ns()
        over = set() if self.clock.is_doubted else {key for key, one in self._all.items() if one.until_ns <= now}
        gone = {key for key in self._all if not is_peer(key[0])}
        self._give_up((over | gone) - self._taken)
        await self.clear_away()

    async def run(self, is_peer: Callable[[str], bool]) -> None:
        """Purges now and then, until cancelled."""
        while True:
            await self.purge(is_peer)
            await asyncio.sleep(PACE_S)

    def _give_up(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if (partial := self._all.pop(key, None)) is not None:
                self._going.append((key, partial))

    async def clear_away(self) -> None:
        """Removes what was given up; what cannot be removed just now is left to the next time.

        Files go first: on a full disk no row can be changed before they are gone. An attempt that
        finds a row without its files starts from zero.
        """
        async with self._clearing:
            going, self._going = self._going, []
            if not going:
                return
            refs = [ref for _, one in going for ref in one.kept.refs]
            await asyncio.to_thread(self.blobs.delete_all, refs)
            try:
                async with self.database.write() as session:
                    # A transfer may have come in part again since: that row is another.
                    await queries.remove(session, [key for key, _ in going if key not in self._all])
            except (
                Exception
            ) as error:  # the database may be busy or its disk fail; an end of `run` would end the gateway
                log.warning(_NOT_REMOVED, error)
                self._going += going


def _place(key: Key) -> str:
    return f"partial/{key[0]}/{key[1]}"


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
