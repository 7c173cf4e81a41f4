"""The audit log: who did what, for those who answer for this gateway.

The law: an entry is written in the transaction that does what it tells of, so that neither is there without the other.
In clear it holds logins, names, counts and rule ids. A reason is somebody's own words about a document: it is sealed at
rest, and opened for admins who read the log.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.marks import now_ns
from sieve.store import sealed_value
from sieve.store.keys import MasterKeys
from sieve.store.marking_models import AuditEntry
from sieve.store.models import new_id
from sieve.store.queries import audit as queries

Action: TypeAlias = Literal[
    "policy-created",
    "policy-changed",
    "policy-deleted",
    "findings-confirmed",
    "labels-lowered",
    "person-added",
    "person-changed",
    "token-given",
    "link-given",
    "peer-invited",
    "peer-confirmed",
    "peer-renewed",
    "peer-key-retired",
    "peer-removed",
]

Witness: TypeAlias = Callable[[AsyncSession], Awaitable[None]]
"""What else is written in a transaction: that it happened."""

MAX_REASON: Final = 1_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes entries, and opens their reasons."""

    keys: MasterKeys

    async def note(
        self,
        session: AsyncSession,
        actor: str,
        action: Action,
        subject: str,
        details: Mapping[str, Any] | None = None,
        *,
        reason: str | None = None,
    ) -> None:
        """`actor` did `action` to `subject`: part of the transaction that does it. `details`: what may be in clear."""
        entry_id = new_id()
        sealed = None if reason is None else sealed_value.seal(self.keys, reason.encode(), _place(entry_id))
        await queries.add(
            session,
            entry_id=entry_id,
            actor=actor,
            action=action,
            subject=subject,
            details=json.dumps(details or {}, ensure_ascii=False),
            reason=sealed,
            now_ns=now_ns(),
        )

    def witness(self, actor: str, action: Action, subject: str, details: Mapping[str, Any] | None = None) -> Witness:
        """The same for somebody else's transaction."""

        async def witness(session: AsyncSession) -> None:
            await self.note(session, actor, action, subject, details)

        return witness

    def reason_of(self, entry: AuditEntry) -> str | None:
        """The reason that was given, if one was.

        Raises:
            BlobDamaged, MasterKeyError: it does not open.
        """
        if entry.reason is None:
            return None
        return sealed_value.unseal(self.keys, entry.reason, _place(entry.id)).decode()


async def nobody(session: AsyncSession) -> None:
    """The witness of what no entry tells of."""


def _place(entry_id: str) -> str:
    return f"audit/{entry_id}"
