"""A link: our end of the channels to one peer. Connections are kept open and reused; what comes back is given in our
words.

Errors of httpx end here: PeerUnreachable (try again), PeerRefused (the peer said no, with its reason), WrongPeer.
"""

import asyncio
import json as json_text
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from sieve import addresses
from sieve.channel.chunks import COMMON_CHUNK, MAX_CHUNK
from sieve.channel.errors import MalformedOpening
from sieve.channel.held import NOTHING, Held
from sieve.channel.manifest import Manifest
from sieve.channel.names import clean_line
from sieve.channel.refusals import RefusalKind
from sieve.core.utc import utc
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.peer_limits import PeerLimits
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.peering.secure_transport import SecureTransport
from sieve.gateway.plain.transport import PlainTransport

PROTOCOL_VERSIONS = (1, 2)
"""What this gateway speaks. Version 2 has several channels of a kind; version 1 one of each, split by range."""
MAX_ANSWER = 4 * 1024 * 1024
"""Bytes of an answer that is read whole: everybody who can receive at the peer fits."""
ASK_S = 120.0
"""A question and its answer take no longer, however steadily their bytes drip."""
_TIMEOUT = httpx.Timeout(connect=10.0, read=60.0, write=60.0, pool=10.0)


@dataclass(frozen=True, slots=True)
class Hello:
    """What the peer said about itself: versions, the largest document it takes, the address of its plain listener, how
    many channels a transfer may have, how they may be split; how many documents one exchange may carry, and their
    splits; how many documents, and bytes of them, may be under way; the versions of manifests that it takes, the bytes
    of a plain chunk; and whether an attempt may leave out what it holds."""

    name: str
    versions: tuple[int, ...]
    max_document_bytes: int
    plain_url: str
    max_secure_channels: int = 1
    max_plain_channels: int = 1
    splits: tuple[str, ...] = ("range",)
    max_batch: int = 1
    batch_splits: tuple[str, ...] = ("range",)
    max_open_transfers: int = PeerLimits().documents
    max_open_bytes: int = PeerLimits().size
    manifests: tuple[int, ...] = (1,)
    max_chunk: int = COMMON_CHUNK
    resumes: bool = False

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Hello":
        """The hello in a peer's answer.

        Raises:
            ValueError, KeyError, TypeError: it is none.
        """
        versions = tuple(version for version in said["versions"][:100] if type(version) is int)
        hello = cls(
            name=clean_line(str(said["name"])),
            versions=versions,
            max_document_bytes=int(said["max_document_bytes"]),
            plain_url=addresses.origin(str(said["plain_url"]), "http"),
        )
        if 2 not in versions:
            return hello
        return replace(
            hello,
            max_secure_channels=int(said["max_secure_channels"]),
            max_plain_channels=int(said["max_plain_channels"]),
            splits=tuple(str(split) for split in said["splits"][:100]),
            max_batch=int(said["max_batch"]),
            # Gateways that took one document in each exchange did not say it.
            batch_splits=tuple(str(split) for split in said.get("batch_splits", ["range"])[:100]),
            # Nor what they take at a time; then their refusals show it.
            max_open_transfers=int(said.get("max_open_transfers", hello.max_open_transfers)),
            max_open_bytes=int(said.get("max_open_bytes", hello.max_open_bytes)),
            # Nor this, while there was one version.
            manifests=tuple(version for version in said.get("manifests", [1])[:100] if type(version) is int),
            # Nor this, while all had one limit.
            max_chunk=MAX_CHUNK if int(said.get("max_chunk", COMMON_CHUNK)) >= MAX_CHUNK else COMMON_CHUNK,
            resumes=said.get("resumes") is True,
        )

    @property
    def takes(self) -> PeerLimits:
        """How much may be sent at a time."""
        return PeerLimits(self.max_batch, self.max_open_transfers, self.max_open_bytes)

    @property
    def version(self) -> int | None:
        """The version to speak with this peer; None if there is none in common."""
        return max(set(self.versions) & set(PROTOCOL_VERSIONS), default=None)


@dataclass(frozen=True, slots=True)
class RemoteRecipient:
    """Somebody who can receive at the peer."""

    name: str
    display_name: str
    cleared: bool


class Link:
    """The channels to one peer."""

    def __init__(self, peer: Peer, peers: Peers, context: ssl.SSLContext, *, loopback_only: bool = False) -> None:
        self.peer = peer
        self._secure = httpx.AsyncClient(
            transport=SecureTransport(context, peers.check(peer.id), loopback_only=loopback_only),
            base_url=peer.secure_url,
            timeout=_TIMEOUT,
            trust_env=False,
            follow_redirects=False,
            # What a few bytes unfold to has no bound.
            headers={"Accept-Encoding": "identity"},
        )
        self._plain = PlainTransport()
        self._hello: Hello | None = None
        self._closed = False
        self.takes = PeerLimits()
        """How much the peer takes at a time, as far as is known: it said so in its last hello."""

    async def aclose(self) -> None:
        """Closes every connection of the link; nothing can be sent on it any more."""
        self._closed = True
        await self._secure.aclose()
        await self._plain.aclose()

    def _check_open(self) -> None:
        if self._closed:
            raise PeerUnreachable(f"the pairing with {self.peer.name} was changed or removed in the meantime")

    async def hello(self, trace: Callable[..., Any] | None = None) -> Hello:
        """The peer's hello; asked once, and again after `forget`.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
        """
        if self._hello is None:
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
        return self._hello

    @property
    def has_hello(self) -> bool:
        """Whether the peer's hello is kept, and not asked for."""
        return self._hello is not None

    def forget(self) -> None:
        """The next attempt says hello again: the peer may have come back as another version, at another address."""
        self._hello = None

    def plain_url(self) -> str:
        """Where plain chunks go: what the hello said, if its host is the paired one, else the paired address."""
        said = self._hello.plain_url if self._hello else ""
        paired = urlsplit(self.peer.plain_url)
        offered = urlsplit(said)
        same_host = offered.scheme == "http" and offered.hostname == paired.hostname
        return said if same_host else self.peer.plain_url

    async def recipients(
        self, names: list[str] | None = None, trace: Callable[..., Any] | None = None
    ) -> list[RemoteRecipient]:
        """Who can receive at the peer; of `names` only, if given.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
        """
        said = await self.ask("POST", "/v1/recipients", json={"names": names}, trace=trace)
        with translated(self.peer.name):
            return [
                RemoteRecipient(clean_line(r["name"]), clean_line(r["display_name"]), bool(r["cleared"]))
                for r in said["recipients"]
            ]

    async def receipt(self, transfer_id: str) -> str | None:
        """The stored receipt of a transfer that the peer has delivered; None if it has not.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
        """
        return _receipt_in(await self.ask("GET", f"/v1/transfers/{transfer_id}/receipt"))

    async def receipt_or_held(self, manifest: Manifest, attempt: int) -> tuple[str | None, Held]:
        """The same before an attempt of that number; and if there is none, what the peer holds of the transfer from
        earlier ones, of which it ends what is still under way.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
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
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
        """
        self._check_open()
        extensions = {"trace": trace} if trace else {}
        with translated(self.peer.name):
            async with (
                asyncio.timeout(ASK_S),
                self._secure.stream(method, path, json=json, content=content, extensions=extensions) as response,
            ):
                body = await _whole(response, self.peer.name)
            _raise_for_problem(response.status_code, body, self.peer.name)
            answer = json_text.loads(body)
        if not isinstance(answer, dict):
            raise PeerRefused(f"{self.peer.name} sent an invalid response", permanent=False)
        return answer

    @asynccontextmanager
    async def stream(
        self, method: str, path: str, content: AsyncIterator[bytes], length: int, trace: Callable[..., Any]
    ) -> AsyncIterator[httpx.Response]:
        """A long request on a secure channel, whose answer is read as it comes.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see the module.
        """
        self._check_open()
        with translated(self.peer.name):
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
                    _raise_for_problem(response.status_code, body, self.peer.name)
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
        """One chunk on a plain channel. What the other end answers is read off the line, and counts for nothing. It may
        never answer: the caller says how long to wait.

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
    """One link for each peer, made when first needed, closed when the peer goes or changes.

    `loopback_only`: no secure connection leaves this machine.
    """

    def __init__(self, peers: Peers, context: ssl.SSLContext, *, loopback_only: bool = False) -> None:
        self._peers, self._context, self._loopback_only = peers, context, loopback_only
        self._links: dict[str, Link] = {}

    def to(self, peer: Peer) -> Link:
        """The link to `peer`."""
        link = self._links.get(peer.id)
        if link is None:
            link = self._links[peer.id] = Link(peer, self._peers, self._context, loopback_only=self._loopback_only)
        return link

    async def drop_stale(self) -> None:
        """Closes links to peers that were removed, or whose keys or addresses changed."""
        # All are out before the first is closed: that takes a while, and others may drop or make links meanwhile.
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


class translated:  # noqa: N801 -- reads as a word where it is used: `with translated(name):`
    """Turns what httpx and ssl raise into this package's errors, with a sentence for people."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if error is None or isinstance(error, WrongPeer | PeerRefused | PeerUnreachable):
            return
        if isinstance(error, _FOREIGN):
            raise PeerUnreachable(_sentence(self._name, error)) from error


# TimeoutError is an OSError; InvalidURL and StreamError are what httpx raises beside its HTTPError; the last two come
# of JSON that says Infinity, or nests without end.
_FOREIGN = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    ssl.SSLError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    RecursionError,
)


def _sentence(name: str, error: BaseException) -> str:
    cause = _tls_cause(error)
    if cause is not None:
        return f"no secure channel to {name}: {cause}"
    match error:
        case httpx.ConnectTimeout():
            return f"{name} does not answer: no connection within {_TIMEOUT.connect:.0f} s"
        case httpx.ConnectError():
            return f"{name} cannot be reached: {error or 'the connection was refused'}"
        case httpx.ReadTimeout() | httpx.WriteTimeout() | TimeoutError():
            return f"{name} stopped answering"
        case httpx.ReadError() | httpx.RemoteProtocolError():
            # TLS 1.3: a client whose certificate is refused learns it from the first read only, and without a reason.
            return (
                f"{name} cut the secure connection; if it does so each time, it does not accept this gateway's "
                "certificate: is it expired, is a clock wrong, or the pairing removed there?"
            )
        case httpx.HTTPError() | OSError():
            return f"the connection to {name} broke: {type(error).__name__}"
        case _:
            return f"{name} sent an invalid response"


_OF_DATES = (9, 10)
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""
_NO_TLS_CAUSE = (ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLZeroReturnError, ssl.SSLEOFError)


def _tls_cause(error: BaseException | None) -> str | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            clock = f"; this gateway's clock reads {utc(now_ns())}" if error.verify_code in _OF_DATES else ""
            return f"its certificate is not accepted here ({error.verify_message}{clock})"
        # Every timeout and every cut has an SSL error in its context: TLS wanted more bytes, or got none.
        if isinstance(error, ssl.SSLError) and not isinstance(error, _NO_TLS_CAUSE):
            return f"TLS failed ({(error.reason or 'no reason given').lower().replace('_', ' ')})"
        error = error.__cause__ or error.__context__
    return None


async def _whole(response: httpx.Response, name: str) -> bytes:
    """The answer's body, as it came; a peer may be hostile, and its answer have no end."""
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > MAX_ANSWER:
            raise PeerRefused(f"{name} sent a response that is too long", permanent=False)
    return bytes(body)


def refusal(name: str, said: dict[str, Any], *, by_status: bool = False) -> PeerRefused:
    """The refusal that the peer of that name sent, as problem+json (`by_status`) or as a line of an answer.

    Raises:
        KeyError: it has no sentence.
    """
    # Its sentence goes into rows, logs and before people's eyes: one line, nothing unseen in it.
    detail, kind = clean_line(str(said["detail"])), RefusalKind.of(said.get("kind"))
    reason = f"{name} refused: {detail}" if by_status else f"{name}: {detail}"
    if kind is RefusalKind.FULL:
        reason = f"{name} has no room: {detail}; an admin of {name} must make room"
    return PeerRefused(reason, permanent=kind.is_final(permanent=bool(said.get("permanent"))), kind=kind)


def _receipt_in(said: dict[str, Any]) -> str | None:
    text = said.get("receipt")
    return text if isinstance(text, str) else None


def _held_in(said: Any, manifest: Manifest) -> Held:
    """What a peer says that it holds of this very manifest's streams; nothing if it makes no sense."""
    if not isinstance(said, dict) or said.get("manifest_digest") != manifest.digest:
        return NOTHING
    try:
        held = Held.from_json({name: value for name, value in said.items() if name != "manifest_digest"})
    except MalformedOpening:
        return NOTHING
    return held if held.fits(manifest.carried_classified_size, manifest.plain_size) else NOTHING


def _raise_for_problem(status: int, body: bytes, name: str) -> None:
    if status < 400:
        return
    try:
        refused = refusal(name, json_text.loads(body), by_status=True)
    except (ValueError, KeyError, TypeError, AttributeError):
        refused = PeerRefused(f"{name} refused: status {status}", permanent=False)
    raise refused
