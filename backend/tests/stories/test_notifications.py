"""A document arrives: a real mail server and a real application hear of it, and neither learns what is in it."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx
from aiosmtpd.smtp import SMTP

from browsers import OURS
from stories.pair import PATIENCE_S, client, pair

SECRET = b"the sixth of October"
MARKED = b"Berth 3 opens on <$S>" + SECRET + b"<$E>. Nobody knows.\n"


class MailBox:
    """A mail server's handler that keeps what it gets."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        await self.messages.put(envelope.content)
        return "250 OK"


@asynccontextmanager
async def mail_server(box: MailBox) -> AsyncIterator[int]:
    """The port of a mail server on loopback."""
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box, hostname="localhost"), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def application(requests: "asyncio.Queue[bytes]") -> AsyncIterator[str]:
    """The address of an application that answers 204."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        await requests.put(head + body)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/sieve"


async def the_next(of: "asyncio.Queue[bytes]") -> bytes:
    async with asyncio.timeout(PATIENCE_S):
        return await of.get()


async def test_an_email_and_a_signed_request_say_that_a_document_arrived(tmp_path: Path) -> None:
    box, requests = MailBox(), asyncio.Queue[bytes]()
    async with mail_server(box) as port, application(requests) as address:
        settings = {
            "SIEVE_SMTP_URL": f"smtp://127.0.0.1:{port}",
            "SIEVE_SMTP_FROM": "Security Sieve <sieve@example.org>",
            "SIEVE_WEB_URL": "https://bravo.example.org",
        }
        async with pair(tmp_path, bravo_settings=settings) as both:
            async with client(both.bravo, both.bravo.admin_token) as admin:
                asked = {"name": "berta", "display_name": "Berta", "is_recipient": True}
                person: dict[str, Any] = (await admin.post("/people", json=asked)).json()
                link: dict[str, str] = (await admin.post(f"/people/{person['id']}/link")).json()
                made = await admin.post(f"/people/{person['id']}/webhooks", json={"url": address})
                secret: str = made.json()["secret"]
            # No token sets an address.
            async with client(both.bravo, "") as browser:
                browser.headers = httpx.Headers(OURS)
                used = {"code": link["url"].partition("#")[2], "password": "correct horse battery"}
                assert (await browser.post("/welcome", json=used)).status_code == 200
                wanted = {"email": "berta@example.org", "email_notifications": True}
                assert (await browser.put("/me/notifications", json=wanted)).status_code == 200
            transfer_id, ended = await both.send(MARKED, recipients=["berta"])
            assert ended["state"] == "delivered"
            message, request = await asyncio.gather(the_next(box.messages), the_next(requests))
    assert b"To: Berta <berta@example.org>" in message
    assert b"https://bravo.example.org/inbox/" in message
    head, body = request.split(b"\r\n\r\n", 1)
    headers = httpx.Headers(
        [cast(tuple[bytes, bytes], tuple(line.split(b": ", 1))) for line in head.split(b"\r\n")[1:]]
    )
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = hmac.digest(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256)
    assert headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()
    assert transfer_id.encode() in body
    for said in (message, request):
        assert SECRET not in said and b"Berth" not in said and b"report" not in said
