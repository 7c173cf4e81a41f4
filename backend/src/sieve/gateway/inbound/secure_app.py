"""The secure listener's app: what a paired gateway may ask of this one, over TLS with a pinned certificate.

Every route gets its peer from `caller`, which looks at the certificate of this very connection, on every request.
Answers are JSON; a refusal is problem+json with `detail` for people, `kind` for programs and whether it is `permanent`.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.errors import RemoteProtocolError
from sieve.channel.load import MAX_DOCUMENTS
from sieve.channel.manifest import MAX_RECIPIENTS
from sieve.channel.manifest import VERSIONS as MANIFEST_VERSIONS
from sieve.channel.probes import MAX_PROBE
from sieve.channel.refusals import RefusalKind
from sieve.channel.seals import COMMON_SEAL, SEAL_KINDS, SealKind
from sieve.core.split import SPLITS
from sieve.core.split.batches import BATCH_SPLITS
from sieve.gateway.errors import PeerRefused, WrongPeer
from sieve.gateway.inbound import secure_bodies
from sieve.gateway.inbound.attempt_registry import AttemptRegistry, unknown_attempt
from sieve.gateway.inbound.finalizer import refusal_for
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.opening_intake import Openings, answered, ends_with
from sieve.gateway.inbound.padded_answers import PaddedJSON
from sieve.gateway.inbound.probes import Probes
from sieve.gateway.inbound.read_receipts import MAX_REPORT, Opened, take_report
from sieve.gateway.peering.hello import PROTOCOL_VERSIONS
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.runtime.late_route import LateRoute
from sieve.gateway.runtime.listeners import PEER_CERTIFICATE
from sieve.store.blobs import StorageFull
from sieve.store.database import Database, DatabaseBusy
from sieve.store.errors import TextUnstorable
from sieve.store.queries import inbox as inbox_queries
from sieve.store.queries import people as people_queries

log = logging.getLogger(__name__)

_STATUS = {
    RefusalKind.CONFLICT: 409,
    RefusalKind.STALE: 409,
    RefusalKind.EXPIRED: 410,
    RefusalKind.TOO_LARGE: 413,
    RefusalKind.TOO_MANY_CHANNELS: 422,
    RefusalKind.BUSY: 429,
    RefusalKind.FULL: 507,
    RefusalKind.UNKNOWN_RECIPIENT: 422,
}

MAX_QUESTION = 256 * 1024
"""The most bytes of a question in JSON: the names of all recipients of a transfer fit, also if they are escaped."""


class RecipientsAsked(BaseModel):
    """The names to look up; null means all that can receive here."""

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=MAX_RECIPIENTS)] | None = None


class ProbeAsked(BaseModel):
    """The bytes of a probe on each channel."""

    secure: Annotated[int, Field(ge=1, le=MAX_PROBE, strict=True)]
    plain: Annotated[int, Field(ge=0, le=MAX_PROBE, strict=True)]
    seal: SealKind = COMMON_SEAL


@dataclass(frozen=True, slots=True)
class SecureDeps:
    """The services that the secure app uses."""

    database: Database
    peers: Peers
    attempts: AttemptRegistry
    name: str
    plain_url: str
    max_document_bytes: int
    seals: Sequence[SealKind] = SEAL_KINDS
    """The fastest on this machine first."""
    heard: Callable[[str, bytes], None] = lambda peer_id, certificate: None
    """Called with the id and the certificate (DER) of each peer that makes a request."""


def create_secure_app(deps: SecureDeps) -> FastAPI:
    """The app. Its routes are for gateways, and not part of the web API's documentation."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, default_response_class=PaddedJSON)
    app.router.route_class = LateRoute
    attempts = deps.attempts
    limits = attempts.deps.settings.limits
    probes = Probes(attempts.deps.plain)
    openings = Openings(limits.max_open_transfers)
    patience_s = attempts.deps.settings.stall_s

    # Coroutines: the framework sends a plain function to a thread, away from the loop that owns the state.
    async def caller(request: Request) -> Peer:
        certificate = request.scope.get(PEER_CERTIFICATE, b"")
        peer = deps.peers.who(certificate)
        deps.heard(peer.id, certificate)
        return peer

    Caller = Annotated[Peer, Depends(caller)]  # noqa: N806 -- a type

    async def attempt(peer: Caller, handle: str) -> IncomingAttempt:
        attempt = attempts.by_handle(peer, handle)
        if attempt is None:
            raise unknown_attempt()
        return attempt

    Attempt = Annotated[IncomingAttempt, Depends(attempt)]  # noqa: N806 -- a type

    @app.get("/v1/hello")
    async def hello(peer: Caller) -> dict[str, Any]:
        clock = attempts.deps.clock
        return {
            "name": deps.name,
            "versions": list(PROTOCOL_VERSIONS),
            "max_document_bytes": deps.max_document_bytes,
            "plain_url": deps.plain_url,
            "max_secure_channels": limits.max_secure_channels,
            "max_plain_channels": limits.max_plain_channels,
            "splits": list(SPLITS),
            "max_batch": MAX_DOCUMENTS,
            "batch_splits": list(BATCH_SPLITS),
            "max_open_transfers": limits.max_open_transfers,
            "max_open_bytes": attempts.deps.settings.quota,
            "manifests": list(MANIFEST_VERSIONS),
            "max_chunk": MAX_CHUNK,
            "resumes": True,
            "probes": True,
            "covers": True,
            "padding": True,
            "seals": list(deps.seals),
            # A clock that is doubted here confirms no other.
            **({} if clock.is_doubted else {"now_ns": clock.now_ns()}),
        }

    @app.post("/v1/recipients")
    async def recipients(peer: Caller, request: Request) -> dict[str, Any]:
        # Not as a parameter: the framework would read a body of any length before it authenticates the peer.
        body = await secure_bodies.whole(request, MAX_QUESTION, patience_s)
        try:
            asked = RecipientsAsked.model_validate_json(body)
        except ValidationError as error:
            raise RequestValidationError([]) from error
        async with deps.database.read() as session:
            found = await people_queries.recipients(session, asked.names)
        return {
            "recipients": [
                {"name": user.name, "display_name": user.display_name, "cleared": user.cleared, "unit": user.unit}
                for user in found
            ]
        }

    @app.get("/v1/transfers/{transfer_id}/receipt")
    async def receipt(peer: Caller, transfer_id: str, attempt: int | None = None) -> dict[str, Any]:
        # First: the older attempt that ends with this may have been delivered.
        held = await attempts.held(peer, transfer_id, attempt) if attempt is not None else None
        async with deps.database.read() as session:
            stored = await inbox_queries.stored_receipt(session, peer.id, transfer_id)
        if stored is not None:
            return {"receipt": stored.receipt}
        return {"receipt": None} if attempt is None else {"receipt": None, "held": held}

    @app.post("/v1/transfers/{transfer_id}/opened")
    async def opened(peer: Caller, transfer_id: str, request: Request) -> dict[str, Any]:
        try:
            report = Opened.model_validate_json(await secure_bodies.whole(request, MAX_REPORT, patience_s))
        except ValidationError as error:
            raise RequestValidationError([]) from error
        now_ns = attempts.deps.clock.now_ns()
        await take_report(deps.database, attempts.deps.announcements, peer, transfer_id, report, now_ns)
        return {}

    @app.post("/v1/transfers")
    async def transfer(peer: Caller, request: Request) -> StreamingResponse:
        return await answered(request, peer, attempts, openings, 1)

    @app.post("/v1/batches")
    async def batch(peer: Caller, request: Request) -> StreamingResponse:
        return await answered(request, peer, attempts, openings, MAX_DOCUMENTS)

    @app.post("/v1/probes")
    async def open_probe(peer: Caller, request: Request) -> dict[str, Any]:
        body = await secure_bodies.whole(request, MAX_QUESTION, patience_s)
        try:
            asked = ProbeAsked.model_validate_json(body)
        except ValidationError as error:
            raise RequestValidationError([]) from error
        handle, key = await probes.open(peer, asked.secure, asked.plain, asked.seal)
        return {"handle": handle, "plain_key": key.hex()}

    @app.put("/v1/probes/{handle}")
    async def probe(peer: Caller, handle: str, request: Request) -> dict[str, Any]:
        async with aclosing(secure_bodies.pieces(request, patience_s)) as pieces:
            await probes.take(peer, handle, pieces)
        return {}

    @app.get("/v1/attempts/{handle}")
    async def held(attempt: Attempt) -> dict[str, Any]:
        return {"held": attempts.held_chunks(attempt), "secure": list(attempt.core.secure_held)}

    @app.delete("/v1/attempts/{handle}")
    async def abandoned(peer: Caller, handle: str, transfer: str | None = None) -> dict[str, Any]:
        await attempts.abandon(peer, handle, transfer)
        return {}

    @app.put("/v1/attempts/{handle}/secure/{sub_stream}")
    async def secure_sub_stream(
        peer: Caller, handle: str, sub_stream: int, start: Annotated[int, Query(alias="from")], request: Request
    ) -> dict[str, Any]:
        # The sub-stream may have overtaken the opening. Its body stays unread meanwhile.
        attempt = await attempts.expected(peer, handle)
        with ends_with(attempt):
            async with aclosing(secure_bodies.pieces(request, patience_s)) as pieces:
                await attempt.secure_sub_stream(sub_stream, start, pieces)
        return {}

    @app.put("/v1/attempts/{handle}/plain/{index}")
    async def plain_chunk(attempt: Attempt, index: int, request: Request) -> dict[str, Any]:
        async with attempt.one_chunk:
            body = await secure_bodies.whole(request, MAX_CHUNK, patience_s)
            await attempt.secure_chunk(index, body)
        return {}

    @app.exception_handler(WrongPeer)
    async def wrong_peer(request: Request, error: WrongPeer) -> JSONResponse:
        log.warning("secure channel: a connection from %s was refused: %s", _host(request), error)
        # It would occupy a connection for nothing.
        return _problem(403, str(error), kind=RefusalKind.WRONG_PEER, permanent=False, headers={"Connection": "close"})

    @app.exception_handler(PeerRefused)
    async def refused(request: Request, error: PeerRefused) -> JSONResponse:
        return _problem(_STATUS.get(error.kind, 409), str(error), kind=error.kind, permanent=error.permanent)

    @app.exception_handler(RemoteProtocolError)
    async def broke_the_rule(request: Request, error: RemoteProtocolError) -> JSONResponse:
        log.warning("secure channel: %s", error)
        return _problem(400, str(error), kind=RefusalKind.PROTOCOL, permanent=True)

    @app.exception_handler(TextUnstorable)
    async def has_nul(request: Request, error: TextUnstorable) -> JSONResponse:
        return _problem(400, str(error), kind=RefusalKind.PROTOCOL, permanent=True)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, "the request is malformed", kind=RefusalKind.PROTOCOL, permanent=True)

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> JSONResponse:
        return _problem(
            400, "the secure channel broke", kind=RefusalKind.REFUSED, permanent=False
        )  # the sender is gone

    @app.exception_handler(DatabaseBusy)
    async def busy(request: Request, error: DatabaseBusy) -> JSONResponse:
        return _problem(503, "this gateway's database is busy", kind=RefusalKind.BUSY, permanent=False)

    @app.exception_handler(StorageFull)
    async def full(request: Request, error: StorageFull) -> JSONResponse:
        return await refused(request, refusal_for(error))

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        # The server logs it. The sender needs an answer that it can parse.
        return _problem(500, "the gateway failed there; see its log", kind=RefusalKind.FAILED, permanent=False)

    return app


def _problem(
    status: int, detail: str, *, kind: RefusalKind, permanent: bool, headers: dict[str, str] | None = None
) -> JSONResponse:
    return PaddedJSON(
        {"type": "about:blank", "status": status, "detail": detail, "kind": kind, "permanent": permanent},
        status_code=status,
        headers=headers,
        media_type="application/problem+json",
    )


def _host(request: Request) -> str:
    return request.client.host if request.client else "an unknown address"
