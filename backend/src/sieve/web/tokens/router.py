"""My own API tokens."""

from fastapi import APIRouter

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.queries import tokens as queries
from sieve.web.access import Person
from sieve.web.services import Given
from sieve.web.tokens.new_token import new_token
from sieve.web.tokens.schemas import TokenAsked, TokenMade, TokenShown

router = APIRouter(prefix="/tokens", tags=["tokens"])


@router.post("", status_code=201)
async def make(asked: TokenAsked, person: Person, services: Given) -> TokenMade:
    """Creates a token of mine. It is shown only once."""
    async with services.database.write() as session:
        return await new_token(session, person, asked)


@router.get("")
async def mine(person: Person, services: Given) -> list[TokenShown]:
    """My tokens that are not revoked, latest first."""
    async with services.database.read() as session:
        return [TokenShown.from_attributes(row) for row in await queries.of_user(session, person.id)]


@router.delete("/{token_id}", status_code=204)
async def revoke(token_id: str, person: Person, services: Given) -> None:
    """Revokes a token of mine at once."""
    async with services.database.write() as session:
        if not await queries.revoke(session, person.id, token_id, now_ns()):
            raise NotFound("you have no such token")
