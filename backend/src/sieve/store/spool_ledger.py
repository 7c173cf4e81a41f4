"""What is in the spool before an S3 store: blobs only there, and copies of objects, up to a limit of bytes."""

from collections import Counter, OrderedDict
from collections.abc import Collection
from typing import Final

from sieve.store.errors import StorageFull

_FULL: Final = "the spool is full of documents in progress; wait for some to finish, or raise SIEVE_SPOOL_BYTES"


class SpoolLedger:
    """Counts bytes. Invariant: only copies that nobody needs make room. Not for several threads at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used = 0
        self._only_here: dict[str, int] = {}
        # The one that was used last is at the end.
        self._copies: OrderedDict[str, int] = OrderedDict()
        self._pinned: Counter[str] = Counter()
        # The bytes of the largest that was refused, as far as it had come.
        self._refused = 0

    def __contains__(self, blob_id: str) -> bool:
        return blob_id in self._copies or blob_id in self._only_here

    def use_copy(self, blob_id: str) -> bool:
        """Whether there is a whole copy; it is then the last to make room."""
        if blob_id not in self._copies:
            return False
        self._copies.move_to_end(blob_id)
        return True

    def free_copies(self) -> list[str]:
        """The copies that nobody needs."""
        return [each for each in self._copies if not self._pinned[each]]

    @property
    def problem(self) -> str | None:
        """Why there is no room for as much as the largest that was refused; None if there is, or if nothing was
        refused."""
        return _FULL if self._refused and self._missing_for(self._refused) > 0 else None

    def _missing_for(self, size: int) -> int:
        """How many bytes more it would need, even if all copies that may make room did."""
        return self._used + size - self._limit - sum(self._copies[each] for each in self.free_copies())

    def grow(self, blob_id: str, size: int) -> Collection[str]:
        """Counts a blob that is being written with that many bytes, if those are more than before; returns the copies
        that no longer count, to be removed.

        Raises:
            StorageFull: there is no room for it.
        """
        before = self._only_here.get(blob_id, 0)
        if size <= before:
            self._only_here.setdefault(blob_id, 0)
            return ()
        missing = self._used + size - before - self._limit
        gone: list[str] = []
        for copy, of_it in self._copies.items():
            if missing <= 0:
                break
            if not self._pinned[copy]:
                gone.append(copy)
                missing -= of_it
        if missing > 0:
            # What is larger than the spool never has room: then it must become empty.
            self._refused = max(self._refused, min(size, self._limit))
            raise StorageFull(_FULL)
        for copy in gone:
            self.drop(copy)
        self._only_here[blob_id] = size
        self._used += size - before
        return gone

    def is_copy_now(self, blob_id: str, size: int) -> None:
        """The blob is complete in the bucket."""
        self.drop(blob_id)
        self._copies[blob_id] = size
        self._used += size

    def drop(self, blob_id: str) -> None:
        """The blob is not in the spool any more."""
        self._used -= self._copies.pop(blob_id, 0) + self._only_here.pop(blob_id, 0)

    def pin(self, blob_id: str) -> None:
        """Its copy stays until `unpin`."""
        self._pinned[blob_id] += 1

    def is_pinned(self, blob_id: str) -> bool:
        """Whether somebody needs its copy."""
        return self._pinned[blob_id] > 0

    def unpin(self, blob_id: str) -> bool:
        """Whether nobody needs its copy any more."""
        self._pinned[blob_id] -= 1
        if self._pinned[blob_id]:
            return False
        del self._pinned[blob_id]
        return True
