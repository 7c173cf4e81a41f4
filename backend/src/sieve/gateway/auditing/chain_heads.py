"""The head of the audit log's chain: signed, sent to others, and later compared with the log.

Invariant: changing or removing an entry breaks the chain, and building another one needs the signing key. Entries that
were cut off at the end show by any head that was recorded elsewhere: in receipts and, every minute with new entries, in
the gateway's log. A head is signed only if the one signed before it is still in the chain: a rewritten chain gets no
signature until an admin has begun a new part of it (`chain_parts`).

    head = "17:8a0c..."       number of the last entry, a colon, its link
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.hash_chain import BEGINNING, HEAD
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_parts import (
    BEGINS,
    CHANGES_KEY,
    REACH,
    Before,
    begins_part,
    details_of_first,
    entries_before_match,
    format_head,
    found_a_head,
    has_digest,
    unsigned_heads_match,
)
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, GatewayError
from sieve.store.database import Database
from sieve.store.errors import DatabaseBusy, DatabaseUnwritable, StorageFull
from sieve.store.models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head, SignedHead

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
MAX_PROBLEMS: Final = 100
"""Problems that are listed: after the loss of a key, each head is one."""
_PURPOSE: Final = b"sieve audit head v1\0"
_PART_PURPOSE: Final = b"sieve audit part v1\0"
"""For the first head of a part, and no other."""
_KEY_PURPOSE: Final = b"sieve audit master key v1\0"
"""For the head of an entry that follows a change of the master key, and no other."""
_PURPOSES: Final = (_PURPOSE, _PART_PURPOSE, _KEY_PURPOSE)


Rewrap: TypeAlias = Callable[[AsyncSession], Awaitable[int]]
"""Wraps the sealed values of entries again in that transaction; returns the number of entries."""


class BadHead(GatewayError):
    """The text is not a head."""


class ChainSeen(NamedTuple):
    """The end of the chain, and its problems. `known`: those from before an admin began the last part."""

    head: Head
    problems: Sequence[str]
    known: Sequence[str]


class _LastSigned(NamedTuple):
    """The last signed head, with the purpose and the index of the key that signed it."""

    head: Head
    purpose: bytes
    key: int
    at_ns: int


class AuditHeads:
    """`key` signs; `earlier`: the keys before it, oldest first. If there is no new head, `key` signs the last one
    again: so only the first start with a new key has to search all heads. `is_signer`: whether this replica signs now;
    the others follow what it signed.
    """

    def __init__(
        self,
        database: Database,
        key: Ed25519PrivateKey,
        earlier: Sequence[Ed25519PublicKey] = (),
        *,
        is_signer: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database, self._key, self._is_signer = database, key, is_signer
        self._keys = (*earlier, key.public_key())
        self._signed: Head | None = None
        self._signed_at_ns = 0
        self._missed: Head | None = None

    @property
    def current(self) -> str | None:
        """The last signed head; None before the first entry."""
        return None if self._signed is None else format_head(self._signed)

    async def run(self) -> None:
        """Signs new heads every minute, or follows the replica that does, until it is cancelled."""
        while True:
            try:
                if self._is_signer():
                    await self.sign()
                else:
                    await self._follow()
            except (DatabaseBusy, DatabaseUnwritable, StorageFull) as error:  # the next round tries again
                log.warning("the head of the audit log cannot be signed just now: %s", error)
            except Exception as error:
                log.error("the head of the audit log was not signed: %s", type(error).__name__, exc_info=error)
            await asyncio.sleep(EVERY_S)

    async def sign(self) -> None:
        """Signs and logs a new head. If the head before it is gone, logs that once instead."""
        found = None
        if self._signed is None or self._database.is_shared:
            found = await self._follow()
        last = self._signed
        async with self._database.read() as session:
            head = await queries.head(session)
            here = await queries.link_at(session, head.number)
            there = None if last is None else await queries.link_at(session, last.number)
        if last is not None and there != last.link:
            if self._missed != last:
                log.error(
                    "the audit log does not have its head %s any more, which was signed: entries were changed, or "
                    "cut off at the end; nothing is signed from now on; see sieve audit verify, and the backups",
                    format_head(last),
                )
            self._missed = last
            return
        # A head whose link is not valid is not signed: it could not be found again.
        if head.number == (0 if last is None else last.number) or here != head.link:
            if found is not None and found.key < len(self._keys) - 1:
                await self._keep(found.head, found.purpose)
            return
        self._signed_at_ns = await self._keep(head, _PURPOSE)
        self._signed = head
        log.info("the head of the audit log is %s", format_head(head))

    async def _follow(self) -> _LastSigned | None:
        """Reads the last signed head. Only the first head of a part that was begun since may have a lower number: who
        removes the newest entries together with their heads must not be followed."""
        found = await self._last_signed()
        if found is not None and (
            self._signed is None
            or found.head.number > self._signed.number
            or (found.purpose == _PART_PURPOSE and found.at_ns > self._signed_at_ns)
        ):
            self._signed, self._signed_at_ns = found.head, found.at_ns
        return found

    async def _keep(self, head: Head, purpose: bytes) -> int:
        """Signs a head and keeps it; returns the time in nanoseconds that was signed with it."""
        at_ns = now_ns()
        async with self._database.write() as session:
            await queries.keep_head(session, head, self._key.sign(_signed(purpose, head, at_ns)), at_ns)
        return at_ns

    async def _last_signed(self) -> _LastSigned | None:
        """The last signed head, by the latest key that signed one."""
        last: _LastSigned | None = None
        later = self._keys

        def look_at(kept: Iterable[SignedHead]) -> None:
            nonlocal last, later
            for one in kept:
                for purpose in _PURPOSES:
                    by = signer_of(later, purpose, one)
                    if by is not None:
                        key = len(self._keys) - len(later) + by
                        last, later = (
                            _LastSigned(Head(one.number, one.link), purpose, key, one.at_ns),
                            self._keys[key + 1 :],
                        )
                if not later:
                    return

        async with self._database.browse() as session:
            async for kept in queries.signed_heads(session, last_first=True):
                await asyncio.to_thread(look_at, kept)
                if not later:
                    break
        return last

    async def verify(self, heads: Sequence[str] = ()) -> ChainSeen:
        """Checks the whole chain. `heads`: recorded elsewhere; the chain must contain them.

        Raises:
            BadHead: one of them is not a head.
        """
        walk = await self._walked([_read(head) for head in heads])
        return ChainSeen(walk.last, _listed(walk.complaints(known=False)), _listed(walk.complaints(known=True)))

    async def begin_part(self, audit: Audit, actor: str, seen: str, reason: str) -> ChainSeen:
        """Begins a new part of a damaged chain, after which heads are signed again. `seen`: the last head that the
        admin saw; sound entries may have been added since.

        Raises:
            BadHead: `seen` is not a head.
            Conflict: the chain is not damaged, does not contain `seen`, or is damaged after it.
        """
        expected = _read(seen)
        walk = await self._walked([expected])
        async with self._database.write() as session:
            async for entry in queries.in_chain(session, after=walk.last.number):
                walk.take(entry)
            problems = walk.complaints(known=False)
            if not problems:
                raise Conflict("the audit log is as it was written; no new part is needed")
            if not walk.is_sound_after(expected):
                raise Conflict(
                    "the audit log is not what it was at that head; run sieve audit verify to see the problems"
                )
            highest = max(walk.last.number, 0 if walk.signed is None else walk.signed.number)
            after = await queries.highest_head(session, up_to=highest + REACH)
            details = details_of_first(walk.last, walk.signed, walk.before, walk.unsigned, len(problems))
            await audit.note(session, actor, BEGINS, "", details, reason=reason, after=after)
            head, at_ns = await queries.head(session), now_ns()
            await queries.keep_head(session, head, self._key.sign(_signed(_PART_PURPOSE, head, at_ns)), at_ns)
        self._signed, self._signed_at_ns, self._missed = head, at_ns, None
        log.warning("a new part of the audit log begins with %s, by %s", format_head(head), actor)
        return await self.verify()

    async def check_sound(self) -> None:
        """Checks the whole chain.

        Raises:
            Conflict: it has a problem that no admin has begun a new part for.
        """
        if (await self._walked(())).complaints(known=False):
            raise Conflict(
                "the audit log is damaged, and the master key must not change its entries: start the gateway, run "
                "sieve audit verify and sieve audit continue, then try again"
            )

    async def change_master_key(self, audit: Audit, actor: str, rewrap: Rewrap, details: dict[str, Any]) -> int:
        """Lets `rewrap` wrap the sealed values of entries again, and records it, in one transaction; returns how
        many entries changed. Their links stay as they are. So the new entry, whose head is signed for this purpose,
        contains a digest of all entries before it as they are now. `details`: others of that entry.

        Raises:
            Conflict: the chain has a problem, which must not get that signature.
        """
        await self.check_sound()
        async with self._database.write() as session:
            changed = await rewrap(session)
            latest = await queries.latest_of(session, CHANGES_KEY)
            if not changed and latest is not None and latest.subject == audit.keys.current:
                return 0
            before = Before()
            async for entry in queries.without_place(session):
                before.take(entry)
            async for entry in queries.in_chain(session):
                before.take(entry)
            subject, digest = audit.keys.current, {"before": before.digest}
            await audit.note(session, actor, CHANGES_KEY, subject, details | digest)
            head, at_ns = await queries.head(session), now_ns()
            await queries.keep_head(session, head, self._key.sign(_signed(_KEY_PURPOSE, head, at_ns)), at_ns)
        return changed

    async def _walked(self, given: Sequence[Head]) -> "_Walk":
        async with self._database.browse() as session:
            walk = _Walk(given, self._keys)
            async for kept in queries.signed_heads(session):
                await asyncio.to_thread(walk.look_at, kept)
            async for entry in queries.without_place(session):
                walk.take_without_place(entry)
            async for entry in queries.in_chain(session):
                walk.take(entry)
        return walk


class _Walk:
    """One check of heads and chain. Problems are kept by the number of the first entry of their part, 0 for the first
    part: those of the parts before the last one are known.
    """

    def __init__(self, given: Sequence[Head], keys: Sequence[Ed25519PublicKey]) -> None:
        self._given, self._keys = given, keys
        self._key = 0
        self._links = dict.fromkeys((one.number for one in given), b"") | {0: BEGINNING}
        self._begun = {0: Head(0, BEGINNING)}
        self._key_changed: dict[int, Head] = {}
        self._last_key = 0
        self._of_heads: dict[int, list[str]] = {0: []}
        self._of_unsigned: dict[int, list[str]] = {0: []}
        self._of_entries: dict[int, list[str]] = {0: []}
        self._part = self._broken_at = 0
        self._knows_unsigned = False
        self.last = Head(0, BEGINNING)
        self.signed: Head | None = None
        self.before, self.unsigned = Before(), Before()

    def look_at(self, kept: Iterable[SignedHead]) -> None:
        """Checks stored heads, in order. Blocking: there may be many."""
        for one in kept:
            head = Head(one.number, one.link)
            begins = self._is_signed(_PART_PURPOSE, one)
            if begins:
                self._begun[head.number] = head
                self._of_heads[head.number], self._of_unsigned[head.number] = [], []
            part = max(self._begun)
            complaints = self._of_heads[part]
            if self._is_signed(_KEY_PURPOSE, one):
                self._key_changed[head.number], self._last_key, self.signed = head, head.number, head
            elif begins or self._is_signed(_PURPOSE, one):
                self.signed = head
            else:
                self.unsigned.take_head(one)
                complaints = self._of_unsigned[part]
                _add(complaints, f"the head {format_head(head)} has no signature of this gateway's key")
            if one.there != one.link:
                _add(complaints, _gone(head))

    def _is_signed(self, purpose: bytes, one: SignedHead) -> bool:
        """Whether a key signed it that is not older than those of the heads before."""
        by = signer_of(self._keys[self._key :], purpose, one)
        self._key += by or 0
        return by is not None

    def take_without_place(self, entry: AuditEntry) -> None:
        """Checks an entry without a number; called after all heads. It counts as before all others."""
        self.before.take(entry)
        _add(self._of_entries[0], "an entry without a number in the chain was put in", 1)

    def take(self, entry: AuditEntry) -> None:
        """Checks the next entry; called after those without a number."""
        begins = begins_part(entry)
        complaint = self._begin(entry) if begins else _complaint(self.last, entry) or self._key_complaint(entry)
        if complaint:
            self._broken_at = entry.number
            # Further problems may only follow from the first one, except those at the beginning of a part.
            _add(self._of_entries[self._part], complaint, MAX_PROBLEMS + 1 if begins else 1)
        self.before.take(entry)
        self.last = Head(entry.number, entry.link if queries.is_link(entry.link) else self.last.link)
        if entry.number in self._links:
            self._links[entry.number] = self.last.link

    def _key_complaint(self, entry: AuditEntry) -> str | None:
        """The problem with an entry that follows a change of the master key, or that such a change has changed."""
        if entry.action == CHANGES_KEY:
            if self._key_changed.get(entry.number) != Head(entry.number, entry.link):
                return f"entry {entry.number} says that the master key was changed, and this gateway changed none there"
            # A later change wraps the same values again, and vouches for them.
            if entry.number == self._last_key and not has_digest(entry, self.before):
                return f"the entries before entry {entry.number} have changed since the master key was changed there"
        if entry.number > self._last_key and any(getattr(entry, name) for name in queries.LINKED_EARLIER):
            return f"the sealed part of entry {entry.number} was replaced"
        return None

    def is_sound_after(self, head: Head) -> bool:
        """Whether the chain contains the head, and the entries after it have no problem."""
        return self._links[head.number] == head.link and self._broken_at <= head.number

    def _begin(self, entry: AuditEntry) -> str | None:
        """Begins a new part; returns the problem if none begins here."""
        if self._begun.get(entry.number) != Head(entry.number, entry.link):
            return f"entry {entry.number} says that a new part begins with it, and this gateway began none there"
        # A change of the master key checked their values and wrapped them again: its entry has their digest now.
        is_sound = found_a_head(entry) if entry.number < self._last_key else entries_before_match(entry, self.before)
        if not is_sound:
            return f"the entries before entry {entry.number} have changed since a new part began there"
        # Only here may numbers be missing.
        complaint = _complaint(Head(entry.number - 1, self.last.link), entry)
        if complaint is None:
            self._part, self._of_entries[entry.number] = entry.number, []
            self._knows_unsigned = unsigned_heads_match(entry, self.unsigned)
        return complaint

    def complaints(self, *, known: bool) -> list[str]:
        """The problems of the last part or, if `known`, of those before it."""

        def is_asked(part: int, known_then: bool = False) -> bool:
            return (part < self._part or known_then) == known

        return [
            *(one for part, some in self._of_entries.items() if is_asked(part) for one in some),
            *(_gone(one) for one in self._given if self._links[one.number] != one.link and is_asked(one.number)),
            *(one for part, some in self._of_heads.items() if is_asked(part) for one in some),
            *(one for part, some in self._of_unsigned.items() if is_asked(part, self._knows_unsigned) for one in some),
        ]


def _add(complaints: list[str], complaint: str, at_most: int = MAX_PROBLEMS + 1) -> None:
    if len(complaints) < at_most:
        complaints.append(complaint)


def signer_of(keys: Sequence[Ed25519PublicKey], purpose: bytes, one: SignedHead) -> int | None:
    """The index of the key that signed the head for this purpose; None if there is none."""
    message = _signed(purpose, Head(one.number, one.link), one.at_ns)
    for number, key in enumerate(keys):
        try:
            key.verify(one.signature, message)
        except InvalidSignature:
            continue
        return number
    return None


def _listed(complaints: Iterable[str]) -> list[str]:
    """Each problem once, because a head may be both given and stored; at most `MAX_PROBLEMS`."""
    problems = [*dict.fromkeys(complaints)]
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [f"there are more problems than these {MAX_PROBLEMS}"]
    return problems


def _gone(head: Head) -> str:
    recorded = f"the head {format_head(head)} was recorded once and is no longer there"
    return f"{recorded}: entries were changed, or cut off at the end"


def _complaint(before: Head, entry: AuditEntry) -> str | None:
    if entry.number != before.number + 1:
        return f"entries {before.number + 1} to {entry.number - 1} are missing"
    try:
        link = queries.link_of(before.link, queries.columns_of(entry))
    except (TypeError, ValueError):  # bytes where a text was written, or the other way round
        link = None
    if entry.link != link:
        return f"entry {entry.number} is not as it was written, or does not follow the one before it"
    return None


def _signed(purpose: bytes, head: Head, at_ns: int) -> bytes:
    return purpose + f"{format_head(head)} {at_ns}".encode()


def _read(head: str) -> Head:
    found = HEAD.fullmatch(head)
    if found is None:
        raise BadHead("a head is a number, a colon and 64 hexadecimal digits, as a receipt has it in audit_head")
    return Head(int(found[1]), bytes.fromhex(found[2]))
