"""A plain blob: the plain stream in clear, each byte at its own offset.

It is written in any order, by any process that has it open, until `finish`; from then on it is only read.
Invariant: no byte is read back that is not the one that was written: each segment is compared with its tag when read.
The key of the tags is wrapped by the master key and bound to blob, owner, purpose and size.
"""

from dataclasses import replace
from functools import cached_property
from typing import Final

from sieve.store import data_key
from sieve.store.blob_file import check_range
from sieve.store.blob_ref import BlobRef, wrap_aad
from sieve.store.blob_storage import BlobStorage, StoredBlob, UnfinishedBlob
from sieve.store.errors import BlobDamaged, MasterKeyError, MasterKeyMissing
from sieve.store.master_keys import MasterKeys
from sieve.store.segment_tags import SEGMENT, TAG, PlainSum, SegmentTags, segments

CHANGED: Final = (
    "this gateway's stored file of the document was changed on its disk; ask the admin to restore it from a backup"
)


class PlainWriter:
    """Writes one plain blob. End it with `finish` or `discard`, or `close` it. Blocking, but for small writes only as
    long as a copy."""

    def __init__(self, into: UnfinishedBlob, owner: str, purpose: str, keys: MasterKeys) -> None:
        self._into = into
        self._owner, self._purpose, self._keys = owner, purpose, keys
        self.tag_key: Final = data_key.fresh()
        """The key of the `PlainSum` that takes the tags, in this or another process. It serves these bytes only."""
        # A plain stream is stored as it is: the rest is the storage's.
        self.id: Final = into.id
        self.reserve: Final = into.reserve
        self.write_at: Final = into.write_at
        self.open_direct: Final = into.open_direct
        self.sync: Final = into.sync
        self.close: Final = into.close
        self.discard: Final = into.discard

    def read(self, start: int, end: int) -> bytes:
        """What was written from `start` to `end`.

        Raises:
            BlobDamaged: the blob is not that long.
        """
        return self._into.read_at(start, end - start)

    def begun(self, size: int) -> BlobRef:
        """What resumes the writing of a blob that is to have `size` bytes; it has no tags yet."""
        return BlobRef(self.id, "plain", self._owner, self._purpose, size)

    def finish(self, size: int, tags: bytes | None = None) -> BlobRef:
        """Ends the writing; `size` bytes count, and are durable when this returns (the name: `BlobStore.sync_names`).

        `tags`: of the bytes as they came, by `tag_key`. Without them the blob is read for them.

        Raises:
            BlobDamaged: fewer bytes were written or reserved.
        """
        if self._into.size < size:
            raise BlobDamaged("a plain stream is shorter than announced")
        if tags is None:
            tags = _sum(self._into, size, self.tag_key).tags()
        self._into.finish(size)
        return tagged(self.begun(size), self.tag_key, tags, self._keys)


class PlainReader:
    """Random access to one plain blob; keeps the segment that was read last, so that small reads in order are cheap."""

    def __init__(self, storage: BlobStorage, ref: BlobRef, keys: MasterKeys, digest: bytes | None = None) -> None:
        """`digest`: BLAKE3 of the stream, needed for a blob without tags: all of it is compared before the first read.

        Raises:
            ValueError: it has neither.
        """
        if ref.kind != "plain" or (ref.tags is None and digest is None):
            raise ValueError("a plain blob is read by its tags, and one without tags by its digest")
        self._storage, self._ref, self._keys, self._digest = storage, ref, keys, digest
        self._kept = (-1, b"")

    def read(self, start: int, end: int) -> bytes:
        """Bytes `start` to `end`.

        Raises:
            BlobDamaged: the file is missing, or it or its row was changed where it is needed.
            MasterKeyMissing: the master key of its tags is not here.
        """
        check_range(start, end, self._ref.size)
        index, kept = self._kept
        head = kept[start - index * SEGMENT : end - index * SEGMENT] if start // SEGMENT == index else b""
        start += len(head)
        if start == end:
            return head
        first, behind = start // SEGMENT, segments(end)
        at = first * SEGMENT
        data = self._checked(first, min(behind * SEGMENT, self._ref.size))
        if end < behind * SEGMENT:
            self._kept = behind - 1, data[(behind - 1) * SEGMENT - at :]
        asked = data[start - at : end - at]
        return head + asked if head else asked

    def _checked(self, first: int, end: int) -> bytes:
        """The segments from `first` on that end at `end`."""
        tags = self._tags
        with self._storage.open(self._ref.id) as blob:
            data = blob.read_at(first * SEGMENT, end - first * SEGMENT)
        if not tags.hold(first, data):
            raise BlobDamaged(CHANGED, self._where)
        return data

    @cached_property
    def _tags(self) -> SegmentTags:
        ref = self._ref
        if ref.tags is None:
            tag_key, tags = self.tags_by_digest()
        elif len(ref.tags) != segments(ref.size) * TAG or ref.key_id is None or ref.wrapped_key is None:
            raise BlobDamaged(CHANGED, self._where)
        else:
            try:
                tag_key = self._keys.unwrap(ref.key_id, ref.wrapped_key, _aad(ref))
            except MasterKeyMissing:
                raise
            except MasterKeyError as error:
                raise BlobDamaged(f"a stored file cannot be checked: {error}", self._where) from error
            tags = ref.tags
        return SegmentTags(tag_key, tags)

    @property
    def _where(self) -> str:
        return f"{self._storage.location(self._ref.id)}, of {self._ref.owner}"

    def tags_by_digest(self) -> tuple[bytes, bytes]:
        """A fresh key, and with it the tags of a blob that has none. Reads all of it.

        Raises:
            BlobDamaged: it is missing, or its bytes do not fit the digest.
        """
        tag_key = data_key.fresh()
        with self._storage.open(self._ref.id) as blob:
            found = _sum(blob, self._ref.size, tag_key)
        if found.digest() != self._digest:
            raise BlobDamaged(CHANGED, self._where)
        return tag_key, found.tags()


def tagged(ref: BlobRef, tag_key: bytes, tags: bytes, keys: MasterKeys) -> BlobRef:
    """The reference of that plain blob with its tags."""
    if len(tags) != segments(ref.size) * TAG:
        raise ValueError("a plain blob has one tag for each of its segments")
    key_id, wrapped_key = keys.wrap(tag_key, _aad(ref))
    return replace(ref, key_id=key_id, wrapped_key=wrapped_key, tags=tags)


def _aad(ref: BlobRef) -> bytes:
    return wrap_aad("plain", ref.id, ref.owner, ref.purpose, ref.size)


def _sum(blob: StoredBlob, size: int, tag_key: bytes) -> PlainSum:
    found = PlainSum(tag_key)
    for start in range(0, size, SEGMENT):
        found.update(blob.read_at(start, min(SEGMENT, size - start)))
    return found
