"""Passwords: which ones are accepted, and how they are stored and compared (argon2id).

Comparing takes as long whether or not the account exists. At most two passwords are hashed at once, each in a thread,
because each takes as much memory as the hasher is configured for.
"""

import asyncio
import base64
import secrets
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from sieve.core.sentence import Sentence
from sieve.web.errors import MalformedRequest
from sieve.web.guessable_passwords import is_common, is_mostly_names

SHORTEST: Final = 12
LONGEST_BYTES: Final = 1024
AT_ONCE: Final = 2
OURS: Final = "Security Sieve gateway"
"""Names that everybody connects with an account of ours."""


class Compared(NamedTuple):
    """`fresh`: the hash to store instead, if the password is right and was hashed at another cost than today's."""

    right: bool
    fresh: str | None = None


def acceptable(password: str, login: str, names: Sequence[str] = ()) -> str:
    """Returns the password if it may be set for the person with that login. `names`: others that people connect with
    this account. Takes up to 0.1 s.

    Raises:
        MalformedRequest: it is too short, too long, or easy to guess.
    """
    # Before normalising, whose time grows with the square of a run of accents: half a minute for the longest body,
    # during which the gateway answers no other request. Signing in accepts no more characters than this, either.
    if len(password) > LONGEST_BYTES or len(_bytes(password)) > LONGEST_BYTES:
        raise MalformedRequest(
            Sentence("password-too-long", "the password is too long; use {limit} bytes at most", limit=LONGEST_BYTES)
        )
    if len(unicodedata.normalize("NFC", password)) < SHORTEST:
        raise MalformedRequest(
            Sentence("password-too-short", "the password is too short; use {limit} characters or more", limit=SHORTEST)
        )
    if password.strip().casefold() == login.casefold():
        raise MalformedRequest(
            Sentence("password-is-login", "the password is the same as your login; choose another one")
        )
    if is_mostly_names(password, (login, *names, OURS)):
        raise MalformedRequest(
            Sentence(
                "password-has-names",
                "the password is little more than your name, your login or the name of this gateway; use several words "
                "that have nothing to do with you",
            )
        )
    if is_common(password):
        raise MalformedRequest(
            Sentence(
                "password-common",
                "the password is easy to guess, because it is common or a simple pattern; use several words that do "
                "not belong together",
            )
        )
    return password


class Passwords:
    """Hashes and compares at the cost that `hasher` is configured for."""

    def __init__(self, hasher: PasswordHasher) -> None:
        self._hasher = hasher
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")
        # The password of an unknown account is compared with this.
        self._unknown = _random_hash(hasher)

    async def acceptable(self, password: str, login: str, *names: str) -> str:
        """As the function `acceptable`, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, acceptable, password, login, names)

    async def hash(self, password: str) -> str:
        """The hash to store."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._hasher.hash, _bytes(password))

    async def compare(self, kept: str | None, password: str) -> Compared:
        """Whether the password has the hash `kept`. For None, an unknown account, this takes as long and is False."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._compare, kept, password)

    def _compare(self, kept: str | None, password: str) -> Compared:
        try:
            self._hasher.verify(self._unknown if kept is None else kept, _bytes(password))
        except (VerificationError, InvalidHashError):
            return Compared(False)
        if kept is None:
            return Compared(False)
        return Compared(True, self._hasher.hash(_bytes(password)) if self._hasher.check_needs_rehash(kept) else None)


def _random_hash(hasher: PasswordHasher) -> str:
    """A hash of `hasher`'s cost, of no known password. It is written without hashing, which would delay each start."""
    salt, digest = (
        base64.b64encode(secrets.token_bytes(length)).rstrip(b"=").decode()
        for length in (hasher.salt_len, hasher.hash_len)
    )
    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2{hasher.type.name.lower()}$v={ARGON2_VERSION}${cost}${salt}${digest}"


def _bytes(password: str) -> bytes:
    # Keyboards compose accents in different ways.
    return unicodedata.normalize("NFC", password).encode()
