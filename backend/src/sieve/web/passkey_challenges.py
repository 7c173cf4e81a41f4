"""Challenges for passkeys: random, each for one purpose and one person, valid once and for a few minutes.

The gateway stores nothing until an answer was right, so nobody can fill its memory by asking. The keys of the
challenges come from the master keys, so each replica of the gateway takes the challenges of the others, also if it has
the master keys in another order.
"""

import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.store.queries import used_once

Purpose: TypeAlias = Literal["sign-in", "factor", "confirmation", "registration"]
"""`sign-in`: with the passkey alone; `factor`: after the password; `confirmation`: while signed in."""

LIFE_S: Final = 5 * 60
_NONCE: Final = 16
_TIME: Final = 8
KEY_PURPOSE: Final = "passkey challenges"
"""What the keys are derived for (`MasterKeys.derived`)."""


@dataclass(slots=True)
class Challenges:
    """`keys`: the first one makes challenges, and each of them verifies. `clock` gives nanoseconds since the epoch."""

    keys: Sequence[bytes]
    clock: Callable[[], int] = now_ns

    def new(self, purpose: Purpose, user_id: str = "") -> bytes:
        """A challenge. `user_id`: of the person; empty while the person is unknown."""
        until = self.clock() // NS_PER_S + LIFE_S
        head = secrets.token_bytes(_NONCE) + until.to_bytes(_TIME)
        return head + _mac(self.keys[0], head, purpose, user_id)

    def is_valid(self, challenge: bytes, purpose: Purpose, user_id: str = "") -> bool:
        """Whether `new` made this challenge for that, and it is not too old."""
        head, mac = challenge[: _NONCE + _TIME], challenge[_NONCE + _TIME :]
        if not any(hmac.compare_digest(mac, _mac(key, head, purpose, user_id)) for key in self.keys):
            return False
        return _until_ns(challenge) > self.clock()

    async def use(self, session: AsyncSession, challenge: bytes) -> bool:
        """Uses a valid challenge up, in a unit that writes; False if it was used before."""
        return await used_once.use(session, f"passkey {challenge.hex()}", _until_ns(challenge), self.clock())


def _mac(key: bytes, head: bytes, purpose: Purpose, user_id: str) -> bytes:
    return hmac.digest(key, head + f"{purpose} {user_id}".encode(), "sha256")


def _until_ns(challenge: bytes) -> int:
    return int.from_bytes(challenge[_NONCE : _NONCE + _TIME]) * NS_PER_S
