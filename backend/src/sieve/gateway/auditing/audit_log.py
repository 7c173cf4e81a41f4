"""The audit log: who did what.

Invariant: an entry is written in the transaction of the action that it records, so neither exists without the other.
Logins, names, counts and rule ids are stored in clear. Reasons, which describe a document, and banners are sealed at
rest, and opened for admins who read the log. Entries form a chain: see `chain_heads`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.store import sealed_value, sealing_context
from sieve.store.master_keys import MasterKeys
from sieve.store.models import AuditEntry, new_id
from sieve.store.queries import audit as queries

Action: TypeAlias = Literal[
    "policy-created",
    "policy-changed",
    "policy-deleted",
    "findings-confirmed",
    "labels-lowered",
    "signed-in",
    "sign-in-failed",
    "second-factor-failed",
    "recovery-code-used",
    "factor-added",
    "factor-removed",
    "recovery-codes-made",
    "factors-taken-away",
    "document-forwarded",
    "document-read",
    "own-document-read",
    "person-added",
    "person-changed",
    "token-given",
    "token-made",
    "token-revoked",
    "approval-asked",
    "approval-given",
    "approval-refused",
    "approval-withdrawn",
    "password-set",
    "sso-linked",
    "sessions-ended",
    "session-ended",
    "signed-out",
    "link-given",
    "webhook-added",
    "webhook-removed",
    "peer-invited",
    "peer-confirmed",
    "peer-renewed",
    "peer-key-retired",
    "peer-removed",
    "audit-continued",
    "audit-exported",
    "master-key-changed",
    "master-key-retired",
]

Note: TypeAlias = tuple[Action, str, Mapping[str, Any]]
"""Action, subject and details of an entry."""

MAX_REASON: Final = 1_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Writes entries, and opens their sealed parts."""

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
        sealed_details: Mapping[str, Any] | None = None,
        after: int = 0,
    ) -> None:
        """Records in the transaction `session` that `actor` did `action` to `subject`. `details`: stored in clear.
        `after`: the entry's number must be higher.
        """
        entry_id = new_id()
        text = None if sealed_details is None else json.dumps(sealed_details, ensure_ascii=False)
        await queries.add(
            session,
            entry_id=entry_id,
            actor=actor,
            action=action,
            subject=subject,
            details=json.dumps(details or {}, ensure_ascii=False),
            reason=self._sealed(reason, sealing_context.audit_reason(entry_id)),
            sealed_details=self._sealed(text, sealing_context.audit_details(entry_id)),
            now_ns=now_ns(),
            after=after,
        )

    async def note_all(self, session: AsyncSession, actor: str, notes: Iterable[Note]) -> None:
        """Records several actions of `actor` as `note` does, with less work for each."""
        entries = [
            {
                "id": new_id(),
                "at_ns": now_ns(),
                "actor": actor,
                "action": action,
                "subject": subject,
                "details": json.dumps(details, ensure_ascii=False),
                "sealed_details": None,
                "reason": None,
            }
            for action, subject, details in notes
        ]
        await queries.add_all(session, entries)

    def _sealed(self, text: str | None, place: str) -> bytes | None:
        return None if text is None else sealed_value.seal(self.keys, text.encode(), place)

    def reason_of(self, entry: AuditEntry) -> str | None:
        """The reason, if there is one.

        Raises:
            BlobDamaged, MasterKeyError: it does not open.
            ValueError, TypeError: this module did not write it.
        """
        if entry.reason is None:
            return None
        return self._unsealed(entry.reason, sealing_context.audit_reason(entry.id)).decode()

    def details_of(self, entry: AuditEntry) -> dict[str, Any]:
        """All details, including sealed ones.

        Raises:
            BlobDamaged, MasterKeyError: they do not open.
            ValueError, TypeError: this module did not write them.
        """
        clear: dict[str, Any] = json.loads(entry.details)
        if not isinstance(clear, dict):
            raise TypeError("details are an object")
        if entry.sealed_details is None:
            return clear
        sealed: dict[str, Any] = json.loads(
            self._unsealed(entry.sealed_details, sealing_context.audit_details(entry.id))
        )
        return clear | sealed

    def _unsealed(self, sealed: bytes, place: str) -> bytes:
        if type(sealed) is not bytes:  # SQLite stores values of any type
            raise TypeError("a sealed value is bytes")
        return sealed_value.unseal(self.keys, sealed, place)
