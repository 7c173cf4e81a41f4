"""Which master keys rows need. `master_keys` has each that ever wrapped anything here: a start asks that, for it is as
long as there are keys; only where one of them is missing it looks at what still needs it.
"""

from collections.abc import Collection

from sqlalchemy import CompoundSelect, String, cast, func, select, union
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.factor_models import AuthenticatorApp
from sieve.store.marking_models import AuditEntry, DraftLabels, PolicyVersion
from sieve.store.models import Blob, MasterKey, Received, Transfer
from sieve.store.notification_models import Webhook
from sieve.store.queries import blobs
from sieve.store.sealed_value import ID_SIZE


async def recorded(session: AsyncSession) -> set[str]:
    """The ids of all keys that ever wrapped anything."""
    return set(await session.scalars(select(MasterKey.id)))


async def record(session: AsyncSession, key_id: str) -> None:
    """Notes that this key wraps from now on. Commit before it wraps anything."""
    await session.merge(MasterKey(id=key_id))


async def needed(session: AsyncSession, key_ids: Collection[str]) -> set[str]:
    """Those of `key_ids` without which something that is kept cannot be opened. Reads all rows that are sealed."""
    return set(await session.scalars(naming(key_ids)))


def naming(key_ids: Collection[str]) -> CompoundSelect[str]:
    """Those of `key_ids` that a row needs."""
    values = (
        PolicyVersion.source,
        AuditEntry.reason,
        AuditEntry.sealed_details,
        DraftLabels.sealed,
        Webhook.secret,
        AuthenticatorApp.secret,
        Transfer.cover,
        Received.cover,
    )
    named = [cast(func.substr(value, 1, ID_SIZE), String).label("key_id") for value in values]
    return union(
        select(Blob.key_id).where(Blob.key_id.in_(key_ids), Blob.id.in_(blobs.needed())),
        *(select(key_id).where(key_id.in_(key_ids)) for key_id in named),
    )
