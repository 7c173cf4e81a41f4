"""Who I am, and which gateway this is."""

from importlib.metadata import version

from fastapi import APIRouter
from pydantic import BaseModel

from sieve.web.deps import Person
from sieve.web.people.schemas import PersonShown
from sieve.web.services import Given

router = APIRouter(tags=["gateway"])


class Listeners(BaseModel):
    """`host:port` of each listener, as it is bound."""

    web: str
    secure: str
    plain: str


class GatewayShown(BaseModel):
    """`pin` and `receipt_key` are what peers know this gateway by, in hexadecimal."""

    name: str
    version: str
    listeners: Listeners
    max_document_bytes: int
    pin: str
    receipt_key: str


@router.get("/me")
async def me(person: Person) -> PersonShown:
    """My account."""
    return PersonShown.of(person)


@router.get("/gateway")
async def gateway(person: Person, services: Given) -> GatewayShown:
    """This gateway: its name, its addresses, its limits, its keys."""
    return GatewayShown(
        name=services.settings.name,
        version=version("security-sieve"),
        listeners=Listeners(**services.listeners),
        max_document_bytes=services.settings.max_document_bytes,
        pin=services.identity.pin,
        receipt_key=services.identity.receipt_public_key.hex(),
    )
