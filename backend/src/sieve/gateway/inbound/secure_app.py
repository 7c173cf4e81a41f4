"""The secure listener's app: what a paired gateway may ask of this one, over TLS with a pinned certificate.

Every route gets its peer from `caller`, which looks at the certificate of this very connection, on every request.
Answers are JSON; a refusal is problem+json with `detail` for people, `kind` for programs and whether it is `permanent`.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

from sieve.channel.chunks import MAX_CHUNK
from sieve.channel.errors import MalformedOpening, RemoteProtocolError
from sieve.channel.load import MAX_DOCUMENTS, Load
from sieve.channel.manifest import MAX_RECIPIENTS
from sieve.channel.manifest import VERSIONS as MANIFEST_VERSIONS
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.probes import MAX_PROBE
from sieve.channel.refusals import RefusalKind
from sieve.channel.seals import COMMON_SEAL, SEAL_KINDS, SealKind
from sieve.core.split import SPLITS
from sieve.core.split.batches import BATCH_SPLITS
from sieve.gateway.errors import PeerRefused, WrongPeer
from sieve.gateway.inbound.attempt_registry import AttemptRegistry, Verdict, unknown_attempt
from sieve.gateway.inbound.finalizer import refusal_for
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.incoming_document import receipt_line, refusal_line
from sieve.gateway.inbound.padded_answers import PaddedJSON, padded
from sieve.gateway.inbound.probes import Probes
from sieve.gateway.inbound.read_receipts import MAX_REPORT, Opened, take_report
from sieve.gateway.peering.hello import PROTOCOL_VERSIONS
from sieve.gateway.peering.identity import spki_pin
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.runtime.listeners import PEER_CERTIFICATE, SECURE_SUITE
from sieve.store.blobs import StorageFull
from sieve.store.database import Database, DatabaseBusy
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

SPAN_BYTES_OF_PEER = 64 * 1024 * 1024
SPAN_BYTES_OF_ALL = 256 * 1024 * 1024
"""Limits of the memory for spans of openings, of one peer and of all, until their attempts are over."""
MAX_QUESTION = 256 * 1024
"""The most bytes of a question in JSON: the names of all recipients of a transfer fit, also if they are escaped."""

MIN_PROGRESS = 1024
"""The least bytes of a body within `stall_s`. Secure lines may be slow, so this is far below any real rate."""


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
    attempts = deps.attempts
    limits = attempts.deps.settings.limits
    probes = Probes(attempts.deps.plain)
    openings = _Openings(limits.max_open_transfers)
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
        }

    @app.post("/v1/recipients")
    async def recipients(peer: Caller, request: Request) -> dict[str, Any]:
        # Not as a parameter: the framework would read a body of any length before it authenticates the peer.
        body = await _body(request, MAX_QUESTION, patience_s)
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
            report = Opened.model_validate_json(await _body(request, MAX_REPORT, patience_s))
        except ValidationError as error:
            raise RequestValidationError([]) from error
        now_ns = attempts.deps.clock.now_ns()
        await take_report(deps.database, attempts.deps.announcements, peer, transfer_id, report, now_ns)
        return {}

    @app.post("/v1/transfers")
    async def transfer(peer: Caller, request: Request) -> StreamingResponse:
        return await _answered(request, peer, attempts, openings, 1)

    @app.post("/v1/batches")
    async def batch(peer: Caller, request: Request) -> StreamingResponse:
        return await _answered(request, peer, attempts, openings, MAX_DOCUMENTS)

    @app.post("/v1/probes")
    async def open_probe(peer: Caller, request: Request) -> dict[str, Any]:
        body = await _body(request, MAX_QUESTION, patience_s)
        try:
            asked = ProbeAsked.model_validate_json(body)
        except ValidationError as error:
            raise RequestValidationError([]) from error
        handle, key = await probes.open(peer, asked.secure, asked.plain, asked.seal)
        return {"handle": handle, "plain_key": key.hex()}

    @app.put("/v1/probes/{handle}")
    async def probe(peer: Caller, handle: str, request: Request) -> dict[str, Any]:
        async with aclosing(_pieces(request, patience_s)) as pieces:
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
        with _ends_with(attempt):
            async with aclosing(_pieces(request, patience_s)) as pieces:
                await attempt.secure_sub_stream(sub_stream, start, pieces)
        return {}

    @app.put("/v1/attempts/{handle}/plain/{index}")
    async def plain_chunk(attempt: Attempt, index: int, request: Request) -> dict[str, Any]:
        async with attempt.one_chunk:
            body = await _body(request, MAX_CHUNK, patience_s)
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


class _Openings:
    """Counts the openings of each peer that are being read, and the bytes of the spans of its openings and attempts:
    up to 16 MB each, most of them before an opening can be judged."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._reading: Counter[str] = Counter()
        self._span_bytes: Counter[str] = Counter()
        self._kept: set[asyncio.Task[None]] = set()

    @contextmanager
    def one(self, peer: Peer) -> Iterator[None]:
        if self._reading[peer.id] >= self._at_once:
            raise PeerRefused(
                "too many transfers of this gateway are being opened here", permanent=False, kind=RefusalKind.BUSY
            )
        self._reading[peer.id] += 1
        try:
            yield
        finally:
            self._reading[peer.id] -= 1
            self._reading += Counter()  # drops zero counts

    def take(self, peer: Peer, size: int) -> None:
        """Reserves memory for the spans of an opening, until `give_back` or `keep`.

        Raises:
            PeerRefused: the spans that are held already leave no room.
        """
        if self._span_bytes[peer.id] + size > SPAN_BYTES_OF_PEER or self._span_bytes.total() + size > SPAN_BYTES_OF_ALL:
            raise PeerRefused(
                "too many classified spans are being taken in here", permanent=False, kind=RefusalKind.BUSY
            )
        self._span_bytes[peer.id] += size

    def give_back(self, peer: Peer, size: int) -> None:
        self._span_bytes[peer.id] -= size
        self._span_bytes += Counter()

    def keep(self, peer: Peer, size: int, attempt: IncomingAttempt) -> None:
        """Leaves the memory to the attempt, until it is over."""

        async def until_over() -> None:
            await attempt.over.wait()
            self.give_back(peer, size)

        task = asyncio.create_task(until_over())
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)


async def _answered(
    request: Request, peer: Peer, attempts: AttemptRegistry, openings: _Openings, most: int
) -> StreamingResponse:
    """Takes an opening of at most `most` documents and the streams behind it; answers in lines."""
    pin = spki_pin(request.scope[PEER_CERTIFICATE])
    settings = attempts.deps.settings
    async with aclosing(_pieces(request, settings.stall_s)) as pieces:
        reader, taken = OpeningReader(most), 0

        def announced() -> None:
            nonlocal taken
            if not taken and reader.announced:
                openings.take(peer, reader.announced)
                taken = reader.announced

        try:
            with openings.one(peer):
                opening, rest = await _opening(pieces, settings.opening_s, reader, announced)
            begun = await attempts.begin(opening, peer, pin, request.scope.get(SECURE_SUITE, ""))
            if isinstance(begun, IncomingAttempt):
                openings.keep(peer, taken, begun)
                taken = 0
        finally:
            openings.give_back(peer, taken)
        if not isinstance(begun, IncomingAttempt):
            return _lines(_each(list(_last_lines(opening.load, begun))))
        if not begun.over.is_set():
            with _ends_with(begun):
                await _take_body(begun, rest, pieces)
    return _lines(begun.answers())


async def _take_body(attempt: IncomingAttempt, rest: bytes, pieces: AsyncIterator[bytes]) -> None:
    """Takes the streams behind an opening. If a batch has ended, its lines say why for each document."""
    try:
        if rest:
            await attempt.secure_bytes(rest)
        async for piece in pieces:
            await attempt.secure_bytes(piece)
        attempt.secure_ended()
    except ClientDisconnect:
        attempt.secure_broke()
        raise
    except PeerRefused as refused:
        attempt.fail(str(refused), permanent=refused.permanent, kind=refused.kind, may_resume=True)
        if not attempt.load.is_batch:
            raise


def _last_lines(load: Load, verdicts: Sequence[Verdict]) -> Iterator[dict[str, Any]]:
    """The answer where no document may begin.

    Raises:
        PeerRefused: a single transfer is refused by its status.
    """
    for transfer_id, verdict in zip(load.transfer_ids, verdicts, strict=True):
        if isinstance(verdict, PeerRefused) and not load.is_batch:
            raise verdict
        line = refusal_line(verdict) if isinstance(verdict, PeerRefused) else receipt_line(str(verdict), None)
        yield {**line, "transfer": transfer_id} if load.is_batch else line


@contextmanager
def _ends_with(attempt: IncomingAttempt) -> Iterator[None]:
    """The attempt ends with what goes wrong inside; not with a connection that is cut, or refused for its own sake; nor
    once every byte is here: a document that is being committed keeps its files, whatever else its peer sends.
    """

    def fail(reason: str, *, permanent: bool = False, kind: RefusalKind = RefusalKind.FAILED) -> None:
        if not attempt.committing:
            attempt.fail(reason, permanent=permanent, kind=kind)

    try:
        yield
    except (ClientDisconnect, PeerRefused):
        raise
    except RemoteProtocolError as error:
        fail(str(error), permanent=True)
        raise
    except StorageFull as error:
        refused = refusal_for(error)
        fail(str(refused), kind=refused.kind)
        raise
    except BaseException:
        fail("the gateway failed there while it received; see its log")
        raise


async def _opening(
    pieces: AsyncIterator[bytes], deadline_s: float, reader: OpeningReader, announced: Callable[[], None]
) -> tuple[Opening, bytes]:
    """The opening and the bytes that came with it; `announced` is called before more of it is held.

    Raises:
        MalformedOpening: there is none.
        PeerRefused: it is too slow.
    """
    try:
        async with asyncio.timeout(deadline_s):
            async for piece in pieces:
                opened = reader.feed(piece)
                announced()
                if opened is not None:
                    return opened
    except TimeoutError:
        raise PeerRefused(f"the opening was not whole within {deadline_s:.0f} s", permanent=False) from None
    raise MalformedOpening("the request ended before its opening did")


async def _pieces(request: Request, patience_s: float) -> AsyncGenerator[bytes, None]:
    """The body as it comes. A peer that vanished without a word would keep its connection for ever; so would one that
    sends a byte now and then.

    Raises:
        PeerRefused: less than `MIN_PROGRESS` bytes came while this gateway waited for `patience_s`.
        ClientDisconnect: the connection ended before the body did.
    """
    now = asyncio.get_running_loop().time
    left_s, arrived = patience_s, 0
    async with aclosing(request.stream()) as stream:
        while True:
            began = now()
            try:
                async with asyncio.timeout(left_s):
                    piece = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                few = f"only {arrived} bytes" if arrived else "nothing more"
                raise PeerRefused(f"{few} arrived for {patience_s:.0f} s", permanent=False) from None
            left_s, arrived = left_s - (now() - began), arrived + len(piece)
            if arrived >= MIN_PROGRESS:
                left_s, arrived = patience_s, 0
            if piece:
                yield piece


async def _body(request: Request, most: int, patience_s: float) -> bytes:
    """A whole body of at most `most` bytes.

    Raises:
        RemoteProtocolError: it is longer.
        PeerRefused: it is slower than `patience_s`.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(patience_s), aclosing(_pieces(request, patience_s)) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > most:
                    raise RemoteProtocolError(f"the body is longer than the {most} bytes that it may have")
    except TimeoutError:
        raise PeerRefused(f"the body was not whole within {patience_s:.0f} s", permanent=False) from None
    return bytes(body)


def _lines(answers: AsyncIterator[dict[str, Any]]) -> StreamingResponse:
    async def encoded() -> AsyncIterator[bytes]:
        async for answer in answers:
            yield padded(json.dumps(answer).encode(), 1) + b"\n"

    return StreamingResponse(encoded(), media_type="application/x-ndjson")


async def _each(answers: Iterable[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    for answer in answers:
        yield answer


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
