"""Requests to webhooks: their signature, and real HTTP to an application on loopback."""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import ssl
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.notifications.test_emails import due
from sieve.gateway.notifications import webhooks
from sieve.gateway.notifications.webhooks import WebhookFailed, Webhooks, checked_url, new_secret

URL = "https://app.example.org/sieve"


def answering(status: int, taken: list[httpx.Request]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        taken.append(request)
        return httpx.Response(status, headers={"location": "https://elsewhere.example.org"})

    return httpx.MockTransport(answer)


def test_the_signature_is_the_one_of_the_specification() -> None:
    # The example of https://github.com/standard-webhooks/standard-webhooks.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    found = webhooks.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_the_guide_s_example_accepts_our_requests_alone() -> None:
    guide = (Path(__file__).parents[4] / "docs" / "guide.md").read_text()
    [example] = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102 -- what the guide tells admins to write
    is_genuine, secret, taken = names["is_genuine"], new_secret(), list[httpx.Request]()
    await Webhooks("bravo", False, answering(200, taken)).arrived(due(), URL, secret, time.time_ns())
    [request] = taken
    assert is_genuine(secret, request.headers, request.content)
    assert not is_genuine(new_secret(), request.headers, request.content)
    assert not is_genuine(secret, request.headers, request.content.replace(b"anna", b"anne"))
    assert not is_genuine(secret, {**request.headers, "webhook-id": "another"}, request.content)
    taken.clear()
    await Webhooks("bravo", False, answering(200, taken)).arrived(due(), URL, secret, time.time_ns() - 600 * 10**9)
    assert not is_genuine(secret, taken[0].headers, taken[0].content)


@pytest.mark.parametrize("with_names", [True, False])
async def test_a_request_says_that_a_document_arrived(with_names: bool) -> None:
    taken: list[httpx.Request] = []
    secret = new_secret()
    one = due(target="w" * 32, document="The sixth of October.txt")
    await Webhooks("bravo", with_names, answering(204, taken)).arrived(one, URL, secret, 1_700_000_000_000_000_000)
    (request,) = taken
    event: dict[str, Any] = json.loads(request.content)
    assert event["type"] == "document.received"
    assert event["timestamp"] == "2023-11-14T22:13:20Z"
    assert event["data"].pop("name", None) == ("The sixth of October.txt" if with_names else None)
    assert event["data"] == {
        "gateway": "bravo",
        "inbox_id": "e" * 32,
        "transfer_id": "t" * 32,
        "recipient": "bruno",
        "sender": "anna",
        "peer": "alpha",
        "received_at": "1970-01-01T00:00:00Z",
    }
    message_id, timestamp = request.headers["webhook-id"], request.headers["webhook-timestamp"]
    assert message_id == f"{'e' * 32}.{'w' * 32}"
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + request.content, hashlib.sha256)
    assert request.headers["webhook-signature"] == "v1," + base64.b64encode(signed).decode()


@pytest.mark.parametrize("status", [HTTPStatus.FOUND, HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR])
async def test_only_a_status_of_success_counts_and_no_redirect_is_followed(status: HTTPStatus) -> None:
    taken: list[httpx.Request] = []
    with pytest.raises(WebhookFailed, match=f"status {status.value}"):
        await Webhooks("bravo", False, answering(status, taken)).test("w", URL, new_secret(), 0)
    assert len(taken) == 1


async def test_an_application_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(WebhookFailed, match="could not be reached"):
        # Port 1 of loopback: nothing listens there, and no user may.
        await Webhooks("bravo", False).test("w", "http://127.0.0.1:1/", new_secret(), 0)


async def test_requests_share_what_verifies_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    create = ssl.create_default_context

    def counted(*of: Any, **more: Any) -> ssl.SSLContext:
        made.append(of)
        return create(*of, **more)

    monkeypatch.setattr(ssl, "create_default_context", counted)
    for _ in range(2):
        with pytest.raises(WebhookFailed, match="could not be reached"):
            await Webhooks("bravo", False).test("w", "https://127.0.0.1:1/", new_secret(), 0)
    assert len(made) <= 1, "each takes 20 ms on the event loop"


class _Endless(httpx.AsyncBaseTransport):
    """An application that never ends its answer, however fast it sends."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await asyncio.Future()


async def test_an_application_that_never_ends_its_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 0.01)
    with pytest.raises(WebhookFailed, match="could not be reached"):
        await Webhooks("bravo", False, _Endless()).test("w", URL, new_secret(), 0)


@pytest.mark.parametrize(
    "url", [URL, "http://127.0.0.1:9000/", "http://localhost/x?y=1", "http://[::1]:8/", "https://[2001:db8::1]/"]
)
def test_addresses_of_webhooks(url: str) -> None:
    assert checked_url(f" {url} ") == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "app.example.org",
        "http://app.example.org/",
        "https://",
        "https://user:password@app.example.org/",
        "https://app.example.org/#part",
        "https://app.example.org:99999/",
        "ftp://127.0.0.1/",
        "https://app.example.org/\n",
        "https://app.example.org/" + "x" * 2000,
        "https://bücher.example/",
    ],
)
def test_what_is_no_address_of_a_webhook(url: str) -> None:
    if url.endswith("\n"):
        assert checked_url(url) == url.strip()
        return
    with pytest.raises(ValueError, match=r"address|https://|host"):
        checked_url(url)
