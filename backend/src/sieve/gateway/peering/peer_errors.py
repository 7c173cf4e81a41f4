"""What a peer refuses, and what goes wrong on the way to it, as this gateway's errors with a sentence for people.

PeerUnreachable: try again. PeerRefused: the peer refused, and said why. WrongPeer: another gateway answered.
"""

import json
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from sieve.channel.refusals import RefusalKind
from sieve.channel.safe_names import clean_line
from sieve.core.sentence import Sentence
from sieve.core.utc import utc
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer

CONNECT_S = 10.0
"""How long a peer may take to accept a connection."""

# TimeoutError is an OSError. httpx raises InvalidURL and StreamError beside its HTTPError. JSON with Infinity, or
# nested without end, raises the last two.
_FOREIGN = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    ssl.SSLError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    RecursionError,
)


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Raises what httpx and ssl raise as PeerUnreachable."""
    try:
        yield
    except (WrongPeer, PeerRefused, PeerUnreachable):
        raise
    except _FOREIGN as error:
        raise PeerUnreachable(_sentence(name, error)) from error


def refusal(name: str, said: dict[str, Any], *, by_status: bool = False) -> PeerRefused:
    """The refusal that the named peer sent, as problem+json (`by_status`) or as a line of an answer.

    Raises:
        KeyError: it has no `detail`.
    """
    # The detail is stored, logged and shown to people: as one line, without invisible characters.
    detail, kind = clean_line(str(said["detail"])), RefusalKind.of(said.get("kind"))
    reason = f"{name}: {detail}"
    if by_status:
        reason = Sentence("peer-refused", "{peer} refused: {why}", peer=name, why=detail)
    if kind is RefusalKind.FULL:
        reason = Sentence(
            "peer-full", "{peer} has no room: {why}; an admin of {peer} must make room", peer=name, why=detail
        )
    return PeerRefused(reason, permanent=kind.is_final(permanent=bool(said.get("permanent"))), kind=kind)


def raise_for_problem(status: int, body: bytes, name: str) -> None:
    """Raises PeerRefused if the status is that of an error."""
    if status < 400:
        return
    try:
        refused = refusal(name, json.loads(body), by_status=True)
    except (ValueError, KeyError, TypeError, AttributeError):
        said = Sentence("peer-refused-status", "{peer} refused: status {status}", peer=name, status=str(status))
        refused = PeerRefused(said, permanent=False)
    raise refused


def _sentence(name: str, error: BaseException) -> str:
    cause = _tls_cause(error)
    if cause is not None:
        return Sentence("peer-no-secure-channel", "no secure channel to {peer}: {why}", peer=name, why=cause)
    match error:
        case httpx.ConnectTimeout():
            return Sentence(
                "peer-no-connection",
                "{peer} does not answer: no connection within {seconds} s",
                peer=name,
                seconds=round(CONNECT_S),
            )
        case httpx.ConnectError():
            return Sentence("peer-not-reached", "{peer} cannot be reached: {why}", peer=name, why=_why_unreached(error))
        case httpx.ReadTimeout() | httpx.WriteTimeout() | TimeoutError():
            return Sentence("peer-stopped", "{peer} stopped answering", peer=name)
        case httpx.ReadError() | httpx.RemoteProtocolError():
            # TLS 1.3: if the server refuses the client's certificate, the client's first read fails without a reason.
            return Sentence(
                "peer-cut",
                "{peer} cut the secure connection; if it does so each time, it does not accept this gateway's "
                "certificate: is it expired, is a clock wrong, or the pairing removed there?",
                peer=name,
            )
        case httpx.HTTPError() | OSError():
            return Sentence(
                "peer-connection-broke",
                "the connection to {peer} broke: {why}",
                peer=name,
                why=type(error).__name__,
            )
        case _:
            return Sentence("peer-invalid-response", "{peer} sent an invalid response", peer=name)


def _why_unreached(error: httpx.ConnectError) -> str:
    """The system's reason, which httpx and AnyIO hide behind "All connection attempts failed"."""
    waiting: list[BaseException] = [error]
    while waiting:
        match each := waiting.pop(0):
            case socket.gaierror():
                return Sentence("host-not-found", "no address is known for its host name")
            case ConnectionRefusedError():
                return Sentence("connection-refused", "the connection was refused")
            case OSError(errno=int(number)) if not isinstance(each, ssl.SSLError):  # whose numbers are its own
                return os.strerror(number)
            case BaseExceptionGroup():
                waiting += each.exceptions
        before = each.__cause__ or each.__context__
        waiting += [] if before is None else [before]
    return str(error) or Sentence("connection-refused", "the connection was refused")


_OF_DATES = (9, 10)
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""
_NO_TLS_CAUSE = (ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLZeroReturnError, ssl.SSLEOFError)


def _tls_cause(error: BaseException | None) -> str | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            if error.verify_code in _OF_DATES:
                return Sentence(
                    "certificate-outside-dates",
                    "its certificate is not accepted here ({why}; this gateway's clock reads {time})",
                    why=error.verify_message,
                    time=utc(now_ns()),
                )
            return Sentence(
                "certificate-not-accepted", "its certificate is not accepted here ({why})", why=error.verify_message
            )
        # Every timeout and every cut has an SSL error in its context: TLS wanted more bytes, or got none.
        if isinstance(error, ssl.SSLError) and not isinstance(error, _NO_TLS_CAUSE):
            why = (error.reason or "no reason given").lower().replace("_", " ")
            return Sentence("tls-failed", "TLS failed ({why})", why=why)
        error = error.__cause__ or error.__context__
    return None
