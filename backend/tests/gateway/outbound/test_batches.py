"""Several documents in one attempt between two real gateways: each arrives, fails and ends by itself."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.gates import gate
from gateway.two_gateways import RECEIVING, WORKER, Pair, document, paired, until
from sieve.channel.attempt import AnySplit, Plan
from sieve.channel.receiver import Limits
from sieve.core.document import Document
from sieve.gateway.errors import NotFound, PeerRefused, UnfitPlan, UnknownRecipient
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planner.grouping import Rules
from sieve.gateway.outbound.planning import Planning
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.store.queries import outbox

FIVE = [document(20_000 + number, 3, 500) for number in range(5)]
SINGLE = Plan("sieve")


async def queue(
    pair: Pair, documents: Sequence[Document], plan: Plan = SINGLE, to: str = "bruno", wish: Wish | None = None
) -> list[str]:
    """The transfers of documents that their author chose to go together."""
    kept = [await pair.alpha.keep(each, pair.anna) for each in documents]
    return [row.id for row in await pair.alpha.transfer_queue.send(pair.anna, kept, {"bravo": [to]}, plan, wish=wish)]


async def plan_of(pair: Pair, transfer_id: str) -> dict[str, Any]:
    plan = (await pair.alpha.row(transfer_id)).plan
    return dict(json.loads(plan or "{}"))


async def arrive(pair: Pair, ids: Sequence[str], documents: Sequence[Document]) -> None:
    """Each is delivered, once, as it is."""
    for transfer_id, each in zip(ids, documents, strict=True):
        ended = await pair.alpha.ended(transfer_id)
        assert ended.state == "delivered", ended
        await pair.arrived(transfer_id, each)


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where openings went."""
    real = Link.stream
    paths: list[str] = []

    def noted(self: Link, method: str, path: str, *rest: Any) -> Any:
        if method == "POST":
            paths.append(path)
        return real(self, method, path, *rest)

    monkeypatch.setattr(Link, "stream", noted)
    return paths


@pytest.mark.parametrize(
    "plan",
    [
        SINGLE,
        Plan("sieve", 3, 2),
        Plan("sieve", 2, 3, "bfs"),
        Plan("secure-only", 2, 1, "bes"),
        # `test_incoming_batches.py` has the splits of these.
        pytest.param(Plan("secure-only"), marks=pytest.mark.soak),
        pytest.param(Plan("sieve", 2, 2, "bes"), marks=pytest.mark.soak),
        pytest.param(Plan("sieve", 3, 2, "bss"), marks=pytest.mark.soak),
    ],
)
async def test_a_batch_arrives_in_one_attempt(pair: Pair, openings: list[str], plan: Plan) -> None:
    documents = [*FIVE, Document(b"", []), document(300_000, 4, 20_000)]
    ids = await queue(pair, documents, plan)
    await arrive(pair, ids, documents)
    assert openings == ["/v1/batches"]
    assert await pair.bravo.documents() == len(documents)
    said = await plan_of(pair, ids[0])
    assert (said["batch"], said["split"]) == (7, plan.split)
    # A split that shows more than sizes says so.
    assert (said["note"] is not None) == (plan.mode == "sieve" and plan.split != "range")
    row = await pair.alpha.row(ids[3])
    assert row.attempt == 1
    figures = await pair.alpha.transfer_queue.timings(row)
    assert figures is not None and figures.stored >= figures.data_transfer > 0


async def test_each_document_has_its_progress(pair: Pair) -> None:
    ids = await queue(pair, FIVE, Plan("sieve", 2, 2))
    for transfer_id, each in zip(ids, FIVE, strict=True):
        whole = await pair.alpha.becomes(transfer_id, lambda progress: progress.verified and bool(progress.channels))
        assert (whole.secure_sent, whole.plain_sent) == (whole.secure_total, whole.plain_total)
        assert whole.secure_sent + whole.plain_sent == each.size
    await arrive(pair, ids, FIVE)


async def test_what_waits_for_a_peer_is_sent_together_without_being_asked(pair: Pair, openings: list[str]) -> None:
    await pair.bravo.stop()
    pair.alpha.working = False
    await pair.alpha.stop()
    await pair.alpha.start()
    large = document(5_000_000, 1)
    documents = [*FIVE[:3], large, *FIVE[3:]]
    ids = []
    for each in documents:
        kept = await pair.alpha.keep(each, pair.anna)
        # All by the same estimate: those whose estimate is secure-only go in groups of their own.
        [sent] = await pair.alpha.transfer_queue.send(
            pair.anna, [kept], {"bravo": ["bruno"]}, SINGLE, wish=Wish(), estimated={"bravo": "sieve"}
        )
        ids.append(sent.id)
    await pair.bravo.start()
    pair.alpha.working = True
    await pair.alpha.stop()
    await pair.alpha.start()
    await arrive(pair, ids, documents)
    assert sorted(openings) == ["/v1/batches", "/v1/batches", "/v1/transfers"]
    said = await plan_of(pair, ids[0])
    assert (said["batch"], said["note"]) == (3, "sent together with 2 others that waited for bravo")
    assert said["note_said"]["parameters"] == {"count": 2, "peer": "bravo"}
    assert (await plan_of(pair, ids[3]))["batch"] is None
    assert said["estimate"]["reason"] == "faster"


async def test_nothing_is_queued_unless_all_can_go(pair: Pair) -> None:
    kept = [await pair.alpha.keep(each, pair.anna) for each in FIVE[:2]]
    theirs = await pair.alpha.keep(FIVE[2], await pair.alpha.person("other", author=True))
    send = pair.alpha.transfer_queue.send
    with pytest.raises(NotFound, match=f"no such document: {theirs}$"):
        await send(pair.anna, [*kept, theirs], {"bravo": ["bruno"]}, SINGLE)
    with pytest.raises(UnknownRecipient, match="nobody named zoe"):
        await send(pair.anna, kept, {"bravo": ["bruno", "zoe"]}, SINGLE)
    with pytest.raises(UnfitPlan, match="at most 8 secure channels"):
        await send(pair.anna, kept, {"bravo": ["bruno"]}, Plan("sieve", 9))
    async with pair.alpha.database.read() as session:
        assert await outbox.of_author(session, None) == []
    assert await pair.alpha.documents() == 3  # the documents themselves


async def test_one_that_is_damaged_here_fails_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "hello")
    ids = await queue(pair, FIVE)
    await there.wait()
    plain = (await pair.alpha.row(ids[2])).document.plain_blob.ref
    pair.alpha.blobs.delete(plain)
    go_on.set()
    ended = await pair.alpha.ended(ids[2])
    assert (ended.state, ended.reason) == (
        "failed",
        "the stored document cannot be read: a stored file is missing; restore it from a backup",
    )
    await arrive(pair, [*ids[:2], *ids[3:]], [*FIVE[:2], *FIVE[3:]])
    assert [(await pair.alpha.row(transfer_id)).attempt for transfer_id in ids] == [1] * 5
    assert await pair.bravo.documents() == 4


async def test_one_that_the_receiver_refuses_fails_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds one that is larger than what it said it takes."""
    small = replace(pair.bravo.receiving_settings.limits, max_document_size=30_000)
    monkeypatch.setattr(pair.bravo.attempts.deps, "settings", replace(RECEIVING, limits=small))
    documents = [*FIVE[:2], document(40_000, 2), *FIVE[2:]]
    ids = await queue(pair, documents)
    ended = await pair.alpha.ended(ids[2])
    assert (ended.state, ended.reason) == (
        "failed",
        "bravo: the document has 40000 bytes; this gateway takes at most 30000",
    )
    await arrive(pair, [*ids[:2], *ids[3:]], FIVE)
    assert await pair.bravo.documents() == 5


async def test_one_that_its_author_cancels_ends_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    real, told = Link.ask, asyncio.Event()

    async def noted(self: Link, method: str, *arguments: Any, **more: Any) -> dict[str, Any]:
        answer = await real(self, method, *arguments, **more)
        if method == "DELETE":
            told.set()
        return answer

    monkeypatch.setattr(Link, "ask", noted)
    ids = await queue(pair, FIVE)
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, ids[3])
    # The plain chunks must not arrive before the receiver knows.
    await told.wait()
    go_on.set()
    assert (await pair.alpha.ended(ids[3])).state == "cancelled"
    await arrive(pair, [*ids[:3], ids[4]], [*FIVE[:3], FIVE[4]])
    assert ids[3] not in await pair.bravo.entries(pair.bruno)


@pytest.mark.parametrize("split", ["bfs", "range"])
async def test_one_that_is_cancelled_while_the_way_is_planned_leaves_a_plan_for_the_other(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, split: AnySplit
) -> None:
    there, go_on = gate(monkeypatch, Planning, "plan")
    ids = await queue(pair, FIVE[:2], Plan("sieve", 1, 2, split))
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, ids[0])
    go_on.set()
    assert (await pair.alpha.ended(ids[0])).state == "cancelled"
    await arrive(pair, ids[1:], FIVE[1:2])
    plan = await plan_of(pair, ids[1])
    assert (plan["split"], plan["batch"]) == ("range", None)


async def test_what_a_peer_refuses_of_two_is_not_final_for_the_one_that_is_left(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author cancels the other one while the peer is asked about both."""
    there, go_on = asyncio.Event(), asyncio.Event()
    real = Link.hello

    async def refused_once(self: Link, *arguments: Any) -> Hello:
        if not there.is_set():
            there.set()
            await go_on.wait()
            raise PeerRefused("the request is malformed", permanent=True)
        return await real(self, *arguments)

    monkeypatch.setattr(Link, "hello", refused_once)
    ids = await queue(pair, FIVE[:2])
    await there.wait()
    await pair.alpha.transfer_queue.cancel(pair.anna, ids[0])
    go_on.set()
    assert (await pair.alpha.ended(ids[0])).state == "cancelled"
    await arrive(pair, ids[1:], FIVE[1:2])


async def test_all_that_are_cancelled_end_the_attempt(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    ids = await queue(pair, FIVE[:2])
    await there.wait()
    for transfer_id in ids:
        await pair.alpha.transfer_queue.cancel(pair.anna, transfer_id)
    for transfer_id in ids:
        assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    await until(lambda: not pair.bravo.attempts.under_way)
    assert pair.bravo.files() == 0


async def test_a_receiver_that_goes_down_mid_way_gets_each_once(
    pair: Pair, openings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    ids = await queue(pair, FIVE)
    await there.wait()
    await pair.bravo.stop()
    go_on.set()
    for transfer_id in ids:
        assert (await pair.alpha.tried(transfer_id)).state == "queued"
    await pair.bravo.start()
    await arrive(pair, ids, FIVE)
    assert openings[0] == "/v1/batches"
    # A retry goes alone: no document holds up others twice.
    assert set(openings[1:]) <= {"/v1/transfers"}


async def test_a_peer_that_takes_no_batches_gets_each_separately(
    pair: Pair, openings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Hello.of
    monkeypatch.setattr(Hello, "of", lambda said: replace(real(said), max_batch=1))
    ids = await queue(pair, FIVE, Plan("sieve", 2, 2, "bes"))
    await arrive(pair, ids, FIVE)
    assert openings == ["/v1/transfers"] * 5
    said = await plan_of(pair, ids[0])
    assert (said["batch"], said["split"]) == (None, "es")
    assert said["note"].startswith("alone, a document is split by es: bes is for several together; an eavesdropper")
    again = await queue(pair, FIVE)
    await arrive(pair, again, FIVE)
    assert openings == ["/v1/transfers"] * 10


async def test_an_attempt_that_is_refused_as_a_whole_is_tried_one_by_one(
    pair: Pair, openings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Link.stream

    def refusing(self: Link, method: str, path: str, *rest: Any) -> Any:
        if path == "/v1/batches":
            openings.append(path)
            raise PeerRefused("bravo refused: no such thing", permanent=True)
        return real(self, method, path, *rest)

    monkeypatch.setattr(Link, "stream", refusing)
    ids = await queue(pair, FIVE)
    await arrive(pair, ids, FIVE)
    assert openings[0] == "/v1/batches" and openings[1:] == ["/v1/transfers"] * 5
    assert {(await pair.alpha.row(transfer_id)).attempt for transfer_id in ids} == {2}


@pytest.mark.parametrize("tight", [{"most": 2}, {"quota": 45_000}], ids=str)
async def test_no_more_leave_at_a_time_than_the_peer_takes(
    tmp_path: Path, template: Path, openings: list[str], tight: dict[str, int]
) -> None:
    """Neither together, nor beside others: nothing of it is refused."""
    limits = Limits(30_000, tight.get("most", 16))
    settings = replace(RECEIVING, limits=limits, quota=tight.get("quota", RECEIVING.quota))
    async with paired(tmp_path, template, bravo={"receiving_settings": settings}) as pair:
        await pair.delivers(FIVE[0])  # from here on it is known what bravo takes
        ids = [*await queue(pair, FIVE), await pair.send(FIVE[0]), await pair.send(FIVE[1])]
        await arrive(pair, ids, [*FIVE, *FIVE[:2]])
        assert {(await pair.alpha.row(transfer_id)).attempt for transfer_id in ids} == {1}
        assert "/v1/batches" in openings


async def test_one_waits_for_others_until_they_are_enough(tmp_path: Path, template: Path) -> None:
    settings = replace(WORKER, together=Rules(most_documents=3, wait_ns=3600 * 10**9))
    async with paired(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        ids = [await pair.send(each) for each in FIVE[:3]]
        await arrive(pair, ids, FIVE[:3])
        assert (await plan_of(pair, ids[0]))["batch"] == 3
