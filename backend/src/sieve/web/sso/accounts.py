"""Whose account a person of the provider has, and with which rights.

Invariant: issuer and subject alone decide whose account it is. A login, name or e-mail address that the provider sends
never leads into an existing account.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.safe_names import clean_line
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.gateway.sign_on.service import SingleSignOn
from sieve.store.models import User
from sieve.store.queries import approvals, one_time_links, people, sign_in_failures
from sieve.web.account_lock import lock
from sieve.web.people import accounts
from sieve.web.person import Login
from sieve.web.services import Services
from sieve.web.session.throttle import account_of

log = logging.getLogger(__name__)

_LOGIN: Final[TypeAdapter[str]] = TypeAdapter(Login)
_LONGEST_NAME: Final = 200

NO_ACCOUNT: Final = Sentence("sso-no-account", "you have no account at this gateway; ask an admin for a one-time link")
NO_RIGHTS: Final = Sentence(
    "sso-no-rights", "the sign-in provider gives you no role at this gateway; ask an admin of the provider for one"
)
DISABLED: Final = Sentence("sso-disabled", "your account at this gateway is disabled; ask an admin")
LINK_USED: Final = Sentence("link-used", "this link was used or replaced, or is too old; ask an admin for a new one")
OTHER_ACCOUNT: Final = Sentence(
    "sso-other-account", "you already have another account at this gateway; sign in without the link, or ask an admin"
)


async def account_of_subject(
    services: Services, sso: SingleSignOn, session: AsyncSession, claims: Mapping[str, Any], link_code: str | None
) -> User | NotAllowed:
    """The account of the person whom `claims` describe, with the rights that they give; or why that person may not sign
    in. Rights that the provider took away are gone in both cases, if the caller commits.
    """
    user = await people.by_subject(session, sso.issuer, claims["sub"])
    if link_code is not None:
        user_or_refusal = await _link(services, sso, session, claims, link_code, user)
    elif user is None:
        user_or_refusal = await _new(services, sso, session, claims)
    else:
        user_or_refusal = user
    if isinstance(user_or_refusal, NotAllowed):
        return user_or_refusal
    user, rights = user_or_refusal, sso.rules.rights_of(claims)
    if rights is not None and await accounts.change_rights(session, services, user, rights):
        services.announcements.account_changed(user.id)
    if user.disabled_at_ns is not None:
        return NotAllowed(DISABLED)
    if rights is not None and not accounts.has_role(user):
        return NotAllowed(NO_RIGHTS)
    return user


async def _link(
    services: Services,
    sso: SingleSignOn,
    session: AsyncSession,
    claims: Mapping[str, Any],
    code: str,
    known: User | None,
) -> User | NotAllowed:
    """Uses a one-time link up: its owner signs in with the provider from now on. As when they set a password."""
    owner = await one_time_links.owner(session, code, now_ns())
    if owner is None:
        return NotAllowed(LINK_USED)
    if known is not None and known.id != owner.id:
        return NotAllowed(OTHER_ACCOUNT)
    used = await one_time_links.use(session, code, now_ns())
    made_by_id = None if used is None else used[1]
    if owner.password_hash is not None or owner.sso_subject is not None or made_by_id is not None:
        await lock(services, session, owner, made_by_id)
        if await approvals.end_ways_in(session, owner, now_ns()):
            await services.audit.note(session, owner.name, "factors-taken-away", owner.name)
    owner.password_hash, owner.sso_issuer, owner.sso_subject = None, sso.issuer, claims["sub"]
    await session.flush()
    await sign_in_failures.clear(session, account_of(owner.name))
    details = {"issuer": sso.issuer, "by": "link"}
    await services.audit.note(session, owner.name, "sso-linked", owner.name, details)
    services.announcements.account_changed(owner.id)
    return owner


async def _new(
    services: Services, sso: SingleSignOn, session: AsyncSession, claims: Mapping[str, Any]
) -> User | NotAllowed:
    rights = sso.rules.rights_of(claims)
    if not sso.new_accounts or rights is None:
        return NotAllowed(NO_ACCOUNT)
    if not any(rights[column] for column in ("is_author", "is_recipient", "is_admin")):
        return NotAllowed(NO_RIGHTS)
    try:
        login = _LOGIN.validate_python(sso.rules.login_of(claims))
    except ValidationError:
        log.warning("single sign-on: the claim %s is not a login that accounts here can have", sso.rules.login_claim)
        return NotAllowed(
            Sentence("sso-bad-login", "the login that the sign-in provider sends cannot be used here; ask an admin")
        )
    if await people.by_name(session, login) is not None:
        # Without the login: the provider's people do not learn who has an account.
        return NotAllowed(NO_ACCOUNT)
    name = clean_line(sso.rules.name_of(claims) or "")[:_LONGEST_NAME].strip() or login
    user = await people.add(
        session,
        name=login,
        display_name=name,
        now_ns=now_ns(),
        sso_issuer=sso.issuer,
        sso_subject=claims["sub"],
    )
    await services.audit.note(session, login, "person-added", login, {"by": "sso"})
    await services.audit.note(session, login, "sso-linked", login, {"issuer": sso.issuer, "by": "sso"})
    return user
