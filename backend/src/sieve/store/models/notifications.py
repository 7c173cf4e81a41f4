"""The tables of notifications: what is still to be sent to people's mail servers and to webhooks, and the webhooks."""

from typing import Final

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, Id, TimeNs

EMAIL: Final = "email"
"""The target of a notification that goes to its person's e-mail address."""


class Notification(Base):
    """A notification of one inbox entry that was not sent yet. `target`: `EMAIL`, or the id of a webhook."""

    __tablename__ = "notifications"
    __table_args__ = (Index("ix_notifications_next_try_at_ns", "next_try_at_ns"),)

    entry_id: Mapped[str] = mapped_column(ForeignKey("inbox.id"), primary_key=True)
    target: Mapped[str] = mapped_column(primary_key=True)
    created_at_ns: Mapped[TimeNs]
    next_try_at_ns: Mapped[TimeNs]
    tries: Mapped[int]


class Webhook(Base):
    """An address that the gateway calls when a document arrives for a person. `secret`: signs the requests, sealed.
    `problem`: why the latest request failed; None after one that succeeded."""

    __tablename__ = "webhooks"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    url: Mapped[str]
    secret: Mapped[bytes]
    created_at_ns: Mapped[TimeNs]
    sent_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    problem: Mapped[str | None]
