"""Sends the notifications that wait, and tries again those that failed.

Invariant: a notification is added in the transaction that makes the inbox entry, and removed once it was sent, or after
`GIVE_UP_NS`. So a gateway that stops loses none; one that stops between sending and removing sends it twice.
"""

import asyncio
import logging
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.notifications.emails import EmailRefused, Emails
from sieve.gateway.notifications.webhooks import WebhookFailed, Webhooks, new_secret
from sieve.gateway.periodic_jobs import repeat
from sieve.store import sealed_value, sealing_context
from sieve.store.database import Database
from sieve.store.errors import BlobDamaged, MasterKeyError
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Webhook, new_id
from sieve.store.models.notifications import EMAIL
from sieve.store.queries import notifications
from sieve.store.queries.notifications import Due

log = logging.getLogger(__name__)

PACE_S: Final = 3.0
"""Seconds between two looks for notifications."""
AT_ONCE: Final = 100
"""Notifications in one round; the slowest of them ends it."""
EMAIL_PACE_NS: Final = 300 * NS_PER_S
"""A person gets at most one e-mail in this time; what arrives meanwhile is in the next."""
FIRST_RETRY_NS: Final = 30 * NS_PER_S
GIVE_UP_NS: Final = 3 * 24 * 3600 * NS_PER_S


@dataclass(slots=True)
class _Round:
    """What became of the notifications of one round."""

    done: list[Due] = field(default_factory=list)
    failed: list[Due] = field(default_factory=list)
    waiting: dict[Due, int] = field(default_factory=dict)
    """Until when each waits that was not tried."""
    webhooks: dict[str, str | None] = field(default_factory=dict)
    """The problem of each webhook that was called, None if there was none."""
    is_mail_down: bool = False
    """The mail server did not answer, and nobody else's e-mail is tried."""


@dataclass(slots=True)
class Notifier:
    """The job. `emails`: None if the gateway has no mail server."""

    database: Database
    keys: MasterKeys
    emails: Emails | None
    webhooks: Webhooks
    clock: Clock = field(default_factory=Clock)
    _emailed_ns: dict[str, int] = field(default_factory=dict)
    """When each person got the latest e-mail, of those who have to wait for the next."""

    async def run(self) -> None:
        """Sends what is due, every `PACE_S` seconds, until cancelled."""
        await repeat(self._send_all_due, PACE_S, "send notifications")

    async def _send_all_due(self) -> None:
        while await self.send_due() == AT_ONCE:
            pass

    async def add_webhook(self, session: AsyncSession, user_id: str, url: str) -> tuple[Webhook, str]:
        """Adds a webhook for a person, in the caller's transaction; returns it with its secret."""
        webhook_id, secret = new_id(), new_secret()
        row = await notifications.add_webhook(
            session,
            id=webhook_id,
            user_id=user_id,
            url=url,
            secret=sealed_value.seal(self.keys, secret.encode(), sealing_context.webhook(webhook_id)),
            created_at_ns=self.clock.now_ns(),
        )
        return row, secret

    async def test(self, webhook: Webhook) -> str | None:
        """Calls a webhook for a test; returns the problem, None if there was none."""
        now_ns = self.clock.now_ns()
        problem = None
        try:
            secret = self._secret(webhook.id, webhook.secret)
            await self.webhooks.test(webhook.id, webhook.url, secret, now_ns)
        except _CANNOT_CALL as error:
            problem = str(error)
        async with self.database.write() as session:
            await notifications.note_webhook(session, webhook.id, now_ns, problem)
        return problem

    def _secret(self, webhook_id: str, sealed: bytes) -> str:
        return sealed_value.unseal(self.keys, sealed, sealing_context.webhook(webhook_id)).decode()

    async def send_due(self) -> int:
        """Sends the notifications that are due, up to `AT_ONCE`; returns how many were due."""
        now_ns = self.clock.now_ns()
        async with self.database.read() as session:
            due = await notifications.due(session, now_ns, AT_ONCE)
        if not due:
            return 0
        result = _Round()
        await asyncio.gather(
            self._emails([one for one in due if one.target == EMAIL], now_ns, result),
            *(self._call(one, now_ns, result) for one in due if one.target != EMAIL),
        )
        await self._record(result, now_ns)
        return len(due)

    async def _emails(self, arrived: Sequence[Due], now_ns: int, result: _Round) -> None:
        """One after the other: transfers need the threads that a mail server may hold up."""
        for _, theirs in groupby(sorted(arrived, key=_PERSON), key=_PERSON):
            if result.is_mail_down:
                result.waiting |= dict.fromkeys(theirs, now_ns + FIRST_RETRY_NS)
            else:
                await self._email(list(theirs), now_ns, result)

    async def _email(self, arrived: Sequence[Due], now_ns: int, result: _Round) -> None:
        person = arrived[0]
        unread = [one for one in arrived if one.unread]
        # Nobody needs an e-mail about what they have opened.
        result.done += [one for one in arrived if not one.unread]
        if self.emails is None or person.disabled or person.email is None:
            result.done += unread
            return
        next_ns = self._emailed_ns.get(person.user_id, 0) + EMAIL_PACE_NS
        # A clock that was set back must not postpone it for longer.
        if now_ns < next_ns <= now_ns + EMAIL_PACE_NS:
            result.waiting |= dict.fromkeys(unread, next_ns)
            return
        if not unread:
            return
        try:
            await asyncio.to_thread(self.emails.send, unread)
        except EmailRefused as refused:
            log.warning("the mail server refuses e-mail to %s: %s", person.login, refused)
            result.done += unread
        except Exception as error:  # a defect, too: it must not hold up the others, nor make them go twice
            log.warning("cannot send e-mail to %s now: %s", person.login, _reason(error))
            result.failed += unread
            result.is_mail_down = isinstance(error, OSError) and not isinstance(error, _ANSWERED)
        else:
            self._emailed_ns[person.user_id] = now_ns
            result.done += unread

    async def _call(self, one: Due, now_ns: int, result: _Round) -> None:
        if one.deleted or one.disabled or one.url is None or one.secret is None:
            result.done.append(one)
            return
        try:
            await self.webhooks.arrived(one, one.url, self._secret(one.target, one.secret), now_ns)
        except _CANNOT_CALL as error:
            result.webhooks[one.target] = str(error)
            result.failed.append(one)
        except Exception as error:  # see `_email`
            log.warning("cannot call webhook %s now: %s", one.target, _reason(error))
            result.failed.append(one)
        else:
            result.webhooks.setdefault(one.target, None)
            result.done.append(one)

    async def _record(self, result: _Round, now_ns: int) -> None:
        given_up = [one for one in result.failed if self._is_over(one, now_ns)]
        if given_up:
            log.warning("gave up %d notifications, which failed for three days", len(given_up))
        again = {one: now_ns + _pause_ns(one.tries) for one in result.failed if one not in given_up}
        async with self.database.write() as session:
            await notifications.remove(session, [*result.done, *given_up])
            await notifications.postpone(session, again, tried=True)
            await notifications.postpone(session, result.waiting, tried=False)
            for webhook_id, problem in result.webhooks.items():
                await notifications.note_webhook(session, webhook_id, now_ns, problem)
        for user_id in [user_id for user_id, at_ns in self._emailed_ns.items() if at_ns + EMAIL_PACE_NS <= now_ns]:
            del self._emailed_ns[user_id]

    def _is_over(self, one: Due, now_ns: int) -> bool:
        return now_ns - one.created_at_ns > GIVE_UP_NS and not self.clock.is_doubted


_PERSON: Final = attrgetter("user_id")


_ANSWERED: Final = (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused)
"""Errors, all of them OSErrors, of a mail server that answers."""
_CANNOT_CALL: Final = (WebhookFailed, BlobDamaged, MasterKeyError)


def _pause_ns(tries: int) -> int:
    return int(min(notifications.LONGEST_PAUSE_NS, FIRST_RETRY_NS * 2 ** min(tries, 20)))


def _reason(error: Exception) -> str:
    """Only what kind of failure it was: a server's text may repeat the password."""
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else type(error).__name__
