"""Wraps data keys again under the current master key: of blobs, of sealed values, of partials and of audit entries.

The data keys, and what they seal, stay as they are. A value that does not open stays, too: nobody can read it, so
nothing needs its key. Each step can be repeated after an interruption at any point.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import ColumnElement, Row, Table, bindparam, func, or_, select, true, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from sieve.channel.errors import MalformedOpening
from sieve.gateway.inbound.partials import Kept
from sieve.store import sealed_value, sealing_context
from sieve.store.blob_ref import BlobRef, wrap_aad
from sieve.store.database import Database
from sieve.store.errors import BlobDamaged, MasterKeyError
from sieve.store.master_keys import SIV, MasterKeys
from sieve.store.models import AuditEntry, Base, Blob, Partial
from sieve.store.queries import audit
from sieve.store.queries.sealed_columns import COLUMNS, SealedColumn, is_stale

AT_ONCE: Final = 500
"""Rows in one transaction."""

Values: TypeAlias = dict[str, Any]
"""New values of a row's columns; empty if it is wrapped by the current key already."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rows with wrapped keys. `reads`: the columns that `again` needs; `key` are the first of them.
    `is_stale`: may be true for rows that need nothing.
    """

    name: str
    key: tuple[InstrumentedAttribute[Any], ...]
    reads: tuple[InstrumentedAttribute[Any], ...]
    is_stale: ColumnElement[bool]
    again: Callable[[Row[Any]], Values]

    @property
    def table(self) -> type[Base]:
        """The table of the rows."""
        found: Any = self.key[0].class_
        return cast(type[Base], found)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """How many rows were wrapped again (or would be), and how many do not open."""

    rows: int = 0
    damaged: int = 0

    def __add__(self, other: "Wrapped") -> "Wrapped":
        return Wrapped(self.rows + other.rows, self.damaged + other.damaged)


def kinds(keys: MasterKeys) -> Iterator[Kind]:
    """All kinds but the audit log, which is `audit_entries`."""
    blob_columns = (Blob.id, Blob.kind, Blob.owner, Blob.purpose, Blob.size, Blob.key_id, Blob.wrapped_key)
    stale = Blob.key_id.is_not(None) & ((Blob.key_id != keys.current) | (func.substr(Blob.wrapped_key, 1, 12) != SIV))
    yield Kind("files", (Blob.id,), blob_columns, stale, partial(_blob, keys))
    for column in COLUMNS:
        name = f"{column.value.class_.__tablename__}.{column.value.key}"
        again = partial(_value, keys, column)
        yield Kind(name, column.key, (*column.key, column.value), is_stale(column.value, keys.current), again)
    partial_key = (Partial.peer_id, Partial.transfer_id)
    # The keys of their blobs are inside of the sealed value.
    yield Kind("partials", partial_key, (*partial_key, Partial.kept), true(), partial(_partial, keys))


def audit_entries(keys: MasterKeys) -> Kind:
    """The sealed values of audit entries. `AuditHeads.change_master_key` must record their change."""
    stale = or_(is_stale(AuditEntry.reason, keys.current), is_stale(AuditEntry.sealed_details, keys.current))
    linked = (AuditEntry.linked_sealed_details, AuditEntry.linked_reason)
    reads = (AuditEntry.id, AuditEntry.sealed_details, AuditEntry.reason, *linked)
    return Kind("audit entries", (AuditEntry.id,), reads, stale, partial(_entry, keys))


async def wrap_all(database: Database, kind: Kind, *, reached: Callable[[str], None]) -> Wrapped:
    """Wraps the rows of a kind again, some in each transaction."""
    async with database.browse() as session:
        stale = await _stale(session, kind)
    done = Wrapped()
    for start in range(0, len(stale), AT_ONCE):
        async with database.write() as session:
            done += await wrap_some(session, kind, stale[start : start + AT_ONCE])
            reached(f"{kind.name}: before a commit")
        reached(f"{kind.name}: after a commit")
    return done


async def wrap_in(session: AsyncSession, kind: Kind) -> Wrapped:
    """Wraps the rows of a kind again in this transaction."""
    done, stale = Wrapped(), await _stale(session, kind)
    for start in range(0, len(stale), AT_ONCE):
        done += await wrap_some(session, kind, stale[start : start + AT_ONCE])
    return done


async def needing(database: Database, kind: Kind) -> Wrapped:
    """What `wrap_all` would do, without doing it."""
    found = Wrapped()
    async with database.browse() as session:
        stale = await _stale(session, kind)
        for start in range(0, len(stale), AT_ONCE):
            found += (await _again(session, kind, stale[start : start + AT_ONCE]))[1]
    return found


async def wrap_some(session: AsyncSession, kind: Kind, which: Sequence[Row[Any]]) -> Wrapped:
    """Wraps the rows with these primary keys again."""
    changes, found = await _again(session, kind, which)
    # One statement for all rows with the same columns.
    for columns in {tuple(values) for _, values in changes}:
        statement = (
            update(cast(Table, kind.table.__table__))
            .where(*(column == bindparam(f"key_{column.key}") for column in kind.key))
            .values({name: bindparam(f"new_{name}") for name in columns})
        )
        rows = [
            {f"key_{column.key}": row[at] for at, column in enumerate(kind.key)}
            | {f"new_{name}": value for name, value in values.items()}
            for row, values in changes
            if tuple(values) == columns
        ]
        await session.execute(statement, rows)
    return found


async def _stale(session: AsyncSession, kind: Kind) -> Sequence[Row[Any]]:
    return (await session.execute(select(*kind.key).where(kind.is_stale).order_by(*kind.key))).all()


async def _again(
    session: AsyncSession, kind: Kind, which: Sequence[Row[Any]]
) -> tuple[list[tuple[Row[Any], Values]], Wrapped]:
    rows = (
        await session.execute(select(*kind.reads).where(tuple_(*kind.key).in_([tuple(key) for key in which])))
    ).all()
    changes, damaged = [], 0
    for row in rows:
        try:
            values = kind.again(row)
        except (BlobDamaged, MasterKeyError):
            damaged += 1
            continue
        if values:
            changes.append((row, values))
    return changes, Wrapped(len(changes), damaged)


def _blob(keys: MasterKeys, row: Row[Any]) -> Values:
    if row.wrapped_key is None or keys.is_current(row.key_id, row.wrapped_key):
        return {}
    aad = wrap_aad(row.kind, row.id, row.owner, row.purpose, row.size)
    key_id, wrapped = keys.rewrap(row.key_id, row.wrapped_key, aad)
    return {"key_id": key_id, "wrapped_key": wrapped}


def _value(keys: MasterKeys, column: SealedColumn, row: Row[Any]) -> Values:
    again = sealed_value.rewrap(keys, row[-1], column.place(*row[:-1]))
    return {} if again is None else {column.value.key: again}


def _partial(keys: MasterKeys, row: Row[Any]) -> Values:
    place = sealing_context.partial(row.peer_id, row.transfer_id)
    try:
        kept = Kept.from_json(json.loads(sealed_value.unseal(keys, row.kept, place)))
    except (MalformedOpening, KeyError, TypeError, ValueError) as error:
        raise BlobDamaged("what is kept of a broken transfer cannot be read") from error
    again = replace(
        kept,
        plain=_ref(keys, kept.plain) or kept.plain,
        sealed=_ref(keys, kept.sealed),
        redacted=_ref(keys, kept.redacted),
        marks=_ref(keys, kept.marks),
    )
    if again == kept and sealed_value.rewrap(keys, row.kept, place) is None:
        return {}
    return {"kept": sealed_value.seal(keys, json.dumps(again.to_json()).encode(), place)}


def _ref(keys: MasterKeys, ref: BlobRef | None) -> BlobRef | None:
    if ref is None or ref.key_id is None or ref.wrapped_key is None or keys.is_current(ref.key_id, ref.wrapped_key):
        return ref
    aad = wrap_aad(ref.kind, ref.id, ref.owner, ref.purpose, ref.size)
    key_id, wrapped = keys.rewrap(ref.key_id, ref.wrapped_key, aad)
    return replace(ref, key_id=key_id, wrapped_key=wrapped)


def _entry(keys: MasterKeys, row: Row[Any]) -> Values:
    places = {
        "sealed_details": sealing_context.audit_details(row.id),
        "reason": sealing_context.audit_reason(row.id),
    }
    values: Values = {}
    for name, place in places.items():
        value = getattr(row, name)
        if value is None:
            continue
        if type(value) is not bytes:  # SQLite stores values of any type
            raise BlobDamaged("a sealed value is bytes")
        again = sealed_value.rewrap(keys, value, place)
        if again is not None:
            linked = f"linked_{name}"
            values |= {name: again, linked: getattr(row, linked) or audit.digest_of(value)}
    return values
