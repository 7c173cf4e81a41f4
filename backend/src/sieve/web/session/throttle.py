"""How often somebody may guess a password: limits for an account and for a source, kept in the database.

A guess is counted as failed *before* it is looked at, and taken back if it was right: so guesses at the same time do
not slip past the count, and one that is turned away costs no hashing.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from sieve import addresses
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
WIDER: Final = ((56, Limit(free=80, longest_s=15 * 60)), (48, Limit(free=320, longest_s=15 * 60)))
"""For the IPv6 networks around a source: a subscriber may have 256 or 65,536 networks of 64 bits."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess that was counted, for an account and for each of its sources, the narrowest first, by their keys and when
    the guess before it was counted there. `failures`: in a row from the narrowest, this one included.
    """

    account: str
    sources: tuple[tuple[str, int], ...]
    at_ns: int
    failures: int


async def count(session: AsyncSession, login: str, source: str, now_ns: int) -> Guess:
    """Counts a guess as failed, in the caller's writing transaction. `now_ns`: of a moment within that.

    Raises:
        TooManyTries: it has to wait; nothing is counted.
    """
    account = await queries.of(session, account_of(login), now_ns)
    origins = [(await queries.of(session, f"source:{each}", now_ns), limit) for each, limit in _sources(source)]
    counted = [(account, ACCOUNT), *origins]
    blocked_until_ns = max(row.blocked_until_ns for row, _ in counted)
    if blocked_until_ns > now_ns:
        raise TooManyTries(-(-(blocked_until_ns - now_ns) // NS_PER_S))
    before = tuple((row.key, row.last_at_ns) for row, _ in origins)
    for row, limit in counted:
        row.failures += 1
        row.last_at_ns = now_ns
        row.blocked_until_ns = now_ns + limit.wait_s(row.failures) * NS_PER_S
    return Guess(account.key, before, now_ns, origins[0][0].failures)


async def take_back(session: AsyncSession, guess: Guess) -> None:
    """The guess was right: the account's failures are forgotten, and the sources' are what they were before it."""
    await queries.clear(session, guess.account)
    for key, failed_before_ns in guess.sources:
        row = await queries.of(session, key, guess.at_ns)
        row.failures = max(row.failures - 1, 0)
        if row.last_at_ns == guess.at_ns:
            # Nobody has failed there since. What was blocked before was over, or this guess had not been let through.
            # And a right one does not break the peace after which failures are forgotten.
            row.blocked_until_ns = 0
            row.last_at_ns = failed_before_ns


def _sources(source: str) -> list[tuple[str, Limit]]:
    host = source.removesuffix("/64")
    wider = WIDER if host != source else ()
    return [(source, SOURCE), *((addresses.source(host, bits), limit) for bits, limit in wider)]


def account_of(login: str) -> str:
    """What an account is counted by. Hashed: people type passwords where the login belongs."""
    return f"account:{sha256(login.encode()).hexdigest()}"


def source_of(request: Request) -> str:
    """Where a request comes from: an IPv4 address, or the network of 64 bits that one subscriber has of IPv6."""
    return addresses.source(request.client.host if request.client else "")
