"""Openings on the secure channel: how many are read at once, the streams behind them, and the answers in lines."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from sieve.channel.errors import MalformedOpening, RemoteProtocolError
from sieve.channel.load import Load
from sieve.channel.opening import Opening, OpeningReader
from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import secure_bodies
from sieve.gateway.inbound.attempt_registry import AttemptRegistry, Verdict
from sieve.gateway.inbound.finalizer import refusal_for
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.incoming_document import receipt_line, refusal_line
from sieve.gateway.inbound.padded_answers import padded
from sieve.gateway.peering.identity import spki_pin
from sieve.gateway.peering.peers import Peer
from sieve.gateway.peering.tls import negotiated
from sieve.gateway.runtime.listeners import PEER_CERTIFICATE, TLS_CONNECTION
from sieve.store.blobs import StorageFull

SPAN_BYTES_OF_PEER = 64 * 1024 * 1024
SPAN_BYTES_OF_ALL = 256 * 1024 * 1024
"""Limits of the memory for spans of openings, of one peer and of all, until their attempts are over."""


class Openings:
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


async def answered(
    request: Request, peer: Peer, attempts: AttemptRegistry, openings: Openings, most: int
) -> StreamingResponse:
    """Takes an opening of at most `most` documents and the streams behind it; answers in lines."""
    pin = spki_pin(request.scope[PEER_CERTIFICATE])
    settings = attempts.deps.settings
    async with aclosing(secure_bodies.pieces(request, settings.stall_s)) as pieces:
        reader, taken = OpeningReader(most), 0

        def announced() -> None:
            nonlocal taken
            if not taken and reader.announced:
                openings.take(peer, reader.announced)
                taken = reader.announced

        try:
            with openings.one(peer):
                opening, rest = await _opening(pieces, settings.opening_s, reader, announced)
            begun = await attempts.begin(opening, peer, pin, negotiated(request.scope.get(TLS_CONNECTION)))
            if isinstance(begun, IncomingAttempt):
                openings.keep(peer, taken, begun)
                taken = 0
        finally:
            openings.give_back(peer, taken)
        if not isinstance(begun, IncomingAttempt):
            return _lines(_each(list(_last_lines(opening.load, begun))))
        if not begun.over.is_set():
            with ends_with(begun):
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
def ends_with(attempt: IncomingAttempt) -> Iterator[None]:
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


def _lines(answers: AsyncIterator[dict[str, Any]]) -> StreamingResponse:
    async def encoded() -> AsyncIterator[bytes]:
        async for answer in answers:
            yield padded(json.dumps(answer).encode(), 1) + b"\n"

    return StreamingResponse(encoded(), media_type="application/x-ndjson")


async def _each(answers: Iterable[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    for answer in answers:
        yield answer
