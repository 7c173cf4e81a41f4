"""Bodies over real sockets: late ones are cut off, strangers' bodies are not read, unfinished ones block nobody."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message

from sieve.demo import NO_TLS
from sieve.web.errors import TooManyRequests
from sieve.web.request_limits import MAX_BODIES, Body, Pace, RequestLimits
from web.served import Served, served
from web_world import Ground, World
from world_building import build, close

PATIENCE_S = 10.0
Starting = Callable[..., Awaitable[Served]]


@pytest.fixture
async def start(tmp_path: Path, ground: Ground) -> AsyncIterator[Starting]:
    """Starts a server with a separate gateway."""
    async with AsyncExitStack() as stack:

        async def make(**settings: Any) -> Served:
            world = await build(tmp_path, ground, new_app=True, **settings)
            stack.push_async_callback(close, world)
            return await stack.enter_async_context(served(world))

        yield make


@asynccontextmanager
async def sent(there: Served, said: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection on which that was sent."""
    _, _, port = there.url.removesuffix("/api/v1").rpartition(":")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    writer.write(said)
    try:
        yield reader, writer
    finally:
        writer.close()


def request(world: World, path: str, who: str | None, *headers: str, method: str = "POST") -> bytes:
    """A head whose body is to follow."""
    token = [f"Authorization: Bearer {world.tokens[who]}"] if who else []
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: alpha", *token, "Sec-Fetch-Site: same-origin", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


async def whole(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other end has no more to say."""
    async with asyncio.timeout(PATIENCE_S):
        return await reader.read()


JSON = ("Content-Type: application/json", "Content-Length: 100")


@pytest.mark.parametrize(
    ("path", "who"), [("/session", None), ("/welcome", None), ("/welcome/look", None), ("/transfers", "anna")]
)
async def test_half_a_body_is_cut_at_its_deadline(start: Starting, path: str, who: str | None) -> None:
    there = await start(header_deadline_s=0.2)
    async with sent(there, request(there.world, path, who, *JSON) + b'{"name":') as (reader, _):
        said = await whole(reader)
    assert said.startswith(b"HTTP/1.1 408") and b"connection: close" in said.lower()


async def test_dripping_puts_no_deadline_off(start: Starting) -> None:
    there = await start(header_deadline_s=0.3)
    async with sent(there, request(there.world, "/session", None, *JSON)) as (reader, writer):
        dripping = asyncio.create_task(_drip(writer, b" ", 0.01))
        assert (await whole(reader)).startswith(b"HTTP/1.1 408")
        dripping.cancel()


async def test_a_body_whose_time_is_over_can_still_be_cut() -> None:
    """By another request, which must not fail for it."""

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    body = Body(receive, Pace(0), lambda _body: None)
    receiving = asyncio.create_task(body.receive())
    # After the timeout went off, and before its task goes on.
    await asyncio.sleep(0)
    while not receiving.cancelling():
        await asyncio.sleep(0)
    body.cut()
    with pytest.raises(HTTPException, match="408"):
        await receiving


async def _drip(writer: asyncio.StreamWriter, piece: bytes, every_s: float) -> None:
    while True:
        writer.write(piece)
        await asyncio.sleep(every_s)


UPLOAD = "/documents?form=marked&name=memo.txt"


async def test_an_upload_that_is_too_slow_is_cut(start: Starting) -> None:
    there = await start(upload_pace=Pace(0.3, 1000))
    head = request(there.world, UPLOAD, "anna", "Content-Length: 100000")
    # A good beginning is no credit for later.
    async with sent(there, head + b"x" * 50_000) as (reader, writer):
        dripping = asyncio.create_task(_drip(writer, b"x", 0.02))
        assert (await whole(reader)).startswith(b"HTTP/1.1 408")
        dripping.cancel()


async def test_an_upload_that_keeps_the_pace_may_take_long(start: Starting) -> None:
    there = await start(upload_pace=Pace(2.0, 100))
    head = request(there.world, UPLOAD, "anna", "Content-Length: 3000", "Connection: close")
    async with sent(there, head) as (reader, writer):
        for _ in range(30):
            writer.write(b"x" * 100)
            await writer.drain()
        assert (await whole(reader)).startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("more", [(), ("Expect: 100-continue",)], ids=["", "expecting"])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", UPLOAD), ("PUT", "/drafts/x/marks"), ("POST", "/transfers"), ("POST", "/nowhere")]
)
async def test_nobody_s_body_is_read(start: Starting, method: str, path: str, more: tuple[str, ...]) -> None:
    there = await start()
    length = 2**30 if path in (UPLOAD, "/drafts/x/marks") else 1000
    head = request(there.world, path, None, f"Content-Length: {length}", *more, method=method)
    async with sent(there, head) as (reader, writer):
        said = await whole(reader)
        assert said.startswith(b"HTTP/1.1 401") and b"connection: close" in said.lower()
        writer.write(b"x" * 100)


async def test_a_cookie_of_another_page_reads_no_body_either(start: Starting) -> None:
    there = await start()
    head = request(there.world, UPLOAD, None, "Cookie: sieve-alpha=x", "Content-Length: 1000000000")
    head = head.replace(b"same-origin", b"cross-site")
    async with sent(there, head) as (reader, _):
        assert (await whole(reader)).startswith(b"HTTP/1.1 403")


async def test_halves_of_one_source_give_way_to_the_next(start: Starting) -> None:
    """Another person behind the same address can still sign in."""
    there = await start()
    async with AsyncExitStack() as stack:
        halves = [
            await stack.enter_async_context(sent(there, request(there.world, "/session", None, *JSON) + b"{"))
            for _ in range(MAX_BODIES)
        ]
        async with httpx.AsyncClient(base_url=there.url, trust_env=False, verify=NO_TLS) as api:
            # Each of them was begun before this is answered: the server takes them in turn.
            await api.get("/session")
            answer = await api.post("/welcome/look", json={"code": "x" * 43})
        assert answer.status_code == 404, answer.text
        assert (await whole(halves[0][0])).startswith(b"HTTP/1.1 408")


async def test_a_person_has_a_share_of_bodies_and_others_theirs(start: Starting) -> None:
    there = await start()
    async with AsyncExitStack() as stack:
        for _ in range(MAX_BODIES):
            reader, _ = await stack.enter_async_context(
                sent(there, request(there.world, UPLOAD, "anna", "Content-Length: 1000", "Expect: 100-continue"))
            )
            async with asyncio.timeout(PATIENCE_S):
                assert (await reader.readline()).startswith(b"HTTP/1.1 100")
        for who, status in (("anna", 429), ("adam", 201)):
            headers = {"Authorization": f"Bearer {there.world.tokens[who]}"}
            async with httpx.AsyncClient(base_url=there.url, headers=headers, trust_env=False, verify=NO_TLS) as api:
                assert (await api.post(UPLOAD, content=b"x")).status_code == status


async def test_a_person_has_a_share_of_requests(start: Starting) -> None:
    there = await start(web_connections=8)
    async with there.listening("anna") as one, there.listening("anna") as other:
        await one.until("hello")
        await other.until("hello")
        for who, status in (("anna", 429), ("adam", 200)):
            headers = {"Authorization": f"Bearer {there.world.tokens[who]}"}
            async with httpx.AsyncClient(base_url=there.url, headers=headers, trust_env=False, verify=NO_TLS) as api:
                answer = await api.get("/me")
                assert answer.status_code == status, answer.text


def test_a_source_has_a_share_of_requests_and_gets_it_back() -> None:
    limits = RequestLimits(4, Pace(1.0), Pace(1.0))
    asked = [limits.begin("10.0.0.1") for _ in range(2)]
    with pytest.raises(TooManyRequests):
        limits.begin("10.0.0.1")
    limits.begin("10.0.0.2").end()
    asked[0].end()
    limits.begin("10.0.0.1").end()
    asked[1].end()
    assert not limits.requests, "nothing is remembered of a source without requests"
