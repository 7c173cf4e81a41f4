"""Finds and removes the objects that no row names, such as those of a process that was killed before its commit.

Invariant: an object is removed only if two sweeps, at least `GRACE` apart by the store's own clock, found that no row
names it. So neither a gateway's clock nor one look at an older database removes anything (ADR 21).
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from sieve.store.s3_objects import S3Objects

log = logging.getLogger(__name__)

GRACE: Final = timedelta(days=7)
"""How long an object stays after a sweep first found that no row names it."""
FEW: Final = 256
"""The most objects that a sweep notes unasked, as in a folder at a start (`folder_at_start`). If more are unknown and
not noted yet, the database may be an older one."""


class S3Sweep:
    """One sweep: first `look`, then read which ids the rows name, then `settle`. Only one gateway sweeps. Blocking."""

    def __init__(self, objects: S3Objects, grace: timedelta = GRACE) -> None:
        self._objects, self._grace = objects, grace
        self._found: set[str] = set()
        self._adopts = False

    def adopt(self) -> None:
        """The next sweep notes all that no row names, also if it is much: the database is the right one."""
        self._adopts = True

    def look(self) -> None:
        """Lists all blobs.

        Raises:
            BlobsUnreachable: the store does not answer.
        """
        self._found = {blob_id for blob_id, _ in self._objects.all()}

    def settle(self, known: Collection[str], files: Collection[str] = ()) -> int:
        """Notes the unknown ones, and removes those that were noted long ago; returns how many it removed. If too many
        are new, it does neither. `known`: the ids that rows name, read after `look`: a row may have come meanwhile.
        `files`: those that rows named before `look`. The log says which of them are missing although rows still name
        them. The others were deleted meanwhile, which removes them: this sweep does not count them.

        Raises:
            BlobsUnreachable: the store does not answer.
        """
        objects, unknown = self._objects, self._found.difference(known, files)
        still = set(files).intersection(known)
        if missing := sorted(still - self._found):
            log.warning(
                "%d of %d blobs that the database names are missing in %s, such as %s: their documents cannot be read; "
                "restore them from versions of the bucket or a copy of it",
                len(missing),
                len(still),
                objects.address,
                missing[0],
            )
        noted = objects.unknown()
        objects.forget_unknown([each for each in noted if each not in unknown])
        # What is noted was few, or adopted.
        new = unknown - noted.keys()
        if len(new) > FEW and not self._adopts:
            log.warning(
                "the database does not know %d of %d blobs in %s; they stay there. Is it an older one? To remove them "
                "after 7 days, start once with: sieve gateway --adopt-blobs",
                len(unknown),
                len(self._found),
                objects.address,
            )
            return 0
        for blob_id in new:
            objects.note_unknown(blob_id)
        self._adopts = False
        now = objects.now()
        overdue = [each for each, since in noted.items() if each in unknown and now - since >= self._grace]
        objects.remove(overdue)
        objects.forget_unknown(overdue)
        if overdue:
            log.info("removed %d blobs from %s that no row named for 7 days and more", len(overdue), objects.address)
        return len(overdue)
