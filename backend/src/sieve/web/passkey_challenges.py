"""Challenges for passkeys: random, each for one purpose and one person, valid once and for a few minutes.

The gateway stores nothing until an answer was right, so nobody can fill its memory by asking. After a restart, people
start again.
"""

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Purpose: TypeAlias = Literal["sign-in", "factor", "confirmation", "registration"]
"""`sign-in`: with the passkey alone; `factor`: after the password; `confirmation`: while signed in."""

LIFE_S: Final = 5 * 60
_NONCE: Final = 16
_TIME: Final = 8


@dataclass(slots=True)
class Challenges:
    """`monotonic` gives seconds."""

    monotonic: Callable[[], float] = time.monotonic
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _used: dict[bytes, int] = field(default_factory=dict)

    def new(self, purpose: Purpose, user_id: str = "") -> bytes:
        """A challenge. `user_id`: of the person; empty while the person is unknown."""
        until = int(self.monotonic()) + LIFE_S
        head = secrets.token_bytes(_NONCE) + until.to_bytes(_TIME)
        return head + self._mac(head, purpose, user_id)

    def is_valid(self, challenge: bytes, purpose: Purpose, user_id: str = "") -> bool:
        """Whether `new` made this challenge for that, and it is neither too old nor used."""
        head, mac = challenge[: _NONCE + _TIME], challenge[_NONCE + _TIME :]
        if not hmac.compare_digest(mac, self._mac(head, purpose, user_id)):
            return False
        return int.from_bytes(head[_NONCE:]) > self.monotonic() and challenge not in self._used

    def use(self, challenge: bytes) -> bool:
        """Uses a valid challenge up; False if it was used before."""
        now = self.monotonic()
        self._used = {each: until for each, until in self._used.items() if until > now}
        if challenge in self._used:
            return False
        self._used[challenge] = int.from_bytes(challenge[_NONCE : _NONCE + _TIME])
        return True

    def _mac(self, head: bytes, purpose: Purpose, user_id: str) -> bytes:
        return hmac.digest(self._key, head + f"{purpose} {user_id}".encode(), "sha256")
