"""The requests to webhooks, signed as https://www.standardwebhooks.com describes.

    webhook-id         the same in each try of one notification
    webhook-timestamp  seconds since the epoch
    webhook-signature  "v1," and base64(HMAC-SHA256(secret, id "." timestamp "." body))

Invariant: a body has ids, the sender, the peer and the time. It has no text, no size and no digest of a document, and a
document's name only if the gateway's admin allows that.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from sieve import addresses
from sieve.store.queries.notifications import Due

TIMEOUT_S: Final = 10.0
PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32
_NS_PER_S: Final = 1_000_000_000
_LONGEST: Final = 2000


class WebhookFailed(Exception):
    """A request to a webhook failed: its text says why, in one line."""


def new_secret() -> str:
    """A fresh secret, in the form in which it is shown once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def checked_url(text: str) -> str:
    """The address of a webhook: HTTPS, or HTTP on this machine.

    Raises:
        ValueError: it is not one.
    """
    text = text.strip()
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise ValueError("not an address; write it like https://app.example.org/sieve") from error
    if len(text) > _LONGEST or not text.isascii() or not text.isprintable() or "@" in parts.netloc or parts.fragment:
        raise ValueError("not an address without user and fragment; write it like https://app.example.org/sieve")
    host = addresses.name_in(parts.netloc)
    if not host:
        raise ValueError("the host is missing; write it like https://app.example.org/sieve")
    if parts.scheme != "https" and not (parts.scheme == "http" and addresses.is_loopback(host)):
        raise ValueError("it must begin with https://; http:// is only for an application on the gateway's machine")
    return text


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


@dataclass(frozen=True, slots=True)
class Webhooks:
    """Calls webhooks. `with_names`: requests may name documents. `transport`: tests replace it."""

    gateway: str
    with_names: bool
    transport: httpx.AsyncBaseTransport | None = field(default=None, repr=False)

    async def arrived(self, one: Due, url: str, secret: str, now_ns: int) -> None:
        """Says that a document arrived.

        Raises:
            WebhookFailed: the application did not answer with a status from 200 to 299.
        """
        data: dict[str, Any] = {
            "inbox_id": one.entry_id,
            "transfer_id": one.transfer_id,
            "recipient": one.login,
            "sender": one.sender,
            "peer": one.peer,
            "received_at": _text(one.received_at_ns),
        }
        if self.with_names:
            data["name"] = one.document
        await self._post(url, secret, f"{one.entry_id}.{one.target}", "document.received", data, now_ns)

    async def test(self, webhook_id: str, url: str, secret: str, now_ns: int) -> None:
        """Sends a request that announces nothing.

        Raises:
            WebhookFailed: the application did not answer with a status from 200 to 299.
        """
        await self._post(url, secret, f"{webhook_id}.{now_ns}", "test", {}, now_ns)

    async def _post(
        self, url: str, secret: str, message_id: str, kind: str, data: Mapping[str, Any], now_ns: int
    ) -> None:
        event = {"type": kind, "timestamp": _text(now_ns), "data": {"gateway": self.gateway, **data}}
        body = json.dumps(event, ensure_ascii=False).encode()
        timestamp = now_ns // _NS_PER_S
        headers = {
            "content-type": "application/json",
            "user-agent": "security-sieve",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, message_id, timestamp, body),
        }
        try:
            # The environment's proxies and netrc are not this gateway's settings. A redirect would carry the signature
            # to an address that no admin has named.
            async with (
                # The client's limit is for each step: an application that sends a byte now and then would hold up all
                # other notifications.
                asyncio.timeout(TIMEOUT_S),
                httpx.AsyncClient(
                    verify=_tls(),
                    timeout=TIMEOUT_S,
                    trust_env=False,
                    follow_redirects=False,
                    transport=self.transport,
                ) as client,
                client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            raise WebhookFailed(f"the application could not be reached ({type(error).__name__})") from error
        if not 200 <= status < 300:
            raise WebhookFailed(f"the application answered with status {status}")


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading the certificates takes 20 ms, on the event loop. They are the system's, as for e-mail, so that
    an office can add its own authority."""
    return ssl.create_default_context()


def _text(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // _NS_PER_S, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
