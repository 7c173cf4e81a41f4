"""Parts of the audit log's chain: where it was broken, an admin begins a new part, and says why.

The law: nothing is mended and nothing taken away. The first entry of a part follows the last one that is there; it
names what was found, holds a digest of all that stands before it, and is signed as no other entry is, in the
transaction that writes it. So what was wrong before it is known and stays readable, nothing of it can be changed any
further unseen, and nobody begins a part who has only the database.

Its number is beyond those of all heads that were signed, so that no number ever means two entries.
"""

import json
from typing import Any, Final

from blake3 import blake3

from sieve.core.chain import HEAD
from sieve.gateway.audit import Action
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head

BEGINS: Final[Action] = "audit-continued"
"""What the first entry of a part says was done."""


class Before:
    """All entries up to some place, as they lie there: changed in any way, they have another digest."""

    def __init__(self) -> None:
        self._digest = blake3(b"sieve audit part v1\0")

    def take(self, entry: AuditEntry) -> None:
        """One more."""
        columns = [getattr(entry, name) for name in (*queries.LINKED, "link")]
        # By repr, for SQLite keeps whatever was written there.
        self._digest.update(repr(columns).encode("utf-8", "backslashreplace") + b"\0")

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return self._digest.hexdigest()


def told(head: Head) -> str:
    """A head as others are told it."""
    return f"{head.number}:{head.link.hex()}"


def details_of_first(found: Head, signed: Head | None, before: Before, problems: int) -> dict[str, Any]:
    """What the first entry of a part says: where the chain ended, which head was signed last, and what was there."""
    return {
        "found": told(found),
        "signed": None if signed is None else told(signed),
        "before": before.digest,
        "problems": problems,
    }


def begins_part(entry: AuditEntry) -> bool:
    """Whether the entry says that a part begins with it."""
    return bool(entry.action == BEGINS)


def stands_after(entry: AuditEntry, before: Before) -> bool:
    """Whether what is there before the first entry of a part is what was there when it was written."""
    try:
        details = json.loads(entry.details)
        return bool(HEAD.fullmatch(details["found"])) and details["before"] == before.digest
    except (ValueError, TypeError, KeyError):
        return False
