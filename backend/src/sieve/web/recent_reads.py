"""The reads of received documents that the audit log has had lately."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Read: TypeAlias = tuple[str, str, str]
"""The ids of person and inbox entry, and the edition."""

EVERY_NS: Final = 3600 * 1_000_000_000
MAX_REMEMBERED: Final = 10_000


@dataclass(slots=True)
class RecentReads:
    """Remembers reads for an hour. A restart forgets them, so a read can be recorded twice."""

    _at_ns: OrderedDict[Read, int] = field(default_factory=OrderedDict)

    def add(self, read: Read, now_ns: int) -> bool:
        """Whether the read is to be recorded now, because there was none like it within the hour."""
        before = self._at_ns.get(read)
        if before is not None and 0 <= now_ns - before < EVERY_NS:
            return False
        self._at_ns[read] = now_ns
        self._at_ns.move_to_end(read)
        while len(self._at_ns) > MAX_REMEMBERED:
            self._at_ns.popitem(last=False)
        return True

    def forget(self, read: Read) -> None:
        """The read could not be recorded."""
        self._at_ns.pop(read, None)
