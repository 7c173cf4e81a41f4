"""The tables, by subject.

A row says who, what, when and in which state, and never contains a byte, a position or a key of what is classified.
Ids are uuid4 in hexadecimal unless stated otherwise. Times are nanoseconds since the epoch. Relations are not loaded
implicitly: a query names what it loads, and a forgotten relation raises an error (`lazy="raise"`).
"""

from sieve.store.models.base import Base, new_id
from sieve.store.models.blobs import Blob, BlobFolder, MasterKey
from sieve.store.models.clock import ClockNote
from sieve.store.models.documents import Document, Draft, Origin
from sieve.store.models.factors import AuthenticatorApp, Passkey, RecoveryCode, UnfinishedSignIn
from sieve.store.models.inbox import InboxEntry, Partial, ReadReceipt, Received
from sieve.store.models.marking import AuditEntry, AuditHead, AuditPosition, DraftLabels, Policy, PolicyVersion
from sieve.store.models.notifications import Notification, Webhook
from sieve.store.models.peers import Breaker, Peer, PeerContact, PeerCosts, PeerDirectory, PeerPin, PeerState
from sieve.store.models.people import (
    ALL_SCOPES,
    Approval,
    ApprovalKind,
    OneTimeLink,
    Session,
    SignInFailures,
    Token,
    UsedOnce,
    User,
)
from sieve.store.models.schema import SchemaNote
from sieve.store.models.tags import Tag
from sieve.store.models.timings import TimingAcceptedHour, TimingAcceptedMinute, TimingGroup, TimingRecord, TimingRollup
from sieve.store.models.transfers import (
    OPEN_STATES,
    Attempt,
    AttemptOutcome,
    Mark,
    MarkRole,
    RecipientGroup,
    Transfer,
    TransferRecipient,
    TransferState,
)

__all__ = [
    "ALL_SCOPES",
    "OPEN_STATES",
    "Approval",
    "ApprovalKind",
    "Attempt",
    "AttemptOutcome",
    "AuditEntry",
    "AuditHead",
    "AuditPosition",
    "AuthenticatorApp",
    "Base",
    "Blob",
    "BlobFolder",
    "Breaker",
    "ClockNote",
    "Document",
    "Draft",
    "DraftLabels",
    "InboxEntry",
    "Mark",
    "MarkRole",
    "MasterKey",
    "Notification",
    "OneTimeLink",
    "Origin",
    "Partial",
    "Passkey",
    "Peer",
    "PeerContact",
    "PeerCosts",
    "PeerDirectory",
    "PeerPin",
    "PeerState",
    "Policy",
    "PolicyVersion",
    "ReadReceipt",
    "Received",
    "RecipientGroup",
    "RecoveryCode",
    "SchemaNote",
    "Session",
    "SignInFailures",
    "Tag",
    "TimingAcceptedHour",
    "TimingAcceptedMinute",
    "TimingGroup",
    "TimingRecord",
    "TimingRollup",
    "Token",
    "Transfer",
    "TransferRecipient",
    "TransferState",
    "UnfinishedSignIn",
    "UsedOnce",
    "User",
    "Webhook",
    "new_id",
]
