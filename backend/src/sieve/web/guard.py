"""What surrounds every request: bounded bodies, security headers on every answer, a count of it, no error let out.

Plain ASGI, and outermost: an answer that is made outside of it would have none of this.
"""

import logging
import re
import time
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sieve.web.errors import problem_of, route_of
from sieve.web.metrics import Metrics
from sieve.web.problem import Problem

log = logging.getLogger(__name__)

MAX_BODY = 256 * 1024
"""Of every request but those that `streams` names, which bound their bodies themselves."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """`streams`: pairs of method and path whose body may be of any length; `{}` in a path is any one part of it."""

    def __init__(self, app: ASGIApp, metrics: Metrics, streams: Iterable[tuple[str, str]] = ()) -> None:
        self._app, self._metrics, self._streams = (
            app,
            metrics,
            tuple((method, re.compile(re.escape(path).replace(r"\{\}", "[^/]+"))) for method, path in streams),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                self._metrics.answered(scope["method"], route_of(scope), status, time.perf_counter() - began)
            await send(message)

        try:
            if _announced(scope) > MAX_BODY and not self._streaming(scope):
                await _too_large()(scope, receive, send_guarded)
                return
            await self._app(scope, receive if self._streaming(scope) else _bounded(receive), send_guarded)
        except Exception as error:
            log.error("%s %s: %s", scope["method"], route_of(scope), type(error).__name__, exc_info=error)
            if status:
                raise  # the answer is under way: the server cuts the connection, so that it does not look whole
            await problem_of(error)(scope, receive, send_guarded)

    def _streaming(self, scope: Scope) -> bool:
        asked, path = scope["method"], scope["path"]
        return any(asked == method and pattern.fullmatch(path) for method, pattern in self._streams)


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def _bounded(receive: Receive) -> Receive:
    total = 0

    async def receive_bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY:
            raise HTTPException(413, _SENTENCE)
        return message

    return receive_bounded


_SENTENCE = f"the request's body is larger than {MAX_BODY} bytes"


def _too_large() -> Problem:
    return Problem(413, _SENTENCE)
