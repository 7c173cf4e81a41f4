"""Parts of the audit log's chain: where it was broken, an admin begins a new part, and says why.

Invariant: nothing is repaired and nothing removed. The first entry of a part follows the last one that is there; it
names what was found, holds a digest of all entries before it and of those that are not in the chain, and is signed
as no other entry is, in the transaction that writes it. So what was wrong before it is known and stays readable,
nothing of it can be changed any further unseen, and nobody begins a part who has only the database.

Its number is beyond those of all heads that were signed, so that no number ever means two entries. Heads that nobody
signed count only within `REACH`: one of a number that no chain will ever have must not end the log. There is a digest
of all such, too, for some may have numbers beyond that of the part.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from blake3 import blake3

from sieve.core.hash_chain import HEAD
from sieve.gateway.auditing.audit_log import Action
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head, SignedHead

BEGINS: Final[Action] = "audit-continued"
"""What the first entry of a part says was done."""
REACH: Final = 1 << 30
"""More entries than are ever written between two heads."""


class Before:
    """All entries up to some place, as they lie there, or heads that nobody signed: changed in any way, they have
    another digest.
    """

    def __init__(self) -> None:
        self._digest = blake3(b"sieve audit part v1\0")

    def take(self, entry: AuditEntry) -> None:
        """One entry more."""
        self._take([getattr(entry, name) for name in (*queries.LINKED, "link")])

    def take_head(self, kept: SignedHead) -> None:
        """One head more."""
        self._take([kept.number, kept.link, kept.at_ns, kept.signature])

    def _take(self, columns: Sequence[Any]) -> None:
        # By repr, for SQLite keeps whatever was written there.
        self._digest.update(repr(columns).encode("utf-8", "backslashreplace") + b"\0")

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return self._digest.hexdigest()


def told(head: Head) -> str:
    """A head as others are told it."""
    return f"{head.number}:{head.link.hex()}"


def details_of_first(
    found: Head, signed: Head | None, before: Before, unsigned: Before, problems: int
) -> dict[str, Any]:
    """What the first entry of a part says: where the chain ended, which head was signed last, and what was there."""
    return {
        "found": told(found),
        "signed": None if signed is None else told(signed),
        "before": before.digest,
        "unsigned": unsigned.digest,
        "problems": problems,
    }


def begins_part(entry: AuditEntry) -> bool:
    """Whether the entry says that a part begins with it."""
    return bool(entry.action == BEGINS)


def stands_after(entry: AuditEntry, before: Before) -> bool:
    """Whether what is there before the first entry of a part is what was there when it was written."""
    details = _details_of(entry)
    return details.get("before") == before.digest and bool(HEAD.fullmatch(str(details.get("found"))))


def knows(entry: AuditEntry, unsigned: Before) -> bool:
    """Whether the heads that nobody signed are those that were there when the first entry of a part was written."""
    return bool(_details_of(entry).get("unsigned") == unsigned.digest)


def _details_of(entry: AuditEntry) -> dict[str, Any]:
    try:
        details = json.loads(entry.details)
    except (ValueError, TypeError):
        return {}
    return details if isinstance(details, dict) else {}
