"""The head of the audit log's chain: signed, told to others, and what they were told held against what is there.

The law: an entry that is changed or taken out breaks the chain, and whoever cannot sign cannot make another. Entries
cut off at the end show in any head that somebody else has: receipts carry one, and so does the gateway's log, at least
every minute in which there is a new one. A head is signed only while the one that was signed before it is there: no
rewritten chain gets a signature.

    head = "17:8a0c..."       number of the last entry, a colon, its link
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sieve.core.chain import BEGINNING, HEAD
from sieve.gateway.errors import GatewayError
from sieve.gateway.marks import now_ns
from sieve.store.database import Database
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head, SignedHead

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
MAX_PROBLEMS: Final = 100
"""That are told, one by one: a key that was lost makes one of each head."""
_PURPOSE: Final = b"sieve audit head v1\0"


class BadHead(GatewayError):
    """What was given is no head."""


class ChainSeen(NamedTuple):
    """Where the chain ends, and what is wrong with it."""

    head: Head
    problems: Sequence[str]


def told(head: Head) -> str:
    """As others are told it."""
    return f"{head.number}:{head.link.hex()}"


class AuditHeads:
    """`key` signs; `current` is the head that was signed last, None before the first entry."""

    def __init__(self, database: Database, key: Ed25519PrivateKey) -> None:
        self._database, self._key = database, key
        self.current: str | None = None
        self._missed: str | None = None

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
        async with self._database.read() as session:
            head, last = await queries.head(session), await queries.last_signed(session)
            there = None if last is None else await queries.link_at(session, last.number)
        if last is not None:
            self.current = told(Head(last.number, last.link))
            if there != last.link:
                if self._missed != self.current:
                    log.error(
                        "the audit log does not have its head %s any more, which was signed: entries were changed, or "
                        "cut off at the end; nothing is signed from now on; see sieve audit verify, and the backups",
                        self.current,
                    )
                self._missed = self.current
                return
        if head.number == (0 if last is None else last.number):
            return
        at_ns = now_ns()
        async with self._database.write() as session:
            await queries.keep_head(session, head, self._key.sign(_signed(head, at_ns)), at_ns)
        self.current = told(head)
        log.info("the head of the audit log is %s", self.current)

    async def verify(self, heads: Sequence[str]) -> ChainSeen:
        """Walks the whole chain. `heads`: those that somebody was told, which must be in it.

        Raises:
            BadHead: one of them is none.
        """
        given = [_read(head) for head in heads]
        problems: list[str] = []
        async with self._database.browse() as session:
            links = dict.fromkeys((one.number for one in given), b"") | {0: BEGINNING}
            last = Head(0, BEGINNING)
            async for entry in queries.whole_chain(session):
                if not problems and (complaint := _complaint(last, entry)):
                    problems.append(complaint)
                if _is_numbered(entry):
                    last = Head(entry.number, entry.link)
                    if entry.number in links:
                        links[entry.number] = entry.link
            problems.extend(_gone(one) for one in given if links[one.number] != one.link)
            async for signed in queries.signed_heads(session):
                problems.extend(await asyncio.to_thread(self._complaints, signed))
                if len(problems) > MAX_PROBLEMS:
                    break
        # The same head may be given and kept.
        problems = [*dict.fromkeys(problems)]
        if len(problems) > MAX_PROBLEMS:
            problems[MAX_PROBLEMS:] = [f"there are more problems than these {MAX_PROBLEMS}"]
        return ChainSeen(last, problems)

    def _complaints(self, signed: Sequence[SignedHead]) -> list[str]:
        """What is wrong with heads that were signed. Blocking: there may be many."""
        key = self._key.public_key()
        complaints: list[str] = []
        for one in signed:
            head = Head(one.number, one.link)
            try:
                key.verify(one.signature, _signed(head, one.at_ns))
            except InvalidSignature:
                complaints.append(f"the head {told(head)} has no signature of this gateway's key")
            if one.there != one.link:
                complaints.append(_gone(head))
        return complaints


def _gone(head: Head) -> str:
    return f"the head {told(head)} was told once and is not there any more: entries were changed, or cut off at the end"


def _is_numbered(entry: AuditEntry) -> bool:
    """Whether what was written as number and link, by whomever, is of these types: SQLite keeps any."""
    return type(entry.number) is int and type(entry.link) is bytes


def _complaint(before: Head, entry: AuditEntry) -> str | None:
    if not _is_numbered(entry):
        return "an entry without a number or a link was put in"
    if entry.number <= before.number:
        return f"entry {entry.number} was put in"
    if entry.number != before.number + 1:
        return f"entries {before.number + 1} to {entry.number - 1} are missing"
    try:
        link = queries.link_of(before.link, {name: getattr(entry, name) for name in queries.LINKED})
    except (TypeError, ValueError):  # bytes where a text was written, or the other way round
        link = None
    if entry.link != link:
        return f"entry {entry.number} is not as it was written, or does not follow the one before it"
    return None


def _signed(head: Head, at_ns: int) -> bytes:
    return _PURPOSE + f"{told(head)} {at_ns}".encode()


def _read(head: str) -> Head:
    found = HEAD.fullmatch(head)
    if found is None:
        raise BadHead("a head is a number, a colon and 64 hexadecimal digits, as a receipt has it in audit_head")
    return Head(int(found[1]), bytes.fromhex(found[2]))
