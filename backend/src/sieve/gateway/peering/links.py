"""A link: this gateway's end of the channels to one peer. It keeps connections open and reuses them.

All errors of a connection are those of `peer_errors`: PeerUnreachable, PeerRefused and WrongPeer.
"""

import asyncio
import json as json_text
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from sieve.channel.errors import MalformedOpening
from sieve.channel.held_ranges import NOTHING, Held
from sieve.channel.manifest import Manifest
from sieve.channel.safe_names import MAX_UNIT, clean_line
from sieve.channel.seals import SEAL_KINDS, SealKind, cheapest
from sieve.gateway.errors import PeerRefused, PeerUnreachable
from sieve.gateway.peering.contacts import PeerContacts
from sieve.gateway.peering.hello import PROTOCOL_VERSIONS, Hello
from sieve.gateway.peering.peer_capacity import PeerCapacity
from sieve.gateway.peering.peer_errors import CONNECT_S, raise_for_problem, translated
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.peering.secure_transport import SecureTransport
from sieve.gateway.plain.transport import PlainTransport

MAX_ANSWER = 4 * 1024 * 1024
"""Bytes of an answer that is read whole: the list of all recipients at a peer fits."""
SHORT_ANSWERS = frozenset({"/v1/hello", "/v1/recipients", "/v1/probes"})
"""Questions that a gateway answers at once: they show its latency, if the answer is short."""
_SHORT = 16 * 1024
ASK_S = 120.0
"""How long a request and its answer may take, even if their bytes keep coming."""
_TIMEOUT = httpx.Timeout(connect=CONNECT_S, read=60.0, write=60.0, pool=10.0)


@dataclass(frozen=True, slots=True)
class RemoteRecipient:
    """A person who can receive at the peer. `unit`: their department, if the peer names it."""

    name: str
    display_name: str
    cleared: bool
    unit: str | None = None

    @classmethod
    def of(cls, said: dict[str, Any]) -> "RemoteRecipient":
        """The recipient in a peer's answer.

        Raises:
            KeyError, TypeError: it is invalid.
        """
        # Older gateways leave the unit out.
        unit = said.get("unit")
        return cls(
            name=clean_line(said["name"]),
            display_name=clean_line(said["display_name"]),
            cleared=bool(said["cleared"]),
            unit=(clean_line(unit)[:MAX_UNIT].rstrip() or None) if isinstance(unit, str) else None,
        )


class Link:
    """The channels to one peer."""

    def __init__(
        self,
        peer: Peer,
        peers: Peers,
        context: ssl.SSLContext,
        *,
        loopback_only: bool = False,
        contacts: PeerContacts | None = None,
        seals: Sequence[SealKind] = SEAL_KINDS,
    ) -> None:
        self.peer, self._contacts, self._seals = peer, contacts, seals
        is_that_peer = peers.check(peer.id)

        def check(certificate: bytes) -> None:
            is_that_peer(certificate)
            if contacts is not None:
                contacts.certificate(peer.id, certificate)

        self._transport = SecureTransport(context, check, loopback_only=loopback_only)
        self._secure = httpx.AsyncClient(
            transport=self._transport,
            base_url=peer.secure_url,
            timeout=_TIMEOUT,
            trust_env=False,
            follow_redirects=False,
            # A few compressed bytes can expand without limit.
            headers={"Accept-Encoding": "identity"},
        )
        self._plain = PlainTransport()
        self._hello: Hello | None = None
        self._closed = False
        self.is_down = False
        """Whether the latest request could not reach the peer."""
        self.takes = PeerCapacity()
        """How much the peer accepts at a time, by its last hello."""

    async def aclose(self) -> None:
        """Closes every connection of the link. Nothing can be sent on it after that."""
        self._closed = True
        await self._secure.aclose()
        await self._plain.aclose()

    def _check_open(self) -> None:
        if self._closed:
            raise PeerUnreachable(f"the pairing with {self.peer.name} was changed or removed in the meantime")

    async def hello(self, trace: Callable[..., Any] | None = None) -> Hello:
        """The peer's hello. The link asks once, and again after `forget`.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        if self._hello is None:
            await self._transport.close_idle()
            said = await self.ask("GET", "/v1/hello", trace=trace)
            with translated(self.peer.name):
                hello = Hello.of(said)
            if hello.version is None:
                raise PeerRefused(
                    f"{self.peer.name} speaks protocol versions {list(hello.versions)}, this gateway "
                    f"{list(PROTOCOL_VERSIONS)}; update the older one",
                    permanent=False,
                )
            self._hello, self.takes = hello, hello.takes
            if self._contacts is not None:
                self._contacts.speaks(self.peer.id, hello.version)
        return self._hello

    @property
    def known_hello(self) -> Hello | None:
        """The remembered hello."""
        return self._hello

    @property
    def is_warm(self) -> bool:
        """Whether a secure connection is open."""
        return self._transport.has_connection

    @contextmanager
    def _noticing_down(self) -> Iterator[None]:
        """Raises as `translated` does, and remembers whether the peer could be reached."""
        try:
            with translated(self.peer.name):
                yield
        except PeerUnreachable:
            self.is_down = True
            raise
        except PeerRefused:
            self._answered()
            raise
        self.is_down = False
        self._answered()

    def _answered(self) -> None:
        if self._contacts is not None:
            self._contacts.reached(self.peer.id)

    def forget(self) -> None:
        """Makes the next attempt ask for the hello again, over a new connection: the peer may have another version or
        address by now, and if it has replicas, idle connections may lead to different ones.
        """
        self._hello = None

    def seal_for(self, hello: Hello) -> SealKind:
        """The seal of plain chunks that is the cheapest for both gateways."""
        return cheapest(self._seals, hello.seals)

    def plain_url(self) -> str:
        """The address for plain chunks: that of the hello, if its host is the paired one, else the paired address."""
        said = self._hello.plain_url if self._hello else ""
        paired = urlsplit(self.peer.plain_url)
        offered = urlsplit(said)
        same_host = offered.scheme == "http" and offered.hostname == paired.hostname
        return said if same_host else self.peer.plain_url

    async def recipients(
        self, names: list[str] | None = None, trace: Callable[..., Any] | None = None
    ) -> list[RemoteRecipient]:
        """The recipients at the peer; only those of `names`, if given.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        said = await self.ask("POST", "/v1/recipients", json={"names": names}, trace=trace)
        with translated(self.peer.name):
            return [RemoteRecipient.of(one) for one in said["recipients"]]

    async def receipt(self, transfer_id: str) -> str | None:
        """The stored receipt of a transfer that the peer has delivered; None if it has not.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        return _receipt_in(await self.ask("GET", f"/v1/transfers/{transfer_id}/receipt"))

    async def receipt_or_held(self, manifest: Manifest, attempt: int) -> tuple[str | None, Held]:
        """The receipt before an attempt of that number, or else what the peer holds of the transfer from earlier
        attempts. The peer ends those that are still in progress.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        said = await self.ask("GET", f"/v1/transfers/{manifest.transfer_id}/receipt?attempt={attempt}")
        return _receipt_in(said), _held_in(said.get("held"), manifest)

    async def ask(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | None = None,
        trace: Callable[..., Any] | None = None,
    ) -> dict[str, Any]:
        """One request and its JSON answer on the secure channel.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        self._check_open()
        extensions = {"trace": trace} if trace else {}
        was_warm, began_ns = self.is_warm, time.monotonic_ns()
        with self._noticing_down():
            async with (
                asyncio.timeout(ASK_S),
                self._secure.stream(method, path, json=json, content=content, extensions=extensions) as response,
            ):
                body = await _whole(response, self.peer.name)
            took_us = (time.monotonic_ns() - began_ns) // 1000
            raise_for_problem(response.status_code, body, self.peer.name)
            answer = json_text.loads(body)
        if self._contacts is not None and was_warm and path in SHORT_ANSWERS and len(body) <= _SHORT:
            self._contacts.answered(self.peer.id, took_us)
        if not isinstance(answer, dict):
            raise PeerRefused(f"{self.peer.name} sent an invalid response", permanent=False)
        return answer

    @asynccontextmanager
    async def stream(
        self, method: str, path: str, content: AsyncIterator[bytes], length: int, trace: Callable[..., Any]
    ) -> AsyncIterator[httpx.Response]:
        """A long request on a secure channel. The caller reads the answer as it arrives.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        self._check_open()
        with self._noticing_down():
            async with self._secure.stream(
                method,
                path,
                content=content,
                headers={"Content-Length": str(length)},
                extensions={"trace": trace},
            ) as response:
                if response.status_code != 200:
                    async with asyncio.timeout(ASK_S):
                        body = await _whole(response, self.peer.name)
                    raise_for_problem(response.status_code, body, self.peer.name)
                    raise PeerRefused(f"{self.peer.name} sent an invalid response", permanent=False)
                yield response

    async def put_plain(
        self,
        path: str,
        chunk: bytes,
        seal: bytes,
        trace: Callable[..., Any],
        connect_s: float,
        lane: str,
    ) -> None:
        """Sends one chunk on a plain channel. It reads the answer and ignores it. An answer may never come: the caller
        limits the wait.

        Chunks of one lane may be put at the same time: they follow each other on one connection.

        Raises:
            httpx.TransportError: the connection could not be made within `connect_s`, or it broke.
        """
        if self._closed:
            raise httpx.ConnectError("the link is closed")
        url = httpx.URL(self.plain_url() + path)
        request = httpx.Request(
            "PUT",
            url,
            headers={"Host": url.netloc.decode("ascii"), "Content-Length": str(len(chunk)), "Seal": seal.hex()},
            content=chunk,
            extensions={
                "trace": trace,
                "timeout": {"connect": connect_s},
                "lane": lane,
            },
        )
        await self._plain.handle_async_request(request)


class Links:
    """One link for each peer, made when first needed, closed when the peer is removed or changes.

    `loopback_only`: all secure connections stay on this machine. `contacts`: notes when peers answer. `seals`:
    the seals of plain chunks, the fastest here first.
    """

    def __init__(
        self,
        peers: Peers,
        context: ssl.SSLContext,
        *,
        loopback_only: bool = False,
        contacts: PeerContacts | None = None,
        seals: Sequence[SealKind] = SEAL_KINDS,
    ) -> None:
        self._peers, self.context, self._loopback_only, self._contacts = peers, context, loopback_only, contacts
        self._seals = seals
        self._links: dict[str, Link] = {}

    def to(self, peer: Peer) -> Link:
        """The link to `peer`."""
        link = self._links.get(peer.id)
        if link is None:
            link = self._links[peer.id] = Link(
                peer,
                self._peers,
                self.context,
                loopback_only=self._loopback_only,
                contacts=self._contacts,
                seals=self._seals,
            )
        return link

    async def drop_stale(self) -> None:
        """Closes links to peers that were removed, or whose keys or addresses changed."""
        # Remove all before closing the first: closing takes time, and other tasks may make or drop links meanwhile.
        stale = [link for peer_id, link in self._links.items() if self._peers.by_id(peer_id) != link.peer]
        for link in stale:
            del self._links[link.peer.id]
        for link in stale:
            await link.aclose()

    async def aclose(self) -> None:
        """Closes them all."""
        links, self._links = list(self._links.values()), {}
        for link in links:
            await link.aclose()


async def _whole(response: httpx.Response, name: str) -> bytes:
    """The answer's body. A hostile peer may send one without end."""
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_ANSWER:
            raise PeerRefused(f"{name} sent a response that is too long", permanent=False)
    return bytes(body)


def _receipt_in(said: dict[str, Any]) -> str | None:
    text = said.get("receipt")
    return text if isinstance(text, str) else None


def _held_in(said: Any, manifest: Manifest) -> Held:
    """What a peer says that it holds of this manifest's streams; nothing if that is invalid."""
    if not isinstance(said, dict) or said.get("manifest_digest") != manifest.digest:
        return NOTHING
    try:
        held = Held.from_json({name: value for name, value in said.items() if name != "manifest_digest"})
    except MalformedOpening:
        return NOTHING
    return held if held.fits(manifest.carried_classified_size, manifest.plain_size) else NOTHING
