"""The secure listener's app: what a paired gateway may ask of this one, over TLS with a pinned certificate.

Every route gets its peer from `caller`, which looks at the certificate of this very connection, on every request.
Answers are JSON; a refusal is problem+json with `detail` for people, `kind` for programs and whether it is `permanent`.
"""

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from sieve.channel.chunks import MAX_CHUNK
from sieve.channel.errors import MalformedOpening, RemoteProtocolError
from sieve.channel.manifest import MAX_RECIPIENTS
from sieve.channel.opening import OpeningReader
from sieve.gateway.errors import PeerRefused, WrongPeer
from sieve.gateway.identity import spki_pin
from sieve.gateway.links import PROTOCOL_VERSION
from sieve.gateway.listeners import PEER_CERTIFICATE
from sieve.gateway.peers import Peer, Peers
from sieve.gateway.receiving import Receiving, Receivings
from sieve.store.database import Database, DatabaseBusy
from sieve.store.queries import inbox as inbox_queries
from sieve.store.queries import people as people_queries

log = logging.getLogger(__name__)

_STATUS = {
    "conflict": 409,
    "stale": 409,
    "expired": 410,
    "too-large": 413,
    "busy": 429,
    "full": 507,
    "unknown-recipient": 422,
}


class RecipientsAsked(BaseModel):
    """Which names to look up; all that can receive here if null."""

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=MAX_RECIPIENTS)] | None = None


@dataclass(frozen=True, slots=True)
class SecureDeps:
    """What the secure app works with."""

    database: Database
    peers: Peers
    receivings: Receivings
    name: str
    plain_url: str
    max_document_bytes: int


def create_secure_app(deps: SecureDeps) -> FastAPI:
    """The app. Its routes are for gateways: they are no part of the web API's documents."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    receivings = deps.receivings

    def caller(request: Request) -> Peer:
        return deps.peers.who(request.scope.get(PEER_CERTIFICATE, b""))

    Caller = Annotated[Peer, Depends(caller)]  # noqa: N806 -- a type

    def attempt(peer: Caller, handle: str) -> Receiving:
        receiving = receivings.by_handle(peer, handle)
        if receiving is None:
            raise PeerRefused("there is no such attempt under way", permanent=False, kind="unknown-attempt")
        return receiving

    Attempt = Annotated[Receiving, Depends(attempt)]  # noqa: N806 -- a type

    @app.get("/v1/hello")
    async def hello(peer: Caller) -> dict[str, Any]:
        return {
            "name": deps.name,
            "versions": [PROTOCOL_VERSION],
            "max_document_bytes": deps.max_document_bytes,
            "plain_url": deps.plain_url,
        }

    @app.post("/v1/recipients")
    async def recipients(peer: Caller, asked: RecipientsAsked) -> dict[str, Any]:
        async with deps.database.read() as session:
            found = await people_queries.recipients(session, asked.names)
        return {
            "recipients": [
                {"name": user.name, "display_name": user.display_name, "cleared": user.cleared} for user in found
            ]
        }

    @app.get("/v1/transfers/{transfer_id}/receipt")
    async def receipt(peer: Caller, transfer_id: str) -> dict[str, Any]:
        async with deps.database.read() as session:
            stored = await inbox_queries.stored_receipt(session, peer.id, transfer_id)
        return {"receipt": stored.receipt if stored else None}

    @app.post("/v1/transfers")
    async def transfer(peer: Caller, request: Request) -> StreamingResponse:
        pin = spki_pin(request.scope[PEER_CERTIFICATE])
        begun = await _take_body(request, peer, pin, receivings)
        if isinstance(begun, str):
            return _lines(_one({"is": "receipt", "receipt": begun, "durations": None}))
        return _lines(begun.answers())

    @app.get("/v1/attempts/{handle}")
    async def held(receiving: Attempt) -> dict[str, Any]:
        return {"held": receivings.held(receiving)}

    @app.put("/v1/attempts/{handle}/plain/{index}")
    async def plain_chunk(receiving: Attempt, index: int, request: Request) -> dict[str, Any]:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_CHUNK:
                raise RemoteProtocolError("the chunk is longer than any chunk may be")
        await receiving.secure_chunk(index, bytes(body))
        return {}

    @app.exception_handler(WrongPeer)
    async def wrong_peer(request: Request, error: WrongPeer) -> JSONResponse:
        log.warning("secure channel: a connection from %s was refused: %s", _host(request), error)
        return _problem(403, str(error), kind="wrong-peer", permanent=False)

    @app.exception_handler(PeerRefused)
    async def refused(request: Request, error: PeerRefused) -> JSONResponse:
        return _problem(_STATUS.get(error.kind, 409), str(error), kind=error.kind, permanent=error.permanent)

    @app.exception_handler(RemoteProtocolError)
    async def broke_the_rule(request: Request, error: RemoteProtocolError) -> JSONResponse:
        log.warning("secure channel: %s", error)
        return _problem(400, str(error), kind="protocol", permanent=True)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, "the request is malformed", kind="protocol", permanent=True)

    @app.exception_handler(DatabaseBusy)
    async def busy(request: Request, error: DatabaseBusy) -> JSONResponse:
        return _problem(503, "this gateway's database is busy", kind="busy", permanent=False)

    return app


async def _take_body(request: Request, peer: Peer, pin: str, receivings: Receivings) -> Receiving | str:
    """Reads the opening, begins the attempt, and takes the streams behind it."""
    reader: OpeningReader | None = OpeningReader()
    receiving: Receiving | None = None
    try:
        async for piece in request.stream():
            if reader is not None:
                opened = reader.feed(piece)
                if opened is None:
                    continue
                reader = None
                opening, rest = opened
                begun = await receivings.begin(opening, peer, pin)
                if isinstance(begun, str):
                    return begun
                receiving = begun
                piece = rest
            if piece and receiving is not None:
                receiving.secure_bytes(piece)
    except ClientDisconnect:
        if receiving is not None:
            receiving.fail("the secure channel broke")
        raise PeerRefused("the secure channel broke", permanent=False) from None
    except RemoteProtocolError as error:
        if receiving is not None:
            receiving.fail(str(error), permanent=True)
        raise
    if receiving is None:
        raise MalformedOpening("the request ended before its opening did")
    receiving.secure_ended()
    return receiving


def _lines(answers: AsyncIterator[dict[str, Any]]) -> StreamingResponse:
    async def encoded() -> AsyncIterator[bytes]:
        async for answer in answers:
            yield json.dumps(answer).encode() + b"\n"

    return StreamingResponse(encoded(), media_type="application/x-ndjson")


async def _one(answer: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield answer


def _problem(status: int, detail: str, *, kind: str, permanent: bool) -> JSONResponse:
    return JSONResponse(
        {"type": "about:blank", "status": status, "detail": detail, "kind": kind, "permanent": permanent},
        status_code=status,
        media_type="application/problem+json",
    )


def _host(request: Request) -> str:
    return request.client.host if request.client else "an unknown address"
