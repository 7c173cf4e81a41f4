"""The plain listener's app, request by request: what it takes, and what it refuses unread."""

from cases import each
from gateway.plain_bench import HANDLE, KEY, PLAN, STREAM, Bench, chunk, sum_of
from sieve.channel.seals import seal
from sieve.gateway.plain.app import Fenced


async def test_chunks_in_any_order_reach_their_places_and_are_reported_once(bench: Bench) -> None:
    bench.announce()
    for index in (3, 0, 2, 1):
        assert await bench.put(index).answered() == 204
    assert bench.written == STREAM
    assert bench.held == [(HANDLE, index) for index in (3, 0, 2, 1)]
    assert await bench.app.close(HANDLE) == Fenced(frozenset({0, 1, 2, 3}), (sum_of(STREAM),))


async def test_a_body_may_come_in_many_pieces(bench: Bench) -> None:
    bench.announce()
    request = bench.put(0)
    request.pieces = [chunk(0)[i : i + 7000] for i in range(0, 65536, 7000)]
    assert await request.answered() == 204
    assert bench.written[:65536] == chunk(0)


async def test_a_bad_seal_leaves_the_chunk_to_the_true_one(bench: Bench) -> None:
    bench.announce()
    forged = bytes(65536)
    assert await bench.put(0, body=forged, headers={"seal": "00" * 16}).answered() == 400
    moved = seal(KEY, 0, 1, chunk(1)).hex()
    assert await bench.put(0, body=chunk(1), headers={"seal": moved}).answered() == 400
    assert bench.written == bytes(PLAN.size) and bench.held == []
    assert await bench.put(0).answered() == 204


async def test_a_replay_is_not_read_again(bench: Bench) -> None:
    bench.announce()
    assert await bench.put(0).answered() == 204
    replay = bench.put(0)
    assert await replay.answered() == 410
    assert not replay.reading.is_set()
    assert bench.held == [(HANDLE, 0)]


@each(
    "headers",
    [
        {"content-length": str(10 * 1024 * 1024)},
        {"content-length": "65535"},
        {"content-length": "0"},
        {"content-length": ""},
        {"content-length": "-1"},
        {"content-length": "65536 "},
        {"content-length": "6" * 40},
        {"content-length": "٦٥٥٣٦"},
        {"transfer-encoding": "chunked"},
        {"seal": ""},
        {"seal": "00" * 15},
        {"seal": "zz" * 16},
    ],
)
async def test_a_head_that_does_not_fit_is_refused_unread(bench: Bench, headers: dict[str, str]) -> None:
    bench.announce()
    request = bench.put(0, headers=headers)
    assert await request.answered() in (400, 404)
    assert not request.reading.is_set()


@each(
    "path",
    [
        "/",
        f"/{HANDLE}",
        f"/{HANDLE}/0",
        f"/{HANDLE}/0/0/0",
        f"/{HANDLE}/1/0",
        f"/{HANDLE}/0/4",
        f"/{HANDLE}/0/-1",
        f"/{HANDLE}/0/x",
        f"/{HANDLE}/0/",
        f"/{HANDLE}/0/٠",
        f"/{HANDLE}/0/{'9' * 30}",
        f"x/{HANDLE}/0/0",
        f"//{HANDLE}/0/0",
    ],
)
async def test_any_other_form_of_request_is_unknown(bench: Bench, path: str) -> None:
    bench.announce()
    request = bench.put(0)
    request.path = path
    assert await request.answered() == 404
    assert not request.reading.is_set()


async def test_nor_any_other_method_or_query(bench: Bench) -> None:
    bench.announce()
    assert await bench.put(0, method="POST").answered() == 404
    asked = bench.put(0)
    asked.path += "?a=b"
    assert await asked.answered() == 404


async def test_closing_what_was_never_announced_is_nothing(bench: Bench) -> None:
    assert await bench.app.close(HANDLE) == Fenced()
