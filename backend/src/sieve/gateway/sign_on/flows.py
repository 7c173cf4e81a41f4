"""Sign-ins that a browser began at the provider and has not finished.

What they need is sealed into a cookie of that browser, so that nobody fills the gateway's memory by beginning them. A
flow lasts ten minutes and counts once, at whichever replica of the gateway it ends.
"""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.store import sealed_value
from sieve.store.errors import StoreError
from sieve.store.master_keys import MasterKeys
from sieve.store.queries import used_once

Purpose: TypeAlias = Literal["sign-in", "confirmation"]

LIFE_S: Final = 10 * 60
_PLACE: Final = "sign-on"
_RANDOM_BYTES: Final = 32
_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Flow:
    """`state`: what the provider returns with the code. `nonce`: what it puts into the ID token. `verifier`: of PKCE.
    `began_at`, `until`: seconds since the epoch. `session_id`: the session to confirm.
    `link_code`: the one-time link whose owner will sign in with the provider.
    """

    purpose: Purpose
    redirect_uri: str
    state: str
    nonce: str
    verifier: str
    began_at: int
    until: int
    session_id: str | None = None
    link_code: str | None = None


@dataclass(slots=True)
class Flows:
    """`clock` gives nanoseconds since the epoch."""

    keys: MasterKeys
    clock: Callable[[], int] = now_ns

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
        flow = Flow(purpose, redirect_uri, state, nonce, verifier, now, now + LIFE_S, session_id, link_code)
        sealed = sealed_value.seal(self.keys, json.dumps(asdict(flow)).encode(), _PLACE)
        return flow, urlsafe_b64encode(sealed).decode()

    async def use(self, session: AsyncSession, cookie: str | None, state: str) -> Flow | None:
        """The flow of that cookie, which counts once; None if it is none, too old or used, or has another state.
        `session`: a unit that writes."""
        if cookie is None or len(cookie) > _LONGEST:
            return None
        try:
            flow = Flow(**json.loads(sealed_value.unseal(self.keys, urlsafe_b64decode(cookie), _PLACE)))
        except (StoreError, ValueError):
            return None
        now, until_ns = self.clock(), flow.until * NS_PER_S
        ours = hmac.compare_digest(flow.state.encode(), state.encode())
        if not ours or until_ns <= now or not await used_once.use(session, f"sign-on {flow.state}", until_ns, now):
            return None
        return flow
