"""How often somebody may guess a password: limits for an account and for a source, kept in the database.

A guess is counted as failed *before* it is looked at, and taken back if it was right: so guesses at the same time do
not slip past the count, and one that is turned away costs no hashing.
"""

import ipaddress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import sign_in_failures as queries
from sieve.web.errors import TooManyTries

NS_PER_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Limit:
    """So many failures in a row are free; each further one makes the next wait, from 1 s on twice as long each time."""

    free: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        """How long the next guess waits after so many failures in a row."""
        if failures <= self.free:
            return 0
        return min(1 << min(failures - self.free - 1, 32), self.longest_s)


ACCOUNT: Final = Limit(free=5, longest_s=60)
SOURCE: Final = Limit(free=20, longest_s=15 * 60)


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess that was counted, by its two keys. `failures`: in a row from its source, this one included.
    `failed_before_ns`: when the one before it was counted there.
    """

    account: str
    source: str
    at_ns: int
    failures: int
    failed_before_ns: int


async def count(session: AsyncSession, login: str, source: str, now_ns: int) -> Guess:
    """Counts a guess as failed, in the caller's writing transaction. `now_ns`: of a moment within that.

    Raises:
        TooManyTries: it has to wait; nothing is counted.
    """
    account = await queries.of(session, account_of(login), now_ns)
    origin = await queries.of(session, f"source:{source}", now_ns)
    blocked_until_ns = max(account.blocked_until_ns, origin.blocked_until_ns)
    if blocked_until_ns > now_ns:
        raise TooManyTries(-(-(blocked_until_ns - now_ns) // NS_PER_S))
    failed_before_ns = origin.last_at_ns
    for row, limit in ((account, ACCOUNT), (origin, SOURCE)):
        row.failures += 1
        row.last_at_ns = now_ns
        row.blocked_until_ns = now_ns + limit.wait_s(row.failures) * NS_PER_S
    return Guess(account.key, origin.key, now_ns, origin.failures, failed_before_ns)


async def take_back(session: AsyncSession, guess: Guess) -> None:
    """The guess was right: the account's failures are forgotten, and the source's are what they were before it."""
    await queries.clear(session, guess.account)
    row = await queries.of(session, guess.source, guess.at_ns)
    row.failures = max(row.failures - 1, 0)
    if row.last_at_ns == guess.at_ns:
        # Nobody has failed there since. What was blocked before was over, or this guess had not been let through. And
        # a right one does not break the peace after which failures are forgotten.
        row.blocked_until_ns = 0
        row.last_at_ns = guess.failed_before_ns


def account_of(login: str) -> str:
    """What an account is counted by. Hashed: people type passwords where the login belongs."""
    return f"account:{sha256(login.encode()).hexdigest()}"


def source_of(request: Request) -> str:
    """Where a request comes from: an IPv4 address, or the network of 64 bits that one subscriber has of IPv6."""
    try:
        address = ipaddress.ip_address(request.client.host if request.client else "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))
