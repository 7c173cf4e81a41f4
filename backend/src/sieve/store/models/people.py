"""The tables of people: accounts, tokens, sessions, one-time links, approvals and failed sign-ins."""

from typing import Final, Literal, TypeAlias

from sqlalchemy import ForeignKey, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, Id, TimeNs, index, one_of

ApprovalKind: TypeAlias = Literal["clearance", "reset", "admin"]
ALL_SCOPES: Final = "send read admin"
"""What a token may allow: an author's, a recipient's and an admin's requests."""


class User(Base):
    """A person with an account here, or (`is_service`) a program, whose account has no password. `name` is the login,
    in lower case; `unit` the department; a `cleared` person may read classified content.

    `cleared_since_ns`: clearance does not count for what was received before; null: there is no such limit.
    `locked_before_ns`: what is from before is locked, because somebody may have got into the account; null: nothing is.
    Both are for people to read; marks on the rows of what is from before decide. `admin_confirmed`: counts as a second
    admin (`queries.approvals`).

    `sso_issuer`, `sso_subject`: whom the OpenID Connect provider says that the person is; then there is no password.
    """

    __tablename__ = "users"
    __table_args__ = (index("ix_users_sso", "sso_issuer", "sso_subject", unique=True),)

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    unit: Mapped[str | None]
    email: Mapped[str | None]
    email_notifications: Mapped[bool] = mapped_column(default=False, server_default="0")
    is_author: Mapped[bool]
    is_recipient: Mapped[bool]
    is_admin: Mapped[bool]
    cleared: Mapped[bool]
    is_service: Mapped[bool] = mapped_column(default=False, server_default=false())
    admin_confirmed: Mapped[bool] = mapped_column(default=False, server_default=false())
    cleared_since_ns: Mapped[TimeNs | None]
    locked_before_ns: Mapped[TimeNs | None]
    password_hash: Mapped[str | None]
    sso_issuer: Mapped[str | None]
    sso_subject: Mapped[str | None]
    disabled_at_ns: Mapped[TimeNs | None]
    created_at_ns: Mapped[TimeNs]

    @property
    def reads_all_classified(self) -> bool:
        """Whether they may read what is classified in each document addressed to them."""
        return self.cleared and self.cleared_since_ns is None and self.locked_before_ns is None


class Token(Base):
    """An API token. `hash`: SHA-256 of it, in hexadecimal; the token itself is kept nowhere. `scopes`: of `ALL_SCOPES`,
    with blanks between.
    """

    __tablename__ = "tokens"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str]
    scopes: Mapped[str] = mapped_column(default=ALL_SCOPES, server_default=ALL_SCOPES)
    created_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs | None]
    last_used_at_ns: Mapped[TimeNs | None]
    revoked_at_ns: Mapped[TimeNs | None]


class Session(Base):
    """Somebody signed in in a browser. `hash`: SHA-256 of the cookie's value, which is kept nowhere. `confirmed_at_ns`:
    when the person last proved that it is them. `device`: the browser, as it names itself; `source`: the address that
    it signed in from.
    """

    __tablename__ = "sessions"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    created_at_ns: Mapped[TimeNs]
    last_used_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs]
    confirmed_at_ns: Mapped[TimeNs | None]
    device: Mapped[str | None]
    source: Mapped[str | None]


class OneTimeLink(Base):
    """A link by which a person sets their password, once. `hash`: SHA-256 of its code, which is kept nowhere.
    `made_by_id`: the admin; null if it was made on the gateway's host.
    """

    __tablename__ = "one_time_links"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    created_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs]
    used_at_ns: Mapped[TimeNs | None]
    made_by_id: Mapped[str | None]


class Approval(Base):
    """What waits for a second admin, about a person (`queries.approvals`). `asked_by_id`: the first admin; null if it
    was done on the gateway's host.
    """

    __tablename__ = "approvals"
    __table_args__ = (one_of("kind", ApprovalKind), UniqueConstraint("user_id", "kind"))

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[str]
    asked_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    created_at_ns: Mapped[TimeNs]


class UsedOnce(Base):
    """What counts once, and was used: a flow of single sign-on, a challenge for a passkey, or an attempt that its
    sender gave up at another replica (`queries.used_once`)."""

    __tablename__ = "used_once"

    key: Mapped[Id]
    until_ns: Mapped[TimeNs] = mapped_column(index=True)


class SignInFailures(Base):
    """Failed sign-ins in a row of an account or from a source. `key`: `account:` or `source:` and which;
    `unknown` for all logins that do not exist, `known` for all that do."""

    __tablename__ = "sign_in_failures"

    key: Mapped[Id]
    failures: Mapped[int]
    last_at_ns: Mapped[TimeNs]
    blocked_until_ns: Mapped[TimeNs]
