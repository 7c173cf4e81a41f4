"""The head of the audit log's chain: signed, sent to others, and compared with the log later.

Invariant: an entry that is changed or removed breaks the chain, and nobody can build another without the signing key.
Entries cut off at the end show in any head that somebody else has: receipts carry one, and so does the gateway's log,
at least every minute in which there is a new one. A head is signed only while the one that was signed before it is
there: no rewritten chain gets a signature, until an admin has begun a new part of it (`audit_parts`).

    head = "17:8a0c..."       number of the last entry, a colon, its link
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sieve.core.hash_chain import BEGINNING, HEAD
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.chain_parts import (
    BEGINS,
    REACH,
    Before,
    begins_part,
    details_of_first,
    knows,
    stands_after,
    told,
)
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, GatewayError
from sieve.store.database import Database
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head, SignedHead

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
MAX_PROBLEMS: Final = 100
"""That are told, one by one: a key that was lost makes one of each head."""
_PURPOSE: Final = b"sieve audit head v1\0"
_PART_PURPOSE: Final = b"sieve audit part v1\0"
"""Of the first head of a part: no other is signed so."""


class BadHead(GatewayError):
    """What was given is no head."""


class ChainSeen(NamedTuple):
    """Where the chain ends, and what is wrong with it. `known`: what was wrong when an admin began the last part."""

    head: Head
    problems: Sequence[str]
    known: Sequence[str]


class _LastSigned(NamedTuple):
    """The head that was signed last: what for, and by which of the keys."""

    head: Head
    purpose: bytes
    key: int


class AuditHeads:
    """`key` signs; `earlier` did before it, the first one first. While there is nothing new to sign, `key` signs again
    what the last of those signed last: so each start finds its head first, and only that with a new key walks them all.
    """

    def __init__(self, database: Database, key: Ed25519PrivateKey, earlier: Sequence[Ed25519PublicKey] = ()) -> None:
        self._database, self._key = database, key
        self._keys = (*earlier, key.public_key())
        self._signed: Head | None = None
        self._missed: Head | None = None

    @property
    def current(self) -> str | None:
        """The head that was signed last, None before the first entry."""
        return None if self._signed is None else told(self._signed)

    async def run(self) -> None:
        """Signs each minute what is new, until it is cancelled."""
        while True:
            try:
                await self.sign()
            except Exception as error:
                log.error("the head of the audit log was not signed: %s", type(error).__name__, exc_info=error)
            await asyncio.sleep(EVERY_S)

    async def sign(self) -> None:
        """Signs the head, if it is not signed yet, and tells the log; or, once, that the one before it is gone."""
        found = None
        if self._signed is None:
            found = await self._last_signed()
            self._signed = None if found is None else found.head
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
                    told(last),
                )
            self._missed = last
            return
        # Nor is one signed of an entry whose link is none: nobody would find it again.
        if head.number == (0 if last is None else last.number) or here != head.link:
            if found is not None and found.key < len(self._keys) - 1:
                await self._keep(found.head, found.purpose)
            return
        await self._keep(head, _PURPOSE)
        self._signed = head
        log.info("the head of the audit log is %s", told(head))

    async def _keep(self, head: Head, purpose: bytes) -> None:
        """Signs it."""
        at_ns = now_ns()
        async with self._database.write() as session:
            await queries.keep_head(session, head, self._key.sign(_signed(purpose, head, at_ns)), at_ns)

    async def _last_signed(self) -> _LastSigned | None:
        """The last head that was signed, by the latest key that signed any."""
        last: _LastSigned | None = None
        later = self._keys

        def look_at(kept: Iterable[SignedHead]) -> None:
            nonlocal last, later
            for one in kept:
                for purpose in (_PURPOSE, _PART_PURPOSE):
                    by = _signer(later, purpose, one)
                    if by is not None:
                        key = len(self._keys) - len(later) + by
                        last, later = _LastSigned(Head(one.number, one.link), purpose, key), self._keys[key + 1 :]
                if not later:
                    return

        async with self._database.browse() as session:
            async for kept in queries.signed_heads(session, last_first=True):
                await asyncio.to_thread(look_at, kept)
                if not later:
                    break
        return last

    async def verify(self, heads: Sequence[str] = ()) -> ChainSeen:
        """Walks the whole chain. `heads`: those that others recorded, which must be in it.

        Raises:
            BadHead: one of them is none.
        """
        walk = await self._walked([_read(head) for head in heads])
        return ChainSeen(walk.last, _told_of(walk.complaints(known=False)), _told_of(walk.complaints(known=True)))

    async def begin_part(self, audit: Audit, actor: str, seen: str, reason: str) -> ChainSeen:
        """Begins a new part of a chain that is not as it was written, after which heads are signed again. `seen`: the
        head that the admin saw it end with; others may have written to the log since.

        Raises:
            BadHead: `seen` is none.
            Conflict: the chain is whole, or is not any more what was seen and sound entries after it.
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
        self._signed, self._missed = head, None
        log.warning("a new part of the audit log begins with %s, by %s", told(head), actor)
        return await self.verify()

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
    """One look through heads and chain. What is wrong is kept by the number that its part begins with, 0 for the first:
    what is wrong with the parts before the last one is known.
    """

    def __init__(self, given: Sequence[Head], keys: Sequence[Ed25519PublicKey]) -> None:
        self._given, self._keys = given, keys
        self._key = 0
        self._links = dict.fromkeys((one.number for one in given), b"") | {0: BEGINNING}
        self._begun = {0: Head(0, BEGINNING)}
        self._of_heads: dict[int, list[str]] = {0: []}
        self._of_unsigned: dict[int, list[str]] = {0: []}
        self._of_entries: dict[int, list[str]] = {0: []}
        self._part = self._broken_at = 0
        self._knows_unsigned = False
        self.last = Head(0, BEGINNING)
        self.signed: Head | None = None
        self.before, self.unsigned = Before(), Before()

    def look_at(self, kept: Iterable[SignedHead]) -> None:
        """Heads that are kept, in order. Blocking: there may be many."""
        for one in kept:
            head = Head(one.number, one.link)
            begins = self._is_signed(_PART_PURPOSE, one)
            if begins:
                self._begun[head.number] = head
                self._of_heads[head.number], self._of_unsigned[head.number] = [], []
            part = max(self._begun)
            complaints = self._of_heads[part]
            if begins or self._is_signed(_PURPOSE, one):
                self.signed = head
            else:
                self.unsigned.take_head(one)
                complaints = self._of_unsigned[part]
                _add(complaints, f"the head {told(head)} has no signature of this gateway's key")
            if one.there != one.link:
                _add(complaints, _gone(head))

    def _is_signed(self, purpose: bytes, one: SignedHead) -> bool:
        """By a key that none after it has signed with yet."""
        by = _signer(self._keys[self._key :], purpose, one)
        self._key += by or 0
        return by is not None

    def take_without_place(self, entry: AuditEntry) -> None:
        """An entry whose number is none, after all heads: it stands before all others, so no part leaves it out."""
        self.before.take(entry)
        _add(self._of_entries[0], "an entry without a number in the chain was put in", 1)

    def take(self, entry: AuditEntry) -> None:
        """An entry, the next one, after those without a place."""
        begins = begins_part(entry)
        complaint = self._begin(entry) if begins else _complaint(self.last, entry)
        if complaint:
            self._broken_at = entry.number
            # After the first, others may only follow from it; what is wrong with a part's beginning never does.
            _add(self._of_entries[self._part], complaint, MAX_PROBLEMS + 1 if begins else 1)
        self.before.take(entry)
        self.last = Head(entry.number, entry.link if type(entry.link) is bytes else self.last.link)
        if entry.number in self._links:
            self._links[entry.number] = self.last.link

    def is_sound_after(self, head: Head) -> bool:
        """Whether the head is there, and nothing is wrong with the entries after it."""
        return self._links[head.number] == head.link and self._broken_at <= head.number

    def _begin(self, entry: AuditEntry) -> str | None:
        """Begins a new part, or says why none begins here."""
        if self._begun.get(entry.number) != Head(entry.number, entry.link):
            return f"entry {entry.number} says that a new part begins with it, and this gateway began none there"
        if not stands_after(entry, self.before):
            return f"the entries before entry {entry.number} have changed since a new part began there"
        # A gap between the numbers is right here, and nowhere else.
        complaint = _complaint(Head(entry.number - 1, self.last.link), entry)
        if complaint is None:
            self._part, self._of_entries[entry.number] = entry.number, []
            self._knows_unsigned = knows(entry, self.unsigned)
        return complaint

    def complaints(self, *, known: bool) -> list[str]:
        """What is wrong, in the last part or, where it is `known`, before it."""

        def is_asked(part: int, told_then: bool = False) -> bool:
            return (part < self._part or told_then) == known

        return [
            *(one for part, some in self._of_entries.items() if is_asked(part) for one in some),
            *(_gone(one) for one in self._given if self._links[one.number] != one.link and is_asked(one.number)),
            *(one for part, some in self._of_heads.items() if is_asked(part) for one in some),
            *(one for part, some in self._of_unsigned.items() if is_asked(part, self._knows_unsigned) for one in some),
        ]


def _add(complaints: list[str], complaint: str, at_most: int = MAX_PROBLEMS + 1) -> None:
    if len(complaints) < at_most:
        complaints.append(complaint)


def _signer(keys: Sequence[Ed25519PublicKey], purpose: bytes, one: SignedHead) -> int | None:
    """Which of the keys signed the head for this purpose, None if none did."""
    message = _signed(purpose, Head(one.number, one.link), one.at_ns)
    for number, key in enumerate(keys):
        try:
            key.verify(one.signature, message)
        except InvalidSignature:
            continue
        return number
    return None


def _told_of(complaints: Iterable[str]) -> list[str]:
    """Each once, for the same head may be given and kept; and no more than are read."""
    problems = [*dict.fromkeys(complaints)]
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [f"there are more problems than these {MAX_PROBLEMS}"]
    return problems


def _gone(head: Head) -> str:
    return (
        f"the head {told(head)} was recorded once and is no longer there: entries were changed, or cut off at the end"
    )


def _complaint(before: Head, entry: AuditEntry) -> str | None:
    if entry.number != before.number + 1:
        return f"entries {before.number + 1} to {entry.number - 1} are missing"
    try:
        link = queries.link_of(before.link, {name: getattr(entry, name) for name in queries.LINKED})
    except (TypeError, ValueError):  # bytes where a text was written, or the other way round
        link = None
    if entry.link != link:
        return f"entry {entry.number} is not as it was written, or does not follow the one before it"
    return None


def _signed(purpose: bytes, head: Head, at_ns: int) -> bytes:
    return purpose + f"{told(head)} {at_ns}".encode()


def _read(head: str) -> Head:
    found = HEAD.fullmatch(head)
    if found is None:
        raise BadHead("a head is a number, a colon and 64 hexadecimal digits, as a receipt has it in audit_head")
    return Head(int(found[1]), bytes.fromhex(found[2]))
