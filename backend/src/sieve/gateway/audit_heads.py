"""The head of the audit log's chain: signed, told to others, and what they were told held against what is there.

The law: an entry that is changed or taken out breaks the chain, and whoever cannot sign cannot make another. Entries
cut off at the end show in any head that somebody else has: receipts carry one, and so does the gateway's log, at least
every minute in which there is a new one.

    head = "17:8a0c..."       number of the last entry, a colon, its link
"""

import asyncio
import logging
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sieve.core.chain import BEGINNING
from sieve.gateway.errors import GatewayError
from sieve.gateway.marks import now_ns
from sieve.store.database import Database
from sieve.store.marking_models import AuditEntry, AuditHead
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import Head

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
_PURPOSE: Final = b"sieve audit head v1\0"
_HEAD: Final = re.compile("([0-9]{1,18}):([0-9a-f]{64})")


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

    async def run(self) -> None:
        """Signs each minute what is new, until it is cancelled."""
        while True:
            try:
                await self.sign()
            except Exception as error:
                log.error("the head of the audit log was not signed: %s", type(error).__name__, exc_info=error)
            await asyncio.sleep(EVERY_S)

    async def sign(self) -> None:
        """Signs the head, if it is not signed yet, and tells the log."""
        async with self._database.read() as session:
            head, last = await queries.head(session), await queries.last_signed(session)
        if last is not None and (head.number < last.number or (head.number, head.link) == (last.number, last.link)):
            if head.number < last.number:
                log.error("the audit log ends before its head %s, which was signed", told(Head(last.number, last.link)))
            self.current = told(Head(last.number, last.link))
            return
        if head.number == 0:
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
            signed = await queries.signed_heads(session)
            known = [*(Head(one.number, one.link) for one in signed), *given]
            wanted = {one.number for one in known}
            links = {0: BEGINNING}
            last = Head(0, BEGINNING)
            async for entry in queries.whole_chain(session):
                if not problems and (complaint := _complaint(last, entry)):
                    problems.append(complaint)
                last = Head(entry.number, entry.link)
                if entry.number in wanted:
                    links[entry.number] = entry.link
        problems.extend(
            f"the head {told(Head(one.number, one.link))} has no signature of this gateway's key"
            for one in signed
            if not self._holds(one)
        )
        problems.extend(
            f"the head {told(one)} was told once and is not there any more: entries were changed, or cut off at the end"
            for one in dict.fromkeys(known)
            if links.get(one.number) != one.link
        )
        return ChainSeen(last, problems)

    def _holds(self, signed: AuditHead) -> bool:
        try:
            head = Head(signed.number, signed.link)
            self._key.public_key().verify(signed.signature, _signed(head, signed.at_ns))
        except InvalidSignature:
            return False
        return True


def _complaint(before: Head, entry: AuditEntry) -> str | None:
    if entry.number != before.number + 1:
        return f"entries {before.number + 1} to {entry.number - 1} are missing"
    if entry.link != queries.link_of(before.link, {name: getattr(entry, name) for name in queries.LINKED}):
        return f"entry {entry.number} is not as it was written, or does not follow the one before it"
    return None


def _signed(head: Head, at_ns: int) -> bytes:
    return _PURPOSE + f"{told(head)} {at_ns}".encode()


def _read(head: str) -> Head:
    found = _HEAD.fullmatch(head)
    if found is None:
        raise BadHead("a head is a number, a colon and 64 hexadecimal digits, as a receipt has it in audit_head")
    return Head(int(found[1]), bytes.fromhex(found[2]))
