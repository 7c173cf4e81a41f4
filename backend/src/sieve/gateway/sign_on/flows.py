"""Sign-ins that a browser began at the provider and has not finished.

What they need is sealed into a cookie of that browser, so that nobody fills the gateway's memory by beginning them. A
flow lasts ten minutes, counts once, and ends when the gateway restarts.
"""

import hmac
import json
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Final, Literal, TypeAlias

from sieve.store import sealed_value
from sieve.store.errors import StoreError
from sieve.store.master_keys import MasterKeys

Purpose: TypeAlias = Literal["sign-in", "confirmation"]

LIFE_S: Final = 10 * 60
_RANDOM_BYTES: Final = 32
_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Flow:
    """`state`: what the provider returns with the code. `nonce`: what it puts into the ID token. `verifier`: of PKCE.
    `began_at`: seconds since the epoch; `until`: by the clock of `Flows`. `session_id`: the session to confirm.
    `link_code`: the one-time link whose owner will sign in with the provider.
    """

    purpose: Purpose
    redirect_uri: str
    state: str
    nonce: str
    verifier: str
    began_at: int
    until: float
    session_id: str | None = None
    link_code: str | None = None


@dataclass(slots=True)
class Flows:
    """`monotonic` gives seconds."""

    keys: MasterKeys
    monotonic: Callable[[], float] = time.monotonic
    _place: str = field(default_factory=lambda: f"sign-on/{secrets.token_hex(16)}")
    _used: dict[str, float] = field(default_factory=dict)

    def begin(
        self,
        purpose: Purpose,
        redirect_uri: str,
        now: int,
        *,
        session_id: str | None = None,
        link_code: str | None = None,
    ) -> tuple[Flow, str]:
        """A new flow, and the value of its cookie. `now`: seconds since the epoch."""
        state, nonce, verifier = (secrets.token_urlsafe(_RANDOM_BYTES) for _ in range(3))
        until = self.monotonic() + LIFE_S
        flow = Flow(purpose, redirect_uri, state, nonce, verifier, now, until, session_id, link_code)
        sealed = sealed_value.seal(self.keys, json.dumps(asdict(flow)).encode(), self._place)
        return flow, urlsafe_b64encode(sealed).decode()

    def use(self, cookie: str | None, state: str) -> Flow | None:
        """The flow of that cookie, which counts once; None if it is none, too old or used, or has another state."""
        if cookie is None or len(cookie) > _LONGEST:
            return None
        try:
            flow = Flow(**json.loads(sealed_value.unseal(self.keys, urlsafe_b64decode(cookie), self._place)))
        except (StoreError, ValueError):
            return None
        now = self.monotonic()
        self._used = {each: until for each, until in self._used.items() if until > now}
        ours = hmac.compare_digest(flow.state.encode(), state.encode())
        if not ours or flow.until <= now or flow.state in self._used:
            return None
        self._used[flow.state] = flow.until
        return flow
