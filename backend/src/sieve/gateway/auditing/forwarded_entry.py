"""An audit entry as it leaves the gateway: a line of JSON, which is also the text of a syslog message (RFC 5424).

Invariant: without `reasons`, nothing leaves that is sealed at rest: no reason, which describes a document, and no
banner. What is stored in clear names people, gateways, policies and ids, and counts; never a document.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sieve.gateway.auditing.audit_log import Audit
from sieve.store.errors import StoreError
from sieve.store.models import AuditEntry

FACILITY: Final = 13
"""Log audit."""
WARNING, INFORMATIONAL = 4, 6
_WARNS: Final = frozenset({"sign-in-failed", "second-factor-failed", "audit-continued"})
STRUCTURED_ID: Final = "sieve@32473"
"""32473 is the enterprise number that RFC 5612 sets aside for those who have none."""
MAX_MESSAGE: Final = 8192
"""Bytes of a message that each receiver should take (RFC 5425)."""
_MAX_NAME: Final = 200
"""Characters of an actor or a subject."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ForwardedEntry:
    """`text`: one line of JSON, in ASCII."""

    number: int
    link: str
    at: str
    action: str
    text: str

    @classmethod
    def of(cls, audit: Audit, row: AuditEntry, gateway: str, *, reasons: bool) -> "ForwardedEntry":
        """The entry; a damaged one, too, because it must not hold up the others."""
        # Converted: SQLite stores values of any type.
        link = row.link.hex() if type(row.link) is bytes else ""
        at = _time(row.at_ns if isinstance(row.at_ns, int) else 0)
        shown: dict[str, Any] = {
            "number": row.number,
            "at": at,
            "gateway": gateway,
            "actor": str(row.actor)[:_MAX_NAME],
            "action": str(row.action)[:_MAX_NAME],
            "subject": str(row.subject)[:_MAX_NAME],
            "details": None,
            "link": link,
        }
        whole = shown | _details(audit, row, reasons=reasons)
        text = json.dumps(whole)
        if len(text) > MAX_MESSAGE - 256:
            text = json.dumps(shown | {"cut": True})
        return cls(row.number, link, at, str(row.action), text)

    def syslog(self, gateway: str) -> bytes:
        """The entry as a syslog message."""
        priority = FACILITY * 8 + (WARNING if self.action in _WARNS else INFORMATIONAL)
        name = re.sub(r"[^!-~]", "?", self.action)[:32] or "-"
        structured = f'[{STRUCTURED_ID} number="{self.number}" link="{self.link}"]'
        return f"<{priority}>1 {self.at} {gateway} sieve - {name} {structured} {self.text}".encode("ascii")


def framed(message: bytes) -> bytes:
    """A syslog message as TLS carries it: its length, a space and itself (RFC 5425)."""
    return b"%d %b" % (len(message), message)


def _details(audit: Audit, row: AuditEntry, *, reasons: bool) -> dict[str, Any]:
    try:
        if not reasons:
            return {"details": json.loads(row.details)}
        return {"details": audit.details_of(row), "reason": audit.reason_of(row)}
    except (StoreError, TypeError, ValueError):  # without its text, which may quote the value
        return {"unreadable": True}


def _time(at_ns: int) -> str:
    try:
        at = _EPOCH + timedelta(microseconds=at_ns // 1000)
    except OverflowError:
        at = _EPOCH
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06}Z"
