"""Parts of the audit log's chain: after damage, an admin begins a new part and gives the reason.

Invariant: nothing is repaired or removed. The first entry of a part follows the last existing entry. It lists what was
found, contains a digest of all entries before it and of those outside the chain, and is signed for a separate purpose
in the transaction that writes it. So earlier damage stays readable, further changes to those entries show, and a part
cannot be begun with access to the database alone.

The entry's number is beyond those of all signed heads, so that no number ever means two entries. Unsigned heads count
only within `REACH`: a head with a number that no chain will reach must not end the log. The entry also contains a
digest of the unsigned heads, because some may have numbers beyond its own.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from blake3 import blake3

from sieve.core.hash_chain import HEAD
from sieve.gateway.auditing.audit_log import Action
from sieve.store.models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head, SignedHead

BEGINS: Final[Action] = "audit-continued"
"""The action of the first entry of a part."""
CHANGES_KEY: Final[Action] = "master-key-changed"
"""The action of the entry that follows when another master key has wrapped the sealed values of entries."""
REACH: Final = 1 << 30
"""More entries than a gateway ever writes between two heads."""


class Before:
    """The digest of all entries before a part, or of all unsigned heads; it differs after any change."""

    def __init__(self) -> None:
        self._digest = blake3(b"sieve audit part v1\0")

    def take(self, entry: AuditEntry) -> None:
        """Adds an entry."""
        linked = [getattr(entry, name) for name in queries.LINKED_EARLIER]
        # Entries of which nothing was wrapped again have the digest that they had before such columns existed.
        self._take([*(getattr(entry, name) for name in (*queries.LINKED, "link")), *(one for one in linked if one)])

    def take_head(self, kept: SignedHead) -> None:
        """Adds a head."""
        self._take([kept.number, kept.link, kept.at_ns, kept.signature])

    def _take(self, columns: Sequence[Any]) -> None:
        # By repr, because SQLite stores values of any type.
        self._digest.update(repr(columns).encode("utf-8", "backslashreplace") + b"\0")

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return self._digest.hexdigest()


def format_head(head: Head) -> str:
    """A head as receipts, the log and the API show it."""
    return f"{head.number}:{head.link.hex()}"


def details_of_first(
    found: Head, signed: Head | None, before: Before, unsigned: Before, problems: int
) -> dict[str, Any]:
    """The details of a part's first entry: the end of the chain, the last signed head, and what came before."""
    return {
        "found": format_head(found),
        "signed": None if signed is None else format_head(signed),
        "before": before.digest,
        "unsigned": unsigned.digest,
        "problems": problems,
    }


def begins_part(entry: AuditEntry) -> bool:
    """Whether the entry claims to be the first of a part."""
    return bool(entry.action == BEGINS)


def entries_before_match(entry: AuditEntry, before: Before) -> bool:
    """Whether the entries before the first entry of a part are unchanged since it was written."""
    return has_digest(entry, before) and found_a_head(entry)


def found_a_head(entry: AuditEntry) -> bool:
    """Whether the first entry of a part names the head after which it begins."""
    return bool(HEAD.fullmatch(str(_details_of(entry).get("found"))))


def has_digest(entry: AuditEntry, before: Before) -> bool:
    """Whether the entry contains the digest of these entries."""
    return bool(_details_of(entry).get("before") == before.digest)


def unsigned_heads_match(entry: AuditEntry, unsigned: Before) -> bool:
    """Whether the unsigned heads are the same as when the first entry of a part was written."""
    return bool(_details_of(entry).get("unsigned") == unsigned.digest)


def _details_of(entry: AuditEntry) -> dict[str, Any]:
    try:
        details = json.loads(entry.details)
    except (ValueError, TypeError):
        return {}
    return details if isinstance(details, dict) else {}
