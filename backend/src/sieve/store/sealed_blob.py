"""A sealed blob: its clear text exists only in memory, at most one segment at a time.

    segment = AEAD(data key, nonce = index, aad = index and whether it is the last one)

The AEAD is the data key's, see `data_key`. Each segment but the last holds 256 KiB of clear text; an empty blob is one
empty segment. The data key is fresh for each blob and a segment is never rewritten, so a pair of key and nonce is used
once. Index and last flag, being authenticated, reveal a blob that was truncated, extended, reordered or patched from
others; a changed segment yields no byte.

A blob whose writing may be resumed has another layout, because a crash may leave a segment unrecorded, and then it is
written again, with other bytes. So each write draws a random nonce, which is stored before the segment:

    segment = nonce (12 bytes) | AEAD(data key, nonce, aad as above)

The two layouts never have the same length, so a reader knows which one it has.
"""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from cryptography.exceptions import InvalidTag

from sieve.store import data_key
from sieve.store.blob_file import Bytes, check_range
from sieve.store.blob_ref import BlobRef, wrap_aad
from sieve.store.blob_storage import BlobStorage, UnfinishedBlob
from sieve.store.data_key import Aead
from sieve.store.errors import BlobDamaged, MasterKeyError, MasterKeyMissing
from sieve.store.master_keys import NONCE_SIZE, MasterKeys

SEGMENT: Final = 256 * 1024
TAG: Final = 16
FREE_FOR_ROWS: Final = 64 * 1024 * 1024
"""More than the small blobs of all transfers in progress need, each written to the log and to the database."""


def segments(size: int) -> int:
    """How many segments hold `size` bytes of clear text."""
    return max(1, -(-size // SEGMENT))


def sealed_size(size: int, *, resumable: bool = False) -> int:
    """The size of the sealed blob of `size` bytes of clear text."""
    return size + segments(size) * (_before(resumable) + TAG)


def sealed_sizes(size: int) -> tuple[int, int]:
    """Its sizes in the two layouts."""
    return sealed_size(size), sealed_size(size, resumable=True)


def _before(resumable: bool) -> int:
    """Bytes before the sealed ones of a segment."""
    return NONCE_SIZE if resumable else 0


class _Sealing:
    """The key and the reference of a sealed blob that is being written."""

    def __init__(self, blob_id: str, owner: str, purpose: str, keys: MasterKeys, begun: BlobRef | None = None) -> None:
        """`begun`: the reference of the blob whose writing is resumed.

        Raises:
            BlobDamaged: its key does not open.
            MasterKeyMissing: the master key that it needs is not here.
        """
        if begun is None:
            key = data_key.fresh()
            key_id, wrapped_key = keys.wrap(key, wrap_aad("sealed", blob_id, owner, purpose, 0))
            begun = BlobRef(blob_id, "sealed", owner, purpose, 0, key_id, wrapped_key)
        else:
            key = _data_key(begun, keys)
        self._empty = begun
        self._aead = data_key.aead(key)


class SealedFile(_Sealing):
    """A sealed blob that is being written, segment by segment; each once, unless it is `resumable`."""

    def __init__(
        self,
        into: UnfinishedBlob,
        owner: str,
        purpose: str,
        keys: MasterKeys,
        *,
        resumable: bool = False,
        begun: BlobRef | None = None,
    ) -> None:
        """`begun`: the reference of a resumable blob whose writing is resumed.

        Raises:
            BlobDamaged: its key does not open.
            MasterKeyMissing: the master key that it needs is not here.
        """
        try:
            super().__init__(into.id, owner, purpose, keys, begun)
        except BaseException:
            # A new blob holds nothing yet. One that is resumed stays: its master key may come back.
            if begun is None:
                into.discard()
            else:
                into.close()
            raise
        self._into = into
        self._resumable, self._before = resumable, _before(resumable)
        self._sealed = bytearray()
        self.sync: Final = into.sync
        self.close: Final = into.close
        self.discard: Final = into.discard

    @property
    def begun(self) -> BlobRef:
        """What resumes the writing; its size is not known yet."""
        return self._empty

    def reserve(self, size: int) -> None:
        """Reserves space for `size` bytes of clear text, sealed.

        Raises:
            StorageFull: there is not enough.
        """
        self._into.reserve(sealed_size(size, resumable=self._resumable))

    def seal(self, index: int, clear: Bytes, *, last: bool) -> None:
        """Writes a whole segment. Unless the blob is resumable, the caller never repeats an index, because that would
        repeat the nonce.

        Raises:
            StorageFull: there is no room; call `discard`.
        """
        if len(self._sealed) != len(clear) + TAG:
            self._sealed = bytearray(len(clear) + TAG)
        nonce, aad = _nonce_and_aad(index, last=last)
        pieces: list[Bytes] = [self._sealed]
        if self._resumable:
            nonce = secrets.token_bytes(NONCE_SIZE)
            pieces.insert(0, nonce)
        self._aead.encrypt_into(nonce, clear, aad, self._sealed)
        self._into.write_at(index * (self._before + SEGMENT + TAG), pieces)

    def unseal(self, index: int, length: int, *, last: bool) -> bytes:
        """The `length` bytes of clear text of a segment that was written.

        Raises:
            BlobDamaged: it is not what was written.
        """
        stride, length = self._before + SEGMENT + TAG, self._before + length + TAG
        sealed = self._into.read_at(index * stride, length)
        return _opened(self._aead, index, sealed, last=last, resumable=self._resumable)

    def finish(self, size: int) -> BlobRef:
        """Ends the writing; the bytes are durable when this returns (the name: `BlobStore.sync_names`)."""
        self._into.finish(sealed_size(size, resumable=self._resumable))
        return replace(self._empty, size=size)


class SealedInRow(_Sealing):
    """A small sealed blob that is being written: one segment, which its row will hold."""

    def __init__(
        self, blob_id: str, owner: str, purpose: str, keys: MasterKeys, check_free: Callable[[int], None]
    ) -> None:
        """`check_free` checks the free space of the database that will hold it: see `BlobStorage.check_free`."""
        super().__init__(blob_id, owner, purpose, keys)
        self._check_free = check_free
        self._content = b""

    def reserve(self, size: int) -> None:
        """Checks for space. A database cannot reserve any, so the disk counts as full while it still has room for all
        transfers in progress: a failed commit would fail others' documents, too.

        Raises:
            StorageFull: `FREE_FOR_ROWS` or less is free.
        """
        self._check_free(size + FREE_FOR_ROWS)

    def seal(self, index: int, clear: Bytes, *, last: bool) -> None:
        """Seals the segment, once.

        Raises:
            ValueError: it is not the only one, or too long.
        """
        if index or not last or self._content or len(clear) > SEGMENT:
            raise ValueError("what a row holds is one segment, sealed once")
        nonce, aad = _nonce_and_aad(index, last=last)
        self._content = self._aead.encrypt(nonce, clear, aad)

    def unseal(self, index: int, length: int, *, last: bool) -> bytes:
        """The segment's clear text."""
        return _opened(self._aead, index, self._content, last=last)

    def finish(self, size: int) -> BlobRef:
        """Ends the writing; the blob is durable once its row is."""
        return replace(self._empty, size=size, content=self._content)

    def discard(self) -> None:
        """Does nothing: there is nothing to remove."""


class SealedWriter:
    """Writes one sealed blob, in order. End it with `finish` or `discard`."""

    def __init__(self, into: UnfinishedBlob, owner: str, purpose: str, keys: MasterKeys) -> None:
        self.id: Final = into.id
        self._file = SealedFile(into, owner, purpose, keys)
        self._finished = False
        self._pending = bytearray()
        self._index = 0
        self._size = 0

    def reserve(self, size: int) -> None:
        """Reserves space for `size` bytes of clear text, sealed.

        Raises:
            StorageFull: there is not enough.
        """
        self._file.reserve(size)

    def write(self, data: Bytes) -> None:
        """Appends.

        Raises:
            StorageFull: there is no room; call `discard`.
        """
        self._check_unfinished()
        view = memoryview(data).cast("B")
        self._size += len(view)
        while len(view):
            # A full segment is sealed only when more bytes follow: until then it may be the last.
            if len(self._pending) == SEGMENT:
                self._seal(self._pending, last=False)
                self._pending.clear()
            if not self._pending and len(view) > SEGMENT:
                self._seal(view[:SEGMENT], last=False)
                view = view[SEGMENT:]
                continue
            room = SEGMENT - len(self._pending)
            self._pending += view[:room]
            view = view[room:]

    def written(self, end: int) -> Iterator[bytes]:
        """The first `end` bytes that were written, in pieces.

        Raises:
            BlobDamaged: they are not what was written.
        """
        for index in range(min(self._index, segments(end))):
            yield self._file.unseal(index, SEGMENT, last=False)[: end - index * SEGMENT]
        yield bytes(self._pending[: max(0, end - self._index * SEGMENT)])

    def _seal(self, clear: Bytes, *, last: bool) -> None:
        self._file.seal(self._index, clear, last=last)
        self._index += 1

    def finish(self) -> BlobRef:
        """Seals the last segment; the bytes are on the disk when this returns (the name: `BlobStore.sync_names`).

        Raises:
            StorageFull: there is no room; call `discard`.
        """
        self._check_unfinished()
        self._seal(self._pending, last=True)
        ref = self._file.finish(self._size)
        self._finished, self._pending = True, bytearray()
        return ref

    def _check_unfinished(self) -> None:
        if self._finished:
            raise ValueError("this blob is finished; it is never written again")

    def discard(self) -> None:
        """Removes the file, also after `finish`; not once a row names it. May be called twice."""
        self._finished, self._pending = True, bytearray()
        self._file.discard()


class SealedReader:
    """Random access to one sealed blob; keeps the segment opened last, so that reading in order opens each once."""

    def __init__(self, storage: BlobStorage, ref: BlobRef, keys: MasterKeys) -> None:
        """Unwraps the blob's key.

        Raises:
            BlobDamaged: the row was changed.
            MasterKeyMissing: the blob's master key is not here.
        """
        self._aead = data_key.aead(_data_key(ref, keys))
        self._storage, self._id, self._size, self._content = storage, ref.id, ref.size, ref.content
        self._last = segments(ref.size) - 1
        self._opened = (-1, b"")

    def read(self, start: int, end: int) -> bytes:
        """Bytes `start` to `end` of the clear text.

        Raises:
            BlobDamaged: the file is missing, or was changed in a segment that is needed.
        """
        check_range(start, end, self._size)
        if start == end:
            return b""
        first, last = start // SEGMENT, (end - 1) // SEGMENT
        if first == last:
            return self._segment(first)[start - first * SEGMENT : end - first * SEGMENT]
        return b"".join(
            self._segment(index)[max(start - index * SEGMENT, 0) : end - index * SEGMENT]
            for index in range(first, last + 1)
        )

    def _segment(self, index: int) -> bytes:
        opened, clear = self._opened
        if opened == index:
            return clear
        is_last = index == self._last
        length = (self._size - index * SEGMENT if is_last else SEGMENT) + TAG
        resumable = False
        if self._content is not None:
            if len(self._content) != sealed_size(self._size):
                raise BlobDamaged("what a row holds sealed is not as long as it was; restore it from a backup")
            sealed = self._content
        else:
            with self._storage.open(self._id) as blob:
                resumable = (found := blob.size) == sealed_size(self._size, resumable=True)
                if not resumable and found != sealed_size(self._size):
                    raise BlobDamaged("a sealed file is not as long as it was; restore it from a backup")
                before = _before(resumable)
                sealed = blob.read_at(index * (before + SEGMENT + TAG), before + length)
        clear = _opened(self._aead, index, sealed, last=is_last, resumable=resumable)
        self._opened = (index, clear)
        return clear


def _data_key(ref: BlobRef, keys: MasterKeys) -> bytes:
    if ref.kind != "sealed" or ref.key_id is None or ref.wrapped_key is None:
        raise ValueError("a plain blob has no key to read it with")
    try:
        aad = wrap_aad("sealed", ref.id, ref.owner, ref.purpose, ref.size)
        return keys.unwrap(ref.key_id, ref.wrapped_key, aad)
    except MasterKeyMissing:
        raise
    except MasterKeyError as error:
        raise BlobDamaged(f"a sealed file cannot be opened: {error}") from error


def _opened(aead: Aead, index: int, sealed: bytes, *, last: bool, resumable: bool = False) -> bytes:
    nonce, aad = _nonce_and_aad(index, last=last)
    data: Bytes = sealed
    if resumable:
        nonce, data = sealed[:NONCE_SIZE], memoryview(sealed)[NONCE_SIZE:]
    try:
        return aead.decrypt(nonce, data, aad)
    except InvalidTag as error:
        raise BlobDamaged("a sealed file was changed; restore it from a backup") from error


def _nonce_and_aad(index: int, *, last: bool) -> tuple[bytes, bytes]:
    return index.to_bytes(12, "big"), index.to_bytes(8, "big") + (b"\1" if last else b"\0")
