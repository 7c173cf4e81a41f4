"""The columns that hold sealed values: all that a change of the master key must wrap again, besides `Blob`, `Partial`
and the audit log, whose chain is made of its values.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import InstrumentedAttribute

from sieve.store import sealing_context
from sieve.store.dialect import text_of
from sieve.store.master_keys import SIV
from sieve.store.models import AuthenticatorApp, DraftLabels, PolicyVersion, Received, Transfer, Webhook
from sieve.store.sealed_value import ID_SIZE


class SealedColumn(NamedTuple):
    """`value`: the column. `place`: where the value of the row with this primary key belongs."""

    value: InstrumentedAttribute[Any]
    key: tuple[InstrumentedAttribute[Any], ...]
    place: Callable[..., str]


COLUMNS: Final = (
    SealedColumn(PolicyVersion.source, (PolicyVersion.name, PolicyVersion.version), sealing_context.policy),
    SealedColumn(DraftLabels.sealed, (DraftLabels.draft_id,), sealing_context.labels),
    SealedColumn(Webhook.secret, (Webhook.id,), sealing_context.webhook),
    SealedColumn(AuthenticatorApp.secret, (AuthenticatorApp.user_id,), sealing_context.authenticator_app),
    SealedColumn(Transfer.cover, (Transfer.id,), sealing_context.sent_cover),
    SealedColumn(Received.cover, (Received.peer_id, Received.transfer_id), sealing_context.received_cover),
)


def key_of(value: InstrumentedAttribute[Any]) -> ColumnElement[str]:
    """The id of the master key that a sealed value names."""
    return text_of(func.substr(value, 1, ID_SIZE))


def is_stale(value: InstrumentedAttribute[Any], current: str) -> ColumnElement[bool]:
    """Whether a sealed value is wrapped by another key than `current`, or in an earlier way."""
    return value.is_not(None) & ((key_of(value) != current) | (func.substr(value, ID_SIZE + 1, len(SIV)) != SIV))
