"""The outermost middleware of the web application: limits the size and time of bodies, adds security headers, counts
requests, and turns every error into an answer.

Invariant: no body is read before its sender is known, except on the few routes where people sign in. An answer that is
sent before the body is complete ends the connection.

Plain ASGI, and outermost: an answer from outside of it would have none of this.
"""

import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sieve import addresses
from sieve.store.models import User
from sieve.web.errors import MalformedRequest, problem_of, route_of
from sieve.web.metrics import Metrics
from sieve.web.problem import Problem
from sieve.web.request_limits import Body, CountedRequest, RequestLimits

log = logging.getLogger(__name__)

MAX_BODY = 256 * 1024
"""The limit of each request, except those in `streams`, which limit their bodies themselves."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


HSTS = "max-age=31536000"
"""Sent over https only (RFC 6797, 7.2): from then on browsers use only https for this host."""
COUNTED_REQUEST = "sieve.counted_request"
"""Key of the ASGI scope that holds the request's `CountedRequest`."""


class RequestGuard:
    """`streams`: pairs of method and path whose body may be of any length; `{}` in a path matches one part.
    `before_sign_in`: those that accept a body from everyone. `who`: the signed-in person, from a request's head; raises
    the error to respond with if there is none.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        limits: RequestLimits,
        who: Callable[[Scope], Awaitable[User]],
        streams: Iterable[tuple[str, str]] = (),
        before_sign_in: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._app, self._metrics, self._limits, self._who = app, metrics, limits, who
        self._before_sign_in = before_sign_in
        self._streams = tuple(
            (method, re.compile(re.escape(path).replace(r"\{\}", "[^/]+"))) for method, path in streams
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0
        body: Body | None = None
        has_body = _has_body(scope)

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = HSTS
                if has_body and not (body is not None and body.is_whole):
                    headers["Connection"] = "close"
                self._metrics.answered(scope["method"], route_of(scope), status, time.perf_counter() - began)
            await send(message)

        counted: CountedRequest | None = None
        try:
            source = addresses.source(scope["client"][0] if scope.get("client") else "")
            counted = scope[COUNTED_REQUEST] = self._limits.begin(source)
            if b"%00" in scope["query_string"] or "\0" in scope["path"]:
                # PostgreSQL takes no text with one, and SQLite's index of names would read a text up to it.
                raise MalformedRequest("the address of the request has the character NUL; remove it")
            if has_body:
                if _announced(scope) > MAX_BODY and not self._streaming(scope):
                    await _too_large()(scope, receive, send_guarded)
                    return
                body = await self._body(scope, receive, counted, source)
                receive = body.receive
            await self._app(scope, receive if self._streaming(scope) else _bounded(receive), send_guarded)
        except Exception as error:
            problem = problem_of(error)
            if status or problem.status_code == 500:
                log.error("%s %s: %s", scope["method"], route_of(scope), type(error).__name__, exc_info=error)
            if status:
                raise  # the response has begun: the server closes the connection, so that it does not look complete
            await problem(scope, receive, send_guarded)
        finally:
            if counted is not None:
                counted.end()

    async def _body(self, scope: Scope, receive: Receive, counted: CountedRequest, source: str) -> Body:
        pace = self._limits.upload if self._streaming(scope) else self._limits.small
        if (scope["method"], scope["path"]) in self._before_sign_in:
            return counted.body_of_source(source, receive, pace)
        person = await self._who(scope)
        counted.by(person.id)
        return counted.body_of_person(person.id, receive, pace)

    def _streaming(self, scope: Scope) -> bool:
        method, path = scope["method"], scope["path"]
        return any(method == allowed and pattern.fullmatch(path) for allowed, pattern in self._streams)


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or _announced(scope) > 0


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
