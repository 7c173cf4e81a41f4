"""My own API tokens."""

from fastapi import APIRouter, Request

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed, NotFound
from sieve.store.queries import tokens as queries
from sieve.web.access import Person
from sieve.web.services import Given
from sieve.web.session.sign_in import prove
from sieve.web.session.throttle import source_of
from sieve.web.tokens.new_token import new_token
from sieve.web.tokens.schemas import OwnTokenAsked, TokenMade, TokenShown

router = APIRouter(prefix="/tokens", tags=["tokens"])


@router.post("", status_code=201)
async def make(asked: OwnTokenAsked, person: Person, request: Request, services: Given) -> TokenMade:
    """Creates a token of mine. It is shown only once."""
    if person.is_service:
        raise NotAllowed("admins make the tokens of service accounts")
    proof = await prove(services, person.name, asked.password.get_secret_value(), source_of(request))
    async with services.database.write() as session:
        if proof is None or await proof.redeem(session) is None:
            # Not 401, which means that the sign-in has ended.
            raise NotAllowed("the password is wrong; a new token needs yours")
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
