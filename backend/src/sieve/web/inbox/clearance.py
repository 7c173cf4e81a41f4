"""Who may read what is classified in a received document: cleared recipients, unless it arrived before they were
cleared, or before somebody got a new way into their account, and no second admin agreed (docs/adr/0037).
"""

from typing import Literal, TypeAlias

from sieve.gateway.errors import NotAllowed
from sieve.store.models import InboxEntry, User

Withheld: TypeAlias = Literal["not-cleared", "cleared-later", "reset"]


def may_read_classified(reader: User, entry: InboxEntry) -> bool:
    """Whether `reader`, whose entry it is, may read what is classified in it."""
    return withheld(reader, entry) is None


def withheld(reader: User, entry: InboxEntry) -> Withheld | None:
    """Why what is classified is withheld from `reader`; None if it is not."""
    if not reader.cleared:
        return "not-cleared"
    if entry.locked:
        return "reset"
    return "cleared-later" if entry.before_clearance else None


def require_classified(reader: User, entry: InboxEntry, what: str) -> None:
    """Raises NotAllowed if `reader` may not read what is classified in this entry. `what`: what they asked for."""
    match withheld(reader, entry):
        case "not-cleared":
            raise NotAllowed(f"{what} is for cleared recipients; ask for edition=redacted")
        case "cleared-later":
            raise NotAllowed(
                f"you were cleared after this arrived, so {what} waits until a second admin agrees; "
                "ask for edition=redacted"
            )
        case "reset":
            raise NotAllowed(
                f"this arrived before your account was reset, so {what} waits until a second admin agrees; "
                "ask for edition=redacted"
            )
