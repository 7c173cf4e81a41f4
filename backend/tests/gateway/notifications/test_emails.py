"""E-mails: what they say, and a real mail server that takes or refuses them."""

import asyncio
import smtplib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP
from hypothesis import given
from hypothesis import strategies as st

from sieve import addresses
from sieve.addresses import MailServer
from sieve.gateway.notifications import emails
from sieve.gateway.notifications.emails import EmailRefused, Emails
from sieve.store.queries.notifications import Due

LOCAL = MailServer("127.0.0.1", 25, implicit_tls=False, user=None, password=None)


def due(**values: Any) -> Due:
    usual: dict[str, Any] = {
        "entry_id": "e" * 32,
        "target": "email",
        "created_at_ns": 0,
        "tries": 0,
        "unread": True,
        "deleted": False,
        "transfer_id": "t" * 32,
        "received_at_ns": 0,
        "sender": "anna",
        "peer": "alpha",
        "document": "The sixth of October.txt",
        "user_id": "u" * 32,
        "login": "bruno",
        "display_name": "Bruno Böhm",
        "disabled": False,
        "email": "bruno@example.org",
        "url": None,
        "secret": None,
    }
    return Due(**usual | values)


def a_sender(server: MailServer = LOCAL, *, with_names: bool = False) -> Emails:
    return Emails(server, "Security Sieve <sieve@example.org>", "bravo", "https://bravo.example.org", with_names)


@dataclass
class MailBox:
    """A mail server's handler. `refuses`: the answer to each recipient, if not None."""

    refuses: str | None = None
    messages: list[EmailMessage] = field(default_factory=list)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if self.refuses:
            return self.refuses
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


@asynccontextmanager
async def mail_server(box: MailBox) -> AsyncIterator[MailServer]:
    """A real mail server on loopback."""
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box, hostname="localhost"), "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield MailServer(host, port, implicit_tls=False, user=None, password=None)


async def test_a_mail_server_takes_a_message() -> None:
    box = MailBox()
    async with mail_server(box) as server:
        await asyncio.to_thread(a_sender(server).send, [due()])
    (message,) = box.messages
    assert message["To"] == "Bruno Böhm <bruno@example.org>"
    assert message["From"] == "Security Sieve <sieve@example.org>"
    assert message["Subject"] == "A document arrived at bravo"
    assert message.get_content().replace("\r\n", "\n") == (
        "A document arrived for you:\n\n- from anna at alpha\n\n"
        f"Sign in to read: https://bravo.example.org/inbox/{'e' * 32}\n\n"
        "You can switch these e-mails off under Account.\n"
    )


@pytest.mark.parametrize(
    ("answer", "error"),
    [("550 nobody has this name", EmailRefused), ("450 come back later", smtplib.SMTPRecipientsRefused)],
)
async def test_only_a_refusal_for_good_is_final(answer: str, error: type[Exception]) -> None:
    async with mail_server(MailBox(answer)) as server:
        with pytest.raises(error) as raised:
            await asyncio.to_thread(a_sender(server).send, [due()])
    if error is EmailRefused:
        assert str(raised.value) == "nobody has this name"


async def test_a_password_goes_to_no_other_machine_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    box = MailBox()
    monkeypatch.setattr(addresses, "is_loopback", lambda _: False)
    async with mail_server(box) as server:
        with pytest.raises(smtplib.SMTPNotSupportedError, match="STARTTLS"):
            await asyncio.to_thread(emails.deliver, server, a_sender().message([due()]))
    assert box.messages == []


def test_several_documents_are_one_message() -> None:
    message = a_sender().message([due(sender=f"person{number}") for number in range(23)])
    assert message["Subject"] == "23 documents arrived at bravo"
    text = message.get_content()
    assert text.count("- from person") == 20
    assert "and 3 more\n" in text
    assert "https://bravo.example.org/inbox\n" in text


@given(st.text(max_size=80), st.text(max_size=200), st.booleans())
def test_a_message_names_a_document_only_if_that_is_allowed(sender: str, name: str, with_names: bool) -> None:
    marked = f"{name} SECRETNAME"
    message = a_sender(with_names=with_names).message([due(sender=sender, document=marked)])
    assert ("SECRETNAME" in message.get_content()) == with_names
    assert "SECRETNAME" not in str(message["Subject"])
    # Nothing that a peer chose makes another header or line.
    usual = a_sender().message([due()])
    sent = message_from_bytes(message.as_bytes(), policy=policy.default)
    assert set(sent.keys()) == set(usual.keys())
    assert len(message.get_content().splitlines()) == len(usual.get_content().splitlines())
