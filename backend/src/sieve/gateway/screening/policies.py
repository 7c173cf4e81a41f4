"""The gateway's policies: admins maintain them, authors mark with them, and the leak check uses those that guard.

Invariant: each stored policy can be applied. A policy is stored only if all of it is valid, and a stored version never
changes. The gateway counts versions and ignores the version in a source. Sources are sealed at rest, since a list of
code names is itself secret.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn, cast

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, GatewayError, NotFound, SavedMeanwhile
from sieve.gateway.reading.service import PolicySource
from sieve.marking.errors import PolicyError
from sieve.marking.policy import Policy, Understood, read_json, read_toml, understand
from sieve.store import sealed_value, sealing_context
from sieve.store.database import Database
from sieve.store.master_keys import MasterKeys
from sieve.store.models import PolicyVersion
from sieve.store.models.marking import PolicyLanguage
from sieve.store.queries import policies as queries

MAX_SOURCE_BYTES: Final = 2 * 1024 * 1024
"""Some 150,000 keywords, which take a second to build: in a thread, but parts of that block all others."""
MAX_POLICIES: Final = 1_000
READY: Final = 32
"""Policies that are kept built besides those that guard: building a list of 10,000 terms takes a tenth of a second."""


class PolicyUnusable(GatewayError):
    """A policy cannot be used. `problems`: all its faults, each with its rule."""

    def __init__(self, problems: Sequence[PolicyError]) -> None:
        more = f"; and {len(problems) - 1} more" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A policy as a person wrote it."""

    language: PolicyLanguage
    text: str

    def table(self) -> dict[str, Any]:
        """The table that it writes.

        Raises:
            PolicyError: it is not well-formed.
        """
        return read_toml(self.text) if self.language == "toml" else read_json(self.text)


@dataclass(frozen=True, slots=True, repr=False)
class KeptPolicy:
    """A stored version. `latest`: the number of the latest one; `deleted`: whether the policy is deleted."""

    row: PolicyVersion
    source: Source
    latest: int
    deleted: bool

    def table(self) -> dict[str, Any]:
        """Its table, with the defaults of the time when the version was made."""
        return _as_meant(self.row, self.source.table())


class ReadyPolicy(NamedTuple):
    """A policy to apply in this process, and its source for reading processes."""

    policy: Policy
    source: PolicySource

    @property
    def id(self) -> str:
        """Its name and version."""
        return f"{self.policy.name}/{self.policy.version}"


@dataclass(slots=True)
class Policies:
    """All policies. The caller checks permissions."""

    database: Database
    keys: MasterKeys
    audit: Audit
    _ready: OrderedDict[tuple[str, int], ReadyPolicy] = field(default_factory=OrderedDict)
    _guards: dict[tuple[str, int], ReadyPolicy] = field(default_factory=dict)

    async def listed(self) -> Sequence[PolicyVersion]:
        """The latest version of each, by name."""
        async with self.database.read() as session:
            return await queries.listed(session)

    async def one(self, name: str, version: int | None = None) -> KeptPolicy:
        """A policy at its latest version; at `version`, also if it is deleted.

        Raises:
            NotFound: there is no policy of that name, or no such version.
        """
        async with self.database.read() as session:
            policy = await queries.by_name(session, name)
            if policy is None or (version is None and policy.deleted_at_ns is not None):
                raise _none_such()
            row = await queries.version_of(session, name, version or policy.version)
        if row is None:
            raise NotFound(f"this policy has versions 1 to {policy.version}")
        return KeptPolicy(row, self._source(row), policy.version, policy.deleted_at_ns is not None)

    async def create(self, actor: str, source: Source) -> KeptPolicy:
        """Stores a new policy; if one of the same name was deleted, as its next version.

        Raises:
            PolicyUnusable: it cannot be used.
            Conflict: there is a policy of that name, or there are too many.
        """
        policy = await self._understood(source)
        async with self.database.write() as session:
            if len(await queries.listed(session)) >= MAX_POLICIES:
                raise Conflict(f"there are {MAX_POLICIES:,} policies already; delete one first")
            version = await queries.take_name(session, policy.name)
            if version is None:
                raise Conflict(f"there is a policy named {policy.name} already; change that, or choose another name")
            row = self._add(session, actor, policy, version, source)
            await self.audit.note(session, actor, "policy-created", policy.name, _details(row))
        return KeptPolicy(row, source, version, deleted=False)

    async def change(self, actor: str, name: str, version: int, source: Source) -> KeptPolicy:
        """Stores the next version of a policy. `version`: the one that it changes.

        Raises:
            PolicyUnusable: it cannot be used, or has another name.
            NotFound: there is no policy of that name.
            SavedMeanwhile: it is at another version.
        """
        before = await self.one(name)
        if before.latest != version:
            raise _changed_meanwhile(before.latest)
        source = await asyncio.to_thread(_with_guard, source, before.row.guard)
        policy = await self._understood(source)
        if policy.name != name:
            raise PolicyUnusable([PolicyError("its name differs from the name of the policy that it changes")])
        async with self.database.write() as session:
            if not await queries.advance(session, name, version):
                await _refuse(session, name)
            row = self._add(session, actor, policy, version + 1, source)
            await self.audit.note(session, actor, "policy-changed", name, _details(row))
        return KeptPolicy(row, source, version + 1, deleted=False)

    async def delete(self, actor: str, name: str, version: int | None = None) -> None:
        """Deletes a policy; its versions stay readable. `version`: the version that it must have, if given.

        Raises:
            NotFound: there is no policy of that name.
            SavedMeanwhile: it is at another version.
        """
        async with self.database.write() as session:
            row = await queries.by_name(session, name)
            if row is None or not await queries.delete(session, name, now_ns()):
                raise _none_such()
            if version is not None and row.version != version:
                raise _changed_meanwhile(row.version)
            await self.audit.note(session, actor, "policy-deleted", name, {"version": row.version})

    async def problems(self, source: Source) -> Sequence[PolicyError]:
        """All faults of a policy, which is not stored."""
        try:
            await self._understood(source)
        except PolicyUnusable as error:
            return error.problems
        return ()

    async def ready(self, name: str, version: int | None = None) -> ReadyPolicy:
        """A policy to apply; its latest version, or `version`.

        Raises:
            NotFound: as `one` does.
        """
        kept = await self.one(name, version)
        return await self._built(kept.row)

    async def guards(self) -> Sequence[ReadyPolicy]:
        """The policies of the leak check, by name."""
        async with self.database.read() as session:
            rows = await queries.listed(session, guard=True)
        # Each transfer needs all of them, so they are kept in addition to the limited cache.
        self._guards = guards = {(row.name, row.version): await self._built(row) for row in rows}
        return [*guards.values()]

    async def _built(self, row: PolicyVersion) -> ReadyPolicy:
        def work() -> ReadyPolicy:
            table = _as_meant(row, self._source(row).table())
            policy = _whole(understand(table, version=row.version))
            return ReadyPolicy(policy, PolicySource(table, row.version))

        key = row.name, row.version
        policy = self._ready.get(key) or self._guards.get(key)
        if policy is None:
            policy = await asyncio.to_thread(work)
        self._ready[key] = policy
        self._ready.move_to_end(key)
        while len(self._ready) > READY:
            self._ready.popitem(last=False)
        return policy

    async def unsaved(self, source: Source) -> ReadyPolicy:
        """A policy to try. It is not stored.

        Raises:
            PolicyUnusable: it cannot be used.
        """

        def work() -> ReadyPolicy:
            try:
                table = source.table()
                found = understand(table)
            except PolicyError as error:
                raise PolicyUnusable([error]) from None
            return ReadyPolicy(_whole(found), PolicySource(table))

        return await asyncio.to_thread(work)

    async def _understood(self, source: Source) -> Policy:
        """Raises PolicyUnusable."""
        return (await self.unsaved(source)).policy

    def _source(self, row: PolicyVersion) -> Source:
        text = sealed_value.unseal(self.keys, row.source, sealing_context.policy(row.name, row.version)).decode()
        return Source(cast(PolicyLanguage, row.written_in), text)

    def _add(self, session: AsyncSession, actor: str, policy: Policy, version: int, source: Source) -> PolicyVersion:
        row = PolicyVersion(
            name=policy.name,
            version=version,
            title=policy.title,
            rules=len(policy.rules),
            guard=policy.guard,
            written_in=source.language,
            source=sealed_value.seal(self.keys, source.text.encode(), sealing_context.policy(policy.name, version)),
            changed_at_ns=now_ns(),
            changed_by=actor,
            whole_words=True,
        )
        session.add(row)
        return row


def _as_meant(row: PolicyVersion, table: dict[str, Any]) -> dict[str, Any]:
    """The table, with defaults that have changed since the version was made written out."""
    if row.whole_words:
        return table
    rules = [{"whole_word": False, **rule} if rule["kind"] == "regex" else rule for rule in table["rules"]]
    return {**table, "rules": rules}


def _whole(found: Understood) -> Policy:
    if found.policy is None:
        raise PolicyUnusable(found.problems)
    return found.policy


def _with_guard(source: Source, guard: bool) -> Source:
    """JSON without the field `guard` keeps its value: a program that does not know the field turns no guard off."""
    if source.language == "toml" or not guard:
        return source
    try:
        table = source.table()
    except PolicyError as error:
        raise PolicyUnusable([error]) from None
    return source if "guard" in table else Source("json", json.dumps({**table, "guard": True}, ensure_ascii=False))


async def _refuse(session: AsyncSession, name: str) -> NoReturn:
    row = await queries.by_name(session, name)
    if row is None or row.deleted_at_ns is not None:
        raise _none_such()
    raise _changed_meanwhile(row.version)


def _details(row: PolicyVersion) -> Mapping[str, Any]:
    return {"version": row.version, "rules": row.rules, "guard": row.guard}


def _none_such() -> NotFound:
    return NotFound("there is no policy of that name; ask for the list of policies")


def _changed_meanwhile(version: int) -> SavedMeanwhile:
    return SavedMeanwhile(version, policy=True)
