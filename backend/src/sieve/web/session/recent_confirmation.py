"""Routes for a signed-in browser, and for one whose person confirmed recently that it is them.

    async def route(browser: SignedInBrowser, ...)    signed in with the cookie
    async def route(browser: ConfirmedBrowser, ...)   and signed in, or confirmed, in the last ten minutes
    async def route(admin: ConfirmedAdmin, ...)        an admin with a token, or with such a browser

Somebody who finds an unlocked browser, or steals a cookie, must not get a lasting way in.
"""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.store.models import Session, User
from sieve.store.queries import sessions
from sieve.web.access import Admin, Credentials, Person, ShownCredentials
from sieve.web.errors import ConfirmationNeeded, NotSignedIn
from sieve.web.services import Given, Services

CONFIRMED_NS: Final = 10 * 60 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Browser:
    """A session and its person."""

    session: Session
    person: User


async def browser_of(person: User | None, shown: Credentials, services: Services) -> Browser:
    """The session of `shown`, whose person is `person`.

    Raises:
        NotSignedIn: there is none.
        NotAllowed: they are a token.
    """
    if person is not None and shown.cookie is None:
        raise NotAllowed("only people who are signed in in a browser may do this; API tokens cannot")
    found = None
    if person is not None and shown.cookie is not None:
        async with services.database.read() as session:
            found = await sessions.owner(session, shown.cookie, now_ns(), services.settings.session_idle_s)
    if found is None:
        raise NotSignedIn("you were no longer signed in; sign in and try again")
    return Browser(*found)


async def _browser(person: Person, shown: ShownCredentials, services: Given) -> Browser:
    return await browser_of(person, shown, services)


SignedInBrowser = Annotated[Browser, Depends(_browser)]


async def _confirmed(browser: SignedInBrowser) -> Browser:
    require_confirmed(browser.session)
    return browser


def is_confirmed(row: Session) -> bool:
    """Whether its person signed in, or confirmed, recently."""
    return 0 <= now_ns() - (row.confirmed_at_ns or 0) <= CONFIRMED_NS


def require_confirmed(row: Session) -> None:
    """Accepts a session whose person signed in, or confirmed, recently.

    Raises:
        ConfirmationNeeded: that was too long ago.
    """
    if not is_confirmed(row):
        raise ConfirmationNeeded("confirm that it is you, then try again")


ConfirmedBrowser = Annotated[Browser, Depends(_confirmed)]


async def require_confirmed_admin(admin: User, shown: Credentials, services: Services) -> None:
    """Accepts an admin with a token, or with a browser in which they signed in, or confirmed, recently.

    Raises:
        ConfirmationNeeded: that was too long ago.
    """
    if shown.token is None:
        require_confirmed((await browser_of(admin, shown, services)).session)


async def _confirmed_admin(admin: Admin, shown: ShownCredentials, services: Given) -> User:
    await require_confirmed_admin(admin, shown, services)
    return admin


ConfirmedAdmin = Annotated[User, Depends(_confirmed_admin)]
"""For a route that gives somebody a lasting way in: into an account, what it holds, or the gateway as a peer."""
