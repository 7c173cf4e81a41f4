"""What the API says about e-mails and webhooks."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from sieve import addresses
from sieve.gateway.notifications.webhooks import checked_url
from sieve.store.models import Webhook
from sieve.web.schemas import RequestBody, Shown

Email = Annotated[str, AfterValidator(addresses.email)]
WebhookUrl = Annotated[str, AfterValidator(checked_url)]


class NotificationsShown(BaseModel):
    """How a person hears of documents that arrive. `email_available`: whether this gateway has a mail server.
    `names_documents`: whether its messages name documents."""

    email: str | None
    email_notifications: bool
    email_available: bool
    names_documents: bool


class NotificationsAsked(RequestBody):
    """`email`: null removes the address. `email_notifications`: whether to send e-mails there."""

    email: Email | None
    email_notifications: bool


class WebhookAsked(RequestBody):
    """The address of an application: HTTPS, or HTTP on the gateway's machine."""

    url: Annotated[WebhookUrl, Field(examples=["https://app.example.org/sieve"])]


class WebhookShown(Shown):
    """A webhook. `sent_at`: when a request last succeeded. `problem`: why the latest request failed, null if it did
    not.
    """

    id: str
    url: str
    created_at: datetime
    sent_at: datetime | None
    problem: str | None


class WebhookMade(WebhookShown):
    """A new webhook with its `secret`, which is shown only once."""

    secret: str

    @classmethod
    def of(cls, row: Webhook, secret: str) -> "WebhookMade":
        return cls.from_attributes(row, secret=secret)


class WebhookTested(BaseModel):
    """`problem`: why the request failed; null if the application accepted it."""

    problem: str | None
