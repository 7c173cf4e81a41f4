"""The e-mail that says that documents arrived, and the mail server that takes it.

Invariant: an e-mail names the senders and links to the inbox. It has no text of a document, and a document's name only
if the gateway's admin allows that.
"""

import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from typing import Final

from sieve import addresses
from sieve.addresses import MailServer
from sieve.channel.safe_names import clean_line
from sieve.store.queries.notifications import Due

TIMEOUT_S: Final = 20.0
_MOST_LISTED: Final = 20


class EmailRefused(Exception):
    """The mail server refused the message for good: its text says why, in one line."""


def deliver(to: MailServer, message: EmailMessage) -> None:
    """Sends a message. It blocks: call it in a thread.

    Raises:
        EmailRefused: the server refuses this message for good.
        OSError: it could not be sent now.
    """
    tls = ssl.create_default_context()
    try:
        if to.implicit_tls:
            with smtplib.SMTP_SSL(to.host, to.port, timeout=TIMEOUT_S, context=tls) as server:
                _send(server, to, message)
            return
        with smtplib.SMTP(to.host, to.port, timeout=TIMEOUT_S) as server:
            server.ehlo()
            # A server on this machine needs no TLS. Any other must have it: the password goes there.
            if server.has_extn("starttls") or not addresses.is_loopback(to.host):
                server.starttls(context=tls)
            _send(server, to, message)
    except smtplib.SMTPRecipientsRefused as error:
        ((code, text),) = error.recipients.values()
        if 500 <= code < 600:
            raise EmailRefused(clean_line(text.decode(errors="replace"))) from error
        raise


def _send(server: smtplib.SMTP, to: MailServer, message: EmailMessage) -> None:
    if to.user is not None:
        server.login(to.user, to.password or "")
    server.send_message(message)


@dataclass(frozen=True, slots=True)
class Emails:
    """Makes and sends e-mails. `sender`: such as `Security Sieve <sieve@example.org>`. `web_url`: of the interface.
    `with_names`: they may name documents."""

    server: MailServer
    sender: str
    gateway: str
    web_url: str
    with_names: bool

    def send(self, arrived: Sequence[Due]) -> None:
        """Sends one person one e-mail about documents that arrived. It blocks: call it in a thread.

        Raises:
            EmailRefused: the server refuses this message for good.
            OSError: it could not be sent now.
        """
        deliver(self.server, self.message(arrived))

    def message(self, arrived: Sequence[Due]) -> EmailMessage:
        """One person's e-mail about documents that arrived, of which there is at least one."""
        count = len(arrived)
        what = "A document" if count == 1 else f"{count} documents"
        message = EmailMessage()
        message["Subject"] = f"{what} arrived at {self.gateway}"
        message["From"] = self.sender
        message["To"] = str(Address(display_name=arrived[0].display_name, addr_spec=arrived[0].email or ""))
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(arrived[0].entry_id, domain=parseaddr(self.sender)[1].rpartition("@")[2])
        # Mail programs answer neither it nor its bounces automatically.
        message["Auto-Submitted"] = "auto-generated"
        lines = [self._line(one) for one in arrived[:_MOST_LISTED]]
        if count > _MOST_LISTED:
            lines.append(f"and {count - _MOST_LISTED} more")
        link = f"{self.web_url}/inbox/{arrived[0].entry_id}" if count == 1 else f"{self.web_url}/inbox"
        message.set_content(
            f"{what} arrived for you:\n\n"
            + "\n".join(lines)
            + f"\n\nSign in to read: {link}\n\n"
            + "You can switch these e-mails off under Account.\n"
        )
        return message

    def _line(self, one: Due) -> str:
        name = f"{clean_line(one.document)}, " if self.with_names else ""
        return f"- {name}from {clean_line(one.sender)} at {one.peer}"
