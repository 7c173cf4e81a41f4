"""E-mails about documents that arrive, for oneself; and webhooks of people, for admins."""

from sieve.gateway.errors import Conflict, NotFound
from sieve.store.models import User
from sieve.store.queries import notifications as queries
from sieve.store.queries import people
from sieve.web.access import Admin, Person, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.errors import MalformedRequest
from sieve.web.notifications.schemas import (
    NotificationsAsked,
    NotificationsShown,
    WebhookAsked,
    WebhookMade,
    WebhookShown,
    WebhookTested,
)
from sieve.web.services import Given, Services
from sieve.web.session.recent_confirmation import ConfirmedAdmin, browser_of, require_confirmed

router = api_router(tag="notifications")

MOST_WEBHOOKS = 10
"""Of one person."""


@router.get("/me/notifications")
async def mine(person: Person, services: Given) -> NotificationsShown:
    """How I hear of documents that arrive."""
    return _shown(services, person)


@router.put("/me/notifications")
async def change_mine(
    asked: NotificationsAsked, person: Person, shown: ShownCredentials, services: Given
) -> NotificationsShown:
    """Changes my e-mail address, and whether I get an e-mail when documents arrive. To set another address, or to
    switch e-mails on, I signed in, or confirmed that it is me, in a browser in the last ten minutes.
    """
    switches_on = asked.email_notifications and not person.email_notifications
    if switches_on or asked.email not in (None, person.email):
        require_confirmed((await browser_of(person, shown, services)).session)
    if asked.email_notifications:
        if asked.email is None:
            raise MalformedRequest("body.email: an address is missing; e-mails need one")
        if services.notifier.emails is None:
            raise Conflict("this gateway has no mail server; an admin sets one with SIEVE_SMTP_URL")
    async with services.database.write() as session:
        await people.change(session, person.id, **asked.model_dump())
        if not asked.email_notifications:
            await queries.remove_emails_of(session, person.id)
        row = await people.by_id(session, person.id)
    services.announcements.account_changed(person.id)
    return _shown(services, _found(row))


@router.get("/people/{person_id}/webhooks")
async def webhooks(person_id: str, admin: Admin, services: Given) -> list[WebhookShown]:
    """The webhooks of a person, the oldest first."""
    async with services.database.read() as session:
        _found(await people.by_id(session, person_id))
        return [WebhookShown.from_attributes(row) for row in await queries.webhooks_of(session, person_id)]


@router.post("/people/{person_id}/webhooks", status_code=201)
async def add_webhook(person_id: str, asked: WebhookAsked, admin: ConfirmedAdmin, services: Given) -> WebhookMade:
    """Adds a webhook: the gateway calls it for each document that arrives for that person. Its secret, which signs the
    requests, is shown only once.
    """
    async with services.database.write() as session:
        person = _found(await people.by_id(session, person_id))
        if len(await queries.webhooks_of(session, person_id)) >= MOST_WEBHOOKS:
            raise Conflict(f"{person.name} has {MOST_WEBHOOKS} webhooks already; remove one first")
        row, secret = await services.notifier.add_webhook(session, person_id, asked.url)
        await services.audit.note(session, admin.name, "webhook-added", person.name, {"webhook": row.id})
    return WebhookMade.of(row, secret)


@router.post("/people/{person_id}/webhooks/{webhook_id}/test")
async def test_webhook(person_id: str, webhook_id: str, admin: Admin, services: Given) -> WebhookTested:
    """Sends a request of type `test` to a webhook."""
    async with services.database.read() as session:
        row = await queries.webhook(session, person_id, webhook_id)
    if row is None:
        raise _no_webhook()
    return WebhookTested(problem=await services.notifier.test(row))


@router.delete("/people/{person_id}/webhooks/{webhook_id}", status_code=204)
async def remove_webhook(person_id: str, webhook_id: str, admin: Admin, services: Given) -> None:
    """Removes a webhook, and what was still to be sent to it."""
    async with services.database.write() as session:
        person = _found(await people.by_id(session, person_id))
        if await queries.webhook(session, person_id, webhook_id) is None:
            raise _no_webhook()
        await queries.remove_webhook(session, webhook_id)
        await services.audit.note(session, admin.name, "webhook-removed", person.name, {"webhook": webhook_id})


def _shown(services: Services, person: User) -> NotificationsShown:
    return NotificationsShown(
        email=person.email,
        email_notifications=person.email_notifications,
        email_available=services.notifier.emails is not None,
        names_documents=services.settings.notifications_name_documents,
    )


def _found(row: User | None) -> User:
    if row is None:
        raise NotFound("there is no such person")
    return row


def _no_webhook() -> NotFound:
    return NotFound("this person has no such webhook")
