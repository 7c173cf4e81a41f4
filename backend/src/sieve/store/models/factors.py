"""The tables of the second factor: passkeys, authenticator apps, recovery codes, and sign-ins that still need one.

`since_reset`: it was added after a reset of the account that nobody has confirmed, so it must not confirm that.
"""

from typing import Annotated, Literal, TypeAlias

from sqlalchemy import ForeignKey, false, true
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, Id, TimeNs

Need: TypeAlias = Literal["factor", "enrolment"]
"""What an unfinished sign-in needs: a factor that the person has, or the first one."""
SinceReset: TypeAlias = Annotated[bool, mapped_column(server_default=true())]
First: TypeAlias = Literal["password", "sso"]
"""What somebody proved first: their password, or who they are at the OpenID Connect provider."""


class Passkey(Base):
    """A passkey of a person. `relying_party`: the host name that it belongs to. `sign_count`: as its authenticator
    reported it last; 0 if it does not count. `needs_password`: a one-time link was used since, so it signs in alone
    only after it was the second step behind the person's new password.
    """

    __tablename__ = "passkeys"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str]
    relying_party: Mapped[str]
    credential_id: Mapped[bytes] = mapped_column(unique=True)
    public_key: Mapped[bytes]
    sign_count: Mapped[int]
    since_reset: Mapped[SinceReset]
    needs_password: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at_ns: Mapped[TimeNs]
    last_used_at_ns: Mapped[TimeNs | None]


class AuthenticatorApp(Base):
    """The authenticator app of a person. `secret`: sealed. It counts once a first code was right, at `confirmed_at_ns`.
    `last_step`: the time step of the latest code that was used.
    """

    __tablename__ = "authenticator_apps"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True)
    secret: Mapped[bytes]
    since_reset: Mapped[SinceReset]
    created_at_ns: Mapped[TimeNs]
    confirmed_at_ns: Mapped[TimeNs | None]
    last_step: Mapped[int | None]
    last_used_at_ns: Mapped[TimeNs | None]


class RecoveryCode(Base):
    """An unused recovery code of a person. `hash`: SHA-256 of its 80 random bits; the code is stored nowhere."""

    __tablename__ = "recovery_codes"

    hash: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    since_reset: Mapped[SinceReset]
    created_at_ns: Mapped[TimeNs]


class UnfinishedSignIn(Base):
    """A person who gave the right password, or signed in at the provider (`proved`), and still needs a factor. `hash`:
    SHA-256 of the cookie's value. It is no session: it opens only the routes that finish it.
    """

    __tablename__ = "unfinished_sign_ins"

    hash: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    needs: Mapped[str]
    proved: Mapped[str] = mapped_column(default="password", server_default="password")
    expires_at_ns: Mapped[TimeNs]
