"""Limits on guessing passwords, for each account and each source, kept in the database.

A guess counts as failed *before* it is checked, and the count is taken back if it was right. So simultaneous guesses
all count, and a refused guess costs no hashing.
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
_UNKNOWN: Final = "unknown"
_KNOWN: Final = "known"


@dataclass(frozen=True, slots=True)
class Limit:
    """`free` failures in a row have no wait. After each further one the next guess waits: 1 s, then twice as long."""

    free: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        """The wait after that many failures in a row."""
        if failures <= self.free:
            return 0
        return min(1 << min(failures - self.free - 1, 32), self.longest_s)


ACCOUNT: Final = Limit(free=5, longest_s=60)
FACTOR: Final = Limit(free=5, longest_s=3600)
"""For codes of six digits: at most 24 guesses a day after the first few, each right with 3 in 1,000,000."""
SOURCE: Final = Limit(free=20, longest_s=15 * 60)
WIDER: Final = ((56, Limit(free=80, longest_s=15 * 60)), (48, Limit(free=320, longest_s=15 * 60)))
"""For the IPv6 networks around a source: a subscriber may have 256 or 65,536 networks of 64 bits."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A counted guess. `sources`: the narrowest first, each with its key and the time of the guess before. `failures`:
    in a row from the narrowest source, including this one. `of_account`: the same with that login.
    """

    account: str
    sources: tuple[tuple[str, int], ...]
    at_ns: int
    failures: int
    of_account: int


async def count(session: AsyncSession, login: str, source: str, now_ns: int, limit: Limit = ACCOUNT) -> Guess:
    """Counts a guess as failed, in the caller's writing transaction. `now_ns`: a time within that. `limit`: for the
    account.

    Raises:
        TooManyTries: the guess must wait; it is not counted.
    """
    account = await queries.of(session, account_of(login), now_ns)
    origins = [(await queries.of(session, f"source:{each}", now_ns), limit) for each, limit in _sources(source)]
    counted = [(account, limit), *origins]
    blocked_until_ns = max(row.blocked_until_ns for row, _ in counted)
    if blocked_until_ns > now_ns:
        raise TooManyTries(-(-(blocked_until_ns - now_ns) // NS_PER_S))
    before = tuple((row.key, row.last_at_ns) for row, _ in origins)
    for row, limit in counted:
        row.failures += 1
        row.last_at_ns = now_ns
        row.blocked_until_ns = now_ns + limit.wait_s(row.failures) * NS_PER_S
    return Guess(account.key, before, now_ns, origins[0][0].failures, account.failures)


async def count_refused(session: AsyncSession, now_ns: int, *, known: bool) -> int:
    """Counts a refused guess; returns how many there were since a day without any. Those whose login exists (`known`)
    are counted apart, only so that refusing both takes as long: a change must reach the disk.
    """
    row = await queries.of(session, _KNOWN if known else _UNKNOWN, now_ns)
    row.failures += 1
    row.last_at_ns = now_ns
    return row.failures


async def take_back(session: AsyncSession, guess: Guess) -> None:
    """The guess was right: clears the account's failures, and restores those of the sources."""
    await queries.clear(session, guess.account)
    for key, failed_before_ns in guess.sources:
        row = await queries.of(session, key, guess.at_ns)
        row.failures = max(row.failures - 1, 0)
        if row.last_at_ns == guess.at_ns:
            # No failure since. An earlier block was over, or this guess would not have been checked. And a right guess
            # does not extend the time after which failures are forgotten.
            row.blocked_until_ns = 0
            row.last_at_ns = failed_before_ns


def _sources(source: str) -> list[tuple[str, Limit]]:
    host = source.removesuffix("/64")
    wider = WIDER if host != source else ()
    return [(source, SOURCE), *((addresses.source(host, bits), limit) for bits, limit in wider)]


def account_of(login: str) -> str:
    """The key of an account's count. Hashed, because people sometimes type a password as their login."""
    return f"account:{sha256(login.encode()).hexdigest()}"


def source_of(request: Request) -> str:
    """The source of a request: an IPv4 address, or an IPv6 network of 64 bits, as one subscriber has."""
    return addresses.source(request.client.host if request.client else "")
