"""Gaps through the API: they show where content is withheld, and nothing else."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from starlette.types import Message, Send

from documents import text_documents
from examples import examples
from sieve.core import markup
from sieve.core.document import Document
from sieve.core.separate import separate
from web_world import World

MARKED = b"<$S>Operation Heron<$E> begins at <$S>0415<$E><$S> sharp<$E>; a tag: <$$S>."
GAPS = b"<$S><$E> begins at <$S><$E>; a tag: <$$S>."


async def test_who_may_ask(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    document_id = await world.upload(MARKED)
    for who, path, status in (
        ("bruno", f"/inbox/{transfer_id}", 200),
        ("rosa", f"/inbox/{transfer_id}", 200),
        ("otto", f"/inbox/{transfer_id}", 404),
        ("anna", f"/inbox/{transfer_id}", 403),
        ("anna", f"/documents/{document_id}", 200),
        ("adam", f"/documents/{document_id}", 404),
        ("rosa", f"/documents/{document_id}", 403),
    ):
        async with world.client(who) as api:
            answer = await api.get(f"{path}/content", params={"edition": "gaps"})
        assert answer.status_code == status
        if status == 200:
            assert answer.content == GAPS
            assert "content-length" not in answer.headers and "etag" not in answer.headers


async def test_it_is_no_edition_that_people_are_offered(world: World) -> None:
    transfer_id = await world.deliver(MARKED)
    for who in ("bruno", "rosa"):
        async with world.client(who) as api:
            assert "gaps" not in (await api.get(f"/inbox/{transfer_id}")).json()["editions"]


async def test_sizes_and_the_mode_are_shown_to_the_cleared_alone(world: World) -> None:
    """The mode that the planner chose depends on them."""
    transfer_id = await world.deliver(MARKED)
    hidden = ("mode", "document_bytes", "classified_bytes")
    for who, is_shown in (("bruno", True), ("rosa", False)):
        async with world.client(who) as api:
            entry = (await api.get(f"/inbox/{transfer_id}")).json()
            (listed,) = (await api.get("/inbox")).json()["items"]
        for shown in (entry, listed):
            assert [shown[name] is not None for name in hidden] == [is_shown] * 3


async def test_bytes_have_none(world: World) -> None:
    transfer_id = await world.deliver(Document(b"\x89PNG secret", [(5, 11)]), media_type="image/png")
    async with world.client("rosa") as api:
        answer = await api.get(f"/inbox/{transfer_id}/content", params={"edition": "gaps"})
    assert answer.status_code == 409


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=text_documents())
async def test_a_viewer_reads_the_plain_stream_and_empty_spans(world: World, document: Document) -> None:
    transfer_id = await world.deliver(document)
    async with world.client("rosa") as api:
        parsed = markup.parse((await api.get(f"/inbox/{transfer_id}/content", params={"edition": "gaps"})).content)
    assert parsed.content == separate(document).plain
    assert all(start == end for start, end in parsed.spans)


@pytest.mark.parametrize("plain", [b"short", "long 漢 ".encode() * 60_000])
async def test_nothing_that_the_uncleared_get_depends_on_what_is_hidden(world: World, plain: bytes) -> None:
    """Not the bytes, nor the head, nor how the answer is cut into pieces."""
    looks = []
    for hidden in (b"<$S>a<$E>", b"<$S>" + b"long " * 40_000 + b"<$E><$S><$E><$S>z<$E>", b"<$S><$E>"):
        transfer_id = await world.deliver(plain + hidden + plain)
        messages: list[Message] = []
        async with world.client("rosa") as api:
            headers = api.headers.raw
        await world.app(
            {
                "type": "http",
                "http_version": "1.1",
                "method": "GET",
                "scheme": "http",
                "path": f"/api/v1/inbox/{transfer_id}/content",
                "raw_path": b"",
                "query_string": b"edition=gaps",
                "headers": [(name.lower(), value) for name, value in headers],
                "client": ("127.0.0.1", 1),
                "server": ("alpha", 80),
            },
            _nothing_more,
            _collecting(messages),
        )
        looks.append(messages)
    assert looks[0] == looks[1] == looks[2]
    assert len(looks[0]) >= 3


async def _nothing_more() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("nobody goes away")


def _collecting(messages: list[Message]) -> Send:
    async def send(message: Message) -> None:
        messages.append(message)

    return send
