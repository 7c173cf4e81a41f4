"""The job: what is due is sent once, what fails is tried again, and nothing is lost when the gateway stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from smtplib import SMTPRecipientsRefused
from typing import Any

import httpx
import pytest

from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.notifications import notifier as module
from sieve.gateway.notifications.emails import EmailRefused
from sieve.gateway.notifications.notifier import EMAIL_PACE_NS, GIVE_UP_NS, Notifier
from sieve.gateway.notifications.webhooks import Webhooks
from sieve.store.queries import notifications, people
from sieve.store.queries.notifications import Due
from web_world import World

RECEIVED_NS = 1_700_000_000 * NS_PER_S
"""When the world's deliveries were."""
URL = "https://app.example.org/sieve"


@dataclass
class Outside:
    """The mail server and the application, as the notifier sees them. `fails`: raised by the next e-mails."""

    now_ns: int = RECEIVED_NS
    fails: list[Exception] = field(default_factory=list)
    status: int = 200
    emails: list[Sequence[Due]] = field(default_factory=list)
    calls: list[httpx.Request] = field(default_factory=list)

    def send(self, arrived: Sequence[Due]) -> None:
        if self.fails:
            raise self.fails.pop(0)
        self.emails.append(arrived)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.calls.append(request)
        return httpx.Response(self.status)

    def notifier(self, world: World) -> Notifier:
        """A notifier that has just started."""
        emails: Any = self
        webhooks = Webhooks("bravo", False, httpx.MockTransport(self.answer))
        keys = world.services.notifier.keys
        return Notifier(world.database, keys, emails, webhooks, Clock(lambda: self.now_ns, lambda: self.now_ns))


async def wants_email(world: World, who: str, address: str | None = "someone@example.org") -> None:
    async with world.database.write() as session:
        await people.change(session, world.people[who].id, email=address, email_notifications=True)


async def hook(world: World, notifier: Notifier, who: str) -> str:
    async with world.database.write() as session:
        return (await notifier.add_webhook(session, world.people[who].id, URL))[0].id


async def problem_of(world: World, who: str) -> str | None:
    async with world.database.read() as session:
        (row,) = await notifications.webhooks_of(session, world.people[who].id)
    return row.problem


async def test_who_wants_no_notification_gets_none(world: World) -> None:
    outside = Outside()
    await world.deliver(b"plain")
    assert await outside.notifier(world).send_due() == 0


async def test_each_is_sent_once_and_survives_a_stop_before_it_was_sent(world: World) -> None:
    outside = Outside()
    await wants_email(world, "bruno")
    webhook = await hook(world, outside.notifier(world), "rosa")
    transfer_id = await world.deliver(b"plain <$S>secret<$E>", to=["bruno", "rosa"])
    # This notifier knows only what is in the database.
    assert await outside.notifier(world).send_due() == 2
    ((email,),) = outside.emails
    assert (email.login, email.transfer_id) == ("bruno", transfer_id)
    (call,) = outside.calls
    assert str(call.url) == URL
    assert call.headers["webhook-id"].endswith(webhook)
    assert b"secret" not in call.content
    assert await outside.notifier(world).send_due() == 0


async def test_a_failed_email_is_tried_again_later_and_a_refused_one_is_not(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    outside = Outside(fails=[ConnectionRefusedError(111, "Connection refused")])
    await wants_email(world, "bruno")
    await world.deliver(b"plain", to=["bruno"])
    notifier = outside.notifier(world)
    assert await notifier.send_due() == 1
    assert await notifier.send_due() == 0  # not yet
    outside.now_ns += module.FIRST_RETRY_NS
    outside.fails = [EmailRefused("no such mailbox")]
    assert await notifier.send_due() == 1
    outside.now_ns += GIVE_UP_NS
    assert await notifier.send_due() == 0
    assert outside.emails == []
    assert [record.getMessage() for record in caplog.records] == [
        "cannot send e-mail to bruno now: Connection refused",
        "the mail server refuses e-mail to bruno: no such mailbox",
    ]


async def test_a_mail_server_that_does_not_answer_is_asked_once_in_a_round(world: World) -> None:
    outside = Outside(fails=[TimeoutError("timed out")])
    notifier = outside.notifier(world)
    for who in ("bruno", "rosa"):
        await wants_email(world, who)
    await world.deliver(b"plain", to=["bruno", "rosa"])
    assert await notifier.send_due() == 2
    assert outside.emails == []
    outside.now_ns += module.FIRST_RETRY_NS
    outside.fails = [SMTPRecipientsRefused({"someone@example.org": (450, b"later")})]
    assert await notifier.send_due() == 2
    assert len(outside.emails) == 1, "a server that answers for one may take the other's"


async def test_one_that_fails_in_an_unexpected_way_does_not_hold_up_or_repeat_the_others(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    outside = Outside(fails=[ValueError("a defect, with the name of a document")])
    notifier = outside.notifier(world)
    await wants_email(world, "bruno")
    await hook(world, notifier, "rosa")
    await world.deliver(b"plain", to=["bruno", "rosa"])
    assert await notifier.send_due() == 2
    assert await notifier.send_due() == 0, "it waits like any other failure, and the other was sent once"
    assert len(outside.calls) == 1
    assert "the name of a document" not in caplog.text
    outside.now_ns += module.FIRST_RETRY_NS
    assert await notifier.send_due() == 1
    assert len(outside.emails) == 1


async def test_after_three_days_it_gives_up(world: World) -> None:
    outside = Outside(status=500)
    notifier = outside.notifier(world)
    await hook(world, notifier, "rosa")
    await world.deliver(b"plain", to=["rosa"])
    tries = 0
    while await notifier.send_due():
        tries += 1
        outside.now_ns += notifications.LONGEST_PAUSE_NS
    assert 3 * 24 <= tries <= 3 * 24 + 2
    assert await problem_of(world, "rosa") == "the application answered with status 500"
    outside.status = 200
    await world.deliver(b"plain", to=["rosa"])
    await notifier.send_due()
    assert await problem_of(world, "rosa") is None


async def test_a_person_gets_one_email_in_five_minutes_with_all_that_came_meanwhile(world: World) -> None:
    outside = Outside()
    notifier = outside.notifier(world)
    await wants_email(world, "bruno")
    await world.deliver(b"first", to=["bruno"])
    await notifier.send_due()
    for text in (b"second", b"third"):
        await world.deliver(text, to=["bruno"])
    await notifier.send_due()
    assert [len(each) for each in outside.emails] == [1]
    outside.now_ns += EMAIL_PACE_NS
    await notifier.send_due()
    assert [len(each) for each in outside.emails] == [1, 2]


@pytest.mark.parametrize("act", ["read", "delete"])
async def test_nobody_gets_an_email_about_what_they_have_read_or_deleted(world: World, act: str) -> None:
    outside = Outside()
    await wants_email(world, "bruno")
    transfer_id = await world.deliver(b"plain", to=["bruno"])
    async with world.client("bruno") as api:
        if act == "read":
            assert (await api.get(f"/inbox/{transfer_id}/content")).status_code == 200
        else:
            assert (await api.delete(f"/inbox/{transfer_id}")).status_code == 204
    assert await outside.notifier(world).send_due() == 1
    assert outside.emails == []
    assert await outside.notifier(world).send_due() == 0


@pytest.mark.parametrize("lost", ["address", "account"])
async def test_who_cannot_be_reached_any_more_is_left_out(world: World, lost: str) -> None:
    outside = Outside()
    await wants_email(world, "bruno")
    await world.deliver(b"plain", to=["bruno"])
    change: dict[str, Any] = {"email": None} if lost == "address" else {"disabled_at_ns": 1}
    async with world.database.write() as session:
        await people.change(session, world.people["bruno"].id, **change)
    assert await outside.notifier(world).send_due() == 1
    assert outside.emails == []
    assert await outside.notifier(world).send_due() == 0
