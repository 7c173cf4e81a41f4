"""My own API tokens."""

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.queries import sessions
from sieve.store.queries import tokens as queries
from sieve.web.access import Person, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.errors import NotSignedIn
from sieve.web.services import Given
from sieve.web.session.recent_confirmation import ConfirmedBrowser
from sieve.web.tokens.new_token import new_token
from sieve.web.tokens.schemas import TokenAsked, TokenMade, TokenShown

router = api_router("/tokens", tag="tokens")


@router.post("", status_code=201)
async def make(asked: TokenAsked, browser: ConfirmedBrowser, shown: ShownCredentials, services: Given) -> TokenMade:
    """Creates a token of mine. It is shown only once. I signed in, or confirmed that it is me, in the last ten minutes:
    with my second factor if I have one.
    """
    async with services.database.write() as session:
        # Again: the session may have ended while this waited for its turn, and its person's tokens with it.
        found = await sessions.owner(session, shown.cookie or "", now_ns(), services.settings.session_idle_s)
        if found is None:
            raise NotSignedIn("you were no longer signed in; sign in and try again")
        person = found[1]
        made = await new_token(session, person, asked)
        details = {"token": made.id, "scopes": " ".join(made.scopes)}
        await services.audit.note(session, person.name, "token-made", person.name, details)
    return made


@router.get("")
async def mine(person: Person, services: Given) -> list[TokenShown]:
    """My tokens that are not revoked, latest first."""
    async with services.database.read() as session:
        return [TokenShown.of(row) for row in await queries.of_user(session, person.id)]


@router.delete("/{token_id}", status_code=204)
async def revoke(token_id: str, person: Person, services: Given) -> None:
    """Revokes a token of mine at once."""
    async with services.database.write() as session:
        if not await queries.revoke(session, person.id, token_id, now_ns()):
            raise NotFound("you have no such token")
        await services.audit.note(session, person.name, "token-revoked", person.name, {"token": token_id})
