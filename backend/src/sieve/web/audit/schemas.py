"""The audit log, as the API shows it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from sieve.gateway.auditing.audit_log import Action, Audit
from sieve.store.errors import StoreError
from sieve.store.models import AuditEntry
from sieve.web.times import shown

T = TypeVar("T")

Kind: TypeAlias = Literal["sign-ins", "reads", "sending", "marking", "people", "peers", "log"]
"""What an entry is about."""

ACTIONS: Final[dict[Kind, tuple[Action, ...]]] = {
    "sign-ins": (
        "signed-in",
        "sign-in-failed",
        "sessions-ended",
        "session-ended",
        "signed-out",
        "password-set",
        "sso-linked",
        "token-made",
        "second-factor-failed",
        "recovery-code-used",
        "factor-added",
        "factor-removed",
        "recovery-codes-made",
    ),
    "reads": ("document-read", "document-forwarded", "own-document-read"),
    "sending": ("findings-confirmed",),
    "marking": ("labels-lowered", "policy-created", "policy-changed", "policy-deleted"),
    "people": (
        "person-added",
        "person-changed",
        "token-given",
        "token-revoked",
        "link-given",
        "approval-asked",
        "approval-given",
        "approval-refused",
        "approval-withdrawn",
        "factors-taken-away",
        "webhook-added",
        "webhook-removed",
    ),
    "peers": ("peer-invited", "peer-confirmed", "peer-renewed", "peer-key-retired", "peer-removed"),
    "log": ("audit-continued", "audit-exported", "master-key-changed", "master-key-retired"),
}
"""Each action once."""


class AuditEntryShown(BaseModel):
    """`actor`: a login; empty for somebody unknown. `subject`: the name or id of the thing acted on. `reason`: as the
    actor wrote it.
    """

    id: str
    at: datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    reason: str | None

    @classmethod
    def of(cls, audit: Audit, row: AuditEntry) -> "AuditEntryShown":
        """The entry with its sealed parts opened."""
        return cls(
            id=row.id,
            # Converted: SQLite stores values of any type, and one damaged row must not hide the others.
            at=shown(int(row.at_ns) if isinstance(row.at_ns, int | float) else 0),
            actor=str(row.actor),
            action=str(row.action),
            subject=str(row.subject),
            details=_opened(audit.details_of, row, lambda complaint: {"sealed": complaint}),
            reason=_opened(audit.reason_of, row, lambda complaint: complaint),
        )


def _opened(opened: Callable[[AuditEntry], T], row: AuditEntry, instead: Callable[[str], T]) -> T:
    """A sealed part of an entry. One that cannot be opened must not hide the others."""
    try:
        return opened(row)
    except StoreError as error:
        return instead(f"(this cannot be opened: {error})")
    except (TypeError, ValueError):  # without its text, which may quote the value
        return instead("(this cannot be opened: it is not as it was written; see sieve audit verify)")
