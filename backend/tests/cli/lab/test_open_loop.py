"""The open-loop client against a server that is made up: what counts as accepted, and when it was due."""

import asyncio
import json
import time

import httpx

from sieve.cli.lab.open_loop import Delivered, Due, delivered, is_over, refusal, request, send, transfer_ids

REQUEST = b"POST / HTTP/1.1\r\n\r\n"


async def test_a_broken_connection_is_a_request_that_was_not_accepted_and_the_others_continue() -> None:
    asked = 0
    answering = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        answering.append(asyncio.current_task())
        while await reader.read(len(REQUEST)):
            asked += 1
            if asked % 3 == 0:
                break
            body = json.dumps({"id": str(asked)}).encode()
            writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        before = time.time()
        sent = await send(f"{host}:{port}", [Due(0.001 * number, REQUEST) for number in range(40)])
        await asyncio.gather(*(task for task in answering if task is not None))
    assert asked == 40
    assert [answer is None for answer in sent.answers].count(True) == 13
    assert sorted(int(answer["id"]) for answer in sent.answers if answer) == [n for n in range(1, 41) if n % 3]
    assert sent.refusal
    assert sent.began_s >= before - 1


async def test_a_connection_that_the_gateway_closed_is_over() -> None:
    async def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(close, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(host, port)
        assert await reader.read() == b""
        # The writer does not know it yet: a request would be written, and never answered.
        assert not writer.is_closing()
        assert is_over(reader, writer)
        writer.close()
        await writer.wait_closed()


async def test_a_refusal_is_kept_and_says_why() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"}")
        body = json.dumps({"title": "Conflict", "detail": "bravo is not paired"}).encode()
        writer.write(b"HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        address = f"{host}:{port}"
        sent = await send(address, [Due(0.0, request(address, "sieve_x", "/transfers", {"peer": "bravo"}))])
    assert (sent.answers, sent.refusal) == ([None], "status 409: bravo is not paired")


def test_a_request_is_one_post_with_its_length() -> None:
    head, body = request("host:1", "sieve_x", "/batches", {"peer": "bravo"}).split(b"\r\n\r\n")
    assert head.startswith(b"POST /api/v1/batches HTTP/1.1\r\nHost: host:1\r\nAuthorization: Bearer sieve_x\r\n")
    assert head.endswith(b"Content-Length: %d" % len(body))
    assert json.loads(body) == {"peer": "bravo"}


def test_the_ids_of_one_transfer_and_of_a_batch() -> None:
    assert transfer_ids({"id": "a"}) == ["a"]
    assert transfer_ids({"transfers": [{"id": "a"}, {"id": "b"}]}) == ["a", "b"]


def test_a_refusal_is_in_the_gateways_words() -> None:
    assert refusal(httpx.Response(422, json={"detail": "no such mode"})) == "status 422: no such mode"
    assert refusal(httpx.Response(502, text="<html>")) == "status 502"


def test_delivered_transfers_are_found_on_all_pages() -> None:
    rows = [
        {"id": "d", "state": "failed", "delivered_at": None, "plan": {"batch": None}},
        {"id": "c", "state": "delivered", "delivered_at": "1970-01-01T00:00:03Z", "plan": {"batch": 2}},
        {"id": "other", "state": "delivered", "delivered_at": "1970-01-01T00:00:02Z", "plan": {"batch": None}},
        {"id": "a", "state": "delivered", "delivered_at": "1970-01-01T00:00:01.5Z", "plan": {"batch": None}},
    ]

    def answer(asked: httpx.Request) -> httpx.Response:
        if "state" in asked.url.params:
            return httpx.Response(200, json={"items": [], "next": None})
        first = "after" not in asked.url.params
        return httpx.Response(200, json={"items": rows[:2] if first else rows[2:], "next": "more" if first else None})

    with httpx.Client(base_url="http://alpha", transport=httpx.MockTransport(answer)) as author:
        assert delivered(author, {"a", "c", "d"}) == {"c": Delivered(3.0, 2), "a": Delivered(1.5, 1)}
