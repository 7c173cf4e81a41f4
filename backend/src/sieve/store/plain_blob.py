"""A plain blob: the plain stream in clear, each byte at its own offset.

It is written in any order, by any process that has its path, until `ref` is taken; from then on it is only read.
Invariant: no byte is read back that is not the one that was written: each segment is compared with its tag when read.
The key of the tags is wrapped by the master key and bound to blob, owner, purpose and size.
"""

import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from sieve.store import blob_file
from sieve.store.blob_file import Bytes
from sieve.store.blob_ref import BlobRef
from sieve.store.errors import BlobDamaged, MasterKeyError, MasterKeyMissing
from sieve.store.keys import MasterKeys, key_aad
from sieve.store.segment_tags import KEY_SIZE, SEGMENT, TAG, PlainSum, SegmentTags, segments

CHANGED: Final = (
    "this gateway's stored file of the document was changed on its disk; ask the admin to restore it from a backup"
)


class PlainWriter:
    """Writes one plain blob. End it with `ref` or `discard`, or `close` it. Blocking, but for small writes only as long
    as a copy."""

    def __init__(self, path: Path, owner: str, purpose: str, keys: MasterKeys, *, resumed: bool = False) -> None:
        """`path` ends in the blob's id; it does not exist, unless the writing is `resumed`.

        Raises:
            DestinationFull: there is no room for a file.
            BlobDamaged: the file whose writing is to be resumed is missing.
        """
        self.path: Final = path
        self._owner, self._purpose, self._keys = owner, purpose, keys
        self.tag_key: Final = secrets.token_bytes(KEY_SIZE)
        """The key of the `PlainSum` that takes the tags, in whichever process. It serves these bytes only."""
        self._fd: int | None = blob_file.reopen(path) if resumed else blob_file.create(path)

    @property
    def _open_fd(self) -> int:
        if self._fd is None:
            raise ValueError("this blob is finished; it is never written again")
        return self._fd

    def reserve(self, size: int) -> None:
        """Makes sure that `size` bytes find room.

        Raises:
            DestinationFull: they do not.
        """
        blob_file.reserve(self._open_fd, size)

    def write_at(self, offset: int, pieces: Sequence[Bytes]) -> int:
        """Writes all pieces, one after the other, from `offset` on; returns how many bytes.

        Raises:
            DestinationFull: there is no room.
        """
        return blob_file.write_at(self._open_fd, offset, pieces)

    def read(self, start: int, end: int) -> bytes:
        """What was written from `start` to `end`.

        Raises:
            BlobDamaged: the file is not that long.
        """
        return blob_file.read_at(self._open_fd, start, end - start)

    def sync(self) -> None:
        """Returns once everything written so far is on the disk."""
        os.fsync(self._open_fd)

    def begun(self, size: int) -> BlobRef:
        """What resumes the writing of a blob that is to have `size` bytes; it has no tags yet."""
        return BlobRef(self.path.name, "plain", self._owner, self._purpose, size)

    def ref(self, size: int, tags: bytes | None = None) -> BlobRef:
        """Ends the writing; `size` bytes count, what was reserved beyond them is given back. `sync` comes before.

        `tags`: of the bytes as they came, by `tag_key`. Without them the file is read for them.

        Raises:
            BlobDamaged: fewer bytes were written or reserved.
        """
        fd = self._open_fd
        length = os.fstat(fd).st_size
        if length < size:
            raise BlobDamaged("a plain stream is shorter than announced")
        if length > size:
            os.ftruncate(fd, size)
            os.fsync(fd)
        if tags is None:
            tags = _sum(fd, size, self.tag_key).tags()
        self.close()
        return tagged(self.begun(size), self.tag_key, tags, self._keys)

    def discard(self) -> None:
        """Removes the file, also after `ref`; not once a row names it. May be called twice."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Interrupts the writing: the file stays. May be called twice."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class PlainReader:
    """Random access to one plain blob; keeps the segment that was read last, so that small reads in order are cheap."""

    def __init__(self, path: Path, ref: BlobRef, keys: MasterKeys, digest: bytes | None = None) -> None:
        """`digest`: BLAKE3 of the stream, needed for a blob without tags: all of it is compared before the first read.

        Raises:
            ValueError: it has neither.
        """
        if ref.kind != "plain" or (ref.tags is None and digest is None):
            raise ValueError("a plain blob is read by its tags, and one without tags by its digest")
        self._path, self._ref, self._keys, self._digest = path, ref, keys, digest
        self._kept = (-1, b"")

    def read(self, start: int, end: int) -> bytes:
        """Bytes `start` to `end`.

        Raises:
            BlobDamaged: the file is missing, or it or its row was changed where it is needed.
            MasterKeyMissing: the master key of its tags is not here.
        """
        blob_file.check_range(start, end, self._ref.size)
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
        with blob_file.opened(self._path) as fd:
            data = blob_file.read_at(fd, first * SEGMENT, end - first * SEGMENT)
        if not tags.hold(first, data):
            raise BlobDamaged(CHANGED, _where(self._ref))
        return data

    @cached_property
    def _tags(self) -> SegmentTags:
        ref = self._ref
        if ref.tags is None:
            tag_key, tags = self.tags_by_digest()
        elif len(ref.tags) != segments(ref.size) * TAG or ref.key_id is None or ref.wrapped_key is None:
            raise BlobDamaged(CHANGED, _where(ref))
        else:
            try:
                tag_key = self._keys.unwrap(ref.key_id, ref.wrapped_key, _aad(ref))
            except MasterKeyMissing:
                raise
            except MasterKeyError as error:
                raise BlobDamaged(f"a stored file cannot be checked: {error}", _where(ref)) from error
            tags = ref.tags
        return SegmentTags(tag_key, tags)

    def tags_by_digest(self) -> tuple[bytes, bytes]:
        """A fresh key, and with it the tags of a blob that has none. Reads all of it.

        Raises:
            BlobDamaged: it is missing, or its bytes do not fit the digest.
        """
        tag_key = secrets.token_bytes(KEY_SIZE)
        with blob_file.opened(self._path) as fd:
            found = _sum(fd, self._ref.size, tag_key)
        if found.digest() != self._digest:
            raise BlobDamaged(CHANGED, _where(self._ref))
        return tag_key, found.tags()


def tagged(ref: BlobRef, tag_key: bytes, tags: bytes, keys: MasterKeys) -> BlobRef:
    """The reference of that plain blob with its tags."""
    if len(tags) != segments(ref.size) * TAG:
        raise ValueError("a plain blob has one tag for each of its segments")
    key_id, wrapped_key = keys.wrap(tag_key, _aad(ref))
    return replace(ref, key_id=key_id, wrapped_key=wrapped_key, tags=tags)


def _where(ref: BlobRef) -> str:
    return f"{ref.id[:2]}/{ref.id} in the blob folder, of {ref.owner}"


def _aad(ref: BlobRef) -> bytes:
    """The size is part of it: a row that names fewer segments must not cut the document."""
    return key_aad("sieve tag key v1", ref.id, ref.owner, ref.purpose, str(ref.size))


def _sum(fd: int, size: int, tag_key: bytes) -> PlainSum:
    found = PlainSum(tag_key)
    for start in range(0, size, SEGMENT):
        found.update(blob_file.read_at(fd, start, min(SEGMENT, size - start)))
    return found
