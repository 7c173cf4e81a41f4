"""Batches against the real receiver: each document ends by itself, and by name."""

import errno
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.by_hand import ByHand, as_another_replica, manifest_of, nothing_left, open_there, refusal, under_way
from gateway.file_at import FileAt
from gateway.gates import gate
from gateway.in_process import InProcess
from gateway.two_gateways import RECEIVING, Pair, document, paired, until
from sieve.channel.attempt import Plan
from sieve.channel.manifest import Manifest
from sieve.channel.receiver import Limits
from sieve.channel.seals import SealKey
from sieve.core.document import Document
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.finalizer import Finalizer, Stored
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.gateway.plain.files import Openable, StreamPart
from sieve.store.blobs import BlobStore, PlainWriter, StorageFull

SIZES = (10_000, 0, 70_000, 1, 300_000)
DOCUMENTS = [document(size, min(3, size)) for size in SIZES]


def sent() -> list[tuple[Document, Manifest]]:
    return [(one, manifest_of(one)) for one in DOCUMENTS]


@pytest.mark.parametrize(
    "plan",
    [
        Plan("sieve"),
        Plan("sieve", 3, 2, "bes"),
        Plan("sieve", 3, 2, "bss"),
        Plan("secure-only"),
        # `test_batches.py` has the splits of these.
        pytest.param(Plan("sieve", 3, 2), marks=pytest.mark.soak),
        pytest.param(Plan("sieve", 3, 2, "bfs"), marks=pytest.mark.soak),
        pytest.param(Plan("secure-only", 3, 1, "bes"), marks=pytest.mark.soak),
    ],
    ids=lambda plan: f"{plan.mode} {plan.secure_channels} {plan.split}",
)
async def test_each_document_arrives_with_a_receipt_of_its_own(pair: Pair, plan: Plan) -> None:
    of_all = sent()
    hand = ByHand.of_several(pair, of_all, plan)
    on_plain_wire = b"".join(hand.chunk(number) for number in range(hand.chunks.count))
    assert sorted(on_plain_wire) == sorted(b"".join(streams.plain for streams in hand.documents))
    hand.begin()
    await open_there(pair, hand)
    await hand.whole()
    for line, (one, manifest) in zip(await hand.outcomes(), of_all, strict=True):
        assert (line["is"], line["durations"].keys()) == (
            "receipt",
            {"combine_ns", "integrate_ns", "verify_ns", "commit_ns"},
        )
        assert await hand.link.receipt(manifest.transfer_id) == line["receipt"]
        await pair.arrived(manifest.transfer_id, one)
    await nothing_left(pair, documents=len(of_all))


async def test_the_bad_ones_fail_alone_and_by_name(pair: Pair) -> None:
    """Unknown recipient, wrong digest, delivered before, other manifest, expired; between them what is delivered."""
    good, other_good = ((one, manifest_of(one)) for one in DOCUMENTS[2::2])
    nobody = DOCUMENTS[0], manifest_of(DOCUMENTS[0], recipients=("bruno", "nobody"))
    wrong = DOCUMENTS[2], manifest_of(DOCUMENTS[2], plain_digest=bytes(32))
    late = DOCUMENTS[3], manifest_of(DOCUMENTS[3], deadline_at_ns=time.time_ns() - 1)
    before = DOCUMENTS[0], manifest_of(DOCUMENTS[0])
    alone = ByHand.of(pair, before[0], manifest=before[1], mode="secure-only")
    alone.begin()
    alone.whole_secure_stream()
    first = await alone.outcome()
    conflict = DOCUMENTS[4], manifest_of(DOCUMENTS[4])
    taken = ByHand.of(pair, DOCUMENTS[4], mode="secure-only", manifest=replace(conflict[1], name="other"))
    taken.begin()
    taken.whole_secure_stream()
    assert (await taken.outcome())["is"] == "receipt"

    hand = ByHand.of_several(pair, [nobody, good, wrong, late, before, conflict, other_good], Plan("sieve", 2, 2))
    hand.begin()
    await open_there(pair, hand)
    await hand.whole()
    of_nobody, of_good, of_wrong, of_late, of_before, of_conflict, of_other = await hand.outcomes()
    assert (of_nobody["kind"], of_nobody["permanent"]) == ("unknown-recipient", True)
    assert "nobody named nobody can receive at bravo" in of_nobody["detail"]
    assert of_wrong["is"] == "failed" and "does not fit its digest" in of_wrong["detail"]
    assert (of_late["kind"], of_conflict["kind"]) == ("expired", "conflict")
    assert of_before == {**first, "durations": None, "transfer": before[1].transfer_id}
    assert of_good["is"] == of_other["is"] == "receipt"
    for one, manifest in (good, other_good):
        await pair.arrived(manifest.transfer_id, one)
    await nothing_left(pair, documents=4)


async def test_where_none_may_begin_the_answer_ends_at_once(pair: Pair) -> None:
    bad = [(one, manifest_of(one, recipients=("nobody",))) for one in DOCUMENTS[:2]]
    hand = ByHand.of_several(pair, bad)
    hand.begin()
    hand.secure(hand.secure_part(0))
    hand.end()
    assert [line["kind"] for line in await hand.outcomes()] == ["unknown-recipient"] * 2
    await nothing_left(pair)


async def test_a_newer_attempt_takes_one_document_over_and_the_others_continue(pair: Pair) -> None:
    of_all = sent()
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    await open_there(pair, hand)
    stale = ByHand.of(pair, of_all[2][0], manifest=of_all[2][1])
    stale.begin()
    stale.whole_secure_stream()
    assert (await refusal(stale)).kind == "stale"
    newer = ByHand.of(pair, of_all[2][0], manifest=of_all[2][1], number=2)
    newer.begin()
    newer.whole_secure_stream()
    await open_there(pair, newer)
    await newer.whole_plain_stream()
    assert (await newer.outcome())["is"] == "receipt"
    await hand.whole()
    lines = await hand.outcomes()
    assert [line["is"] for line in lines] == ["receipt", "receipt", "failed", "receipt", "receipt"]
    assert (lines[2]["detail"], lines[2]["permanent"]) == ("a newer attempt took over", False)
    for one, manifest in of_all:
        await pair.arrived(manifest.transfer_id, one)
    await nothing_left(pair, documents=len(of_all))


async def test_one_document_is_given_up_then_all(pair: Pair) -> None:
    of_all = sent()
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    await open_there(pair, hand)
    about = f"/v1/attempts/{hand.attempt.handle}"
    assert await hand.link.ask("DELETE", f"{about}?transfer={of_all[0][1].transfer_id}") == {}
    assert under_way(pair) == len(of_all) - 1
    assert unlinked(pair) == []  # else what it gives up would still keep its room, and count in no quota
    assert await hand.link.ask("GET", about) == {"held": [], "secure": [0]}
    assert await hand.link.ask("DELETE", about) == {}
    await nothing_left(pair)
    hand.secure(hand.secure_part(0))
    hand.end()
    assert {line["detail"] for line in await hand.outcomes()} == {"the sender gave it up"}


async def test_cut_midway_it_leaves_nothing_and_each_can_come_again_alone(pair: Pair) -> None:
    of_all = sent()
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    hand.secure(hand.secure_part(0)[:-1])
    await open_there(pair, hand)
    await hand.cut()
    await nothing_left(pair)
    for one, manifest in of_all[:2]:
        alone = ByHand.of(pair, one, manifest=manifest, mode="secure-only")
        alone.begin()
        alone.whole_secure_stream()
        assert (await alone.outcome())["is"] == "receipt"


async def test_room_and_limits_are_judged_document_by_document(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tight = replace(RECEIVING, limits=Limits(100_000, 5), quota=195_000)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        before = [ByHand.of(pair, document(60_000, 0)) for _ in range(2)]
        for alone in before:
            alone.begin()
            await open_there(pair, alone)
        # Goes, too large, over the quota, goes, no room, one too many: more than the quota together.
        sizes = (70_000, 100_001, 20_001, 5_000, 0, 0)
        documents = [document(size, 0) for size in sizes]
        of_all = [(one, manifest_of(one)) for one in documents]
        no_room_for(monkeypatch, of_all[4][1])
        hand = ByHand.of_several(pair, of_all)
        hand.begin()
        await open_there(pair, hand)
        await hand.whole()
        lines = await hand.outcomes()
        assert [line.get("kind") for line in lines] == [None, "too-large", "busy", None, "full", "busy"]
        assert lines[4]["detail"] == "its disk is full"
        for alone in before:
            await alone.cut()
        await nothing_left(pair, documents=2)


async def test_what_is_too_much_together_is_refused_unread(pair: Pair) -> None:
    """Else a tiny document would bring any number of bytes to be thrown away. Alone each hears its own fault."""
    tiny = document(1, 0)
    claimed = manifest_of(tiny, size=2**60)
    hand = ByHand.of_several(pair, [(tiny, manifest_of(tiny)), (tiny, claimed)])
    hand.begin()
    hand.whole_secure_stream()
    with pytest.raises(PeerRefused, match="the batch exceeds this gateway's size limit") as refused:
        await hand.hear()
    assert (refused.value.kind, refused.value.permanent) == ("too-large", False)
    await nothing_left(pair)


async def test_who_has_its_receipt_may_send_on_at_once(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was delivered takes no room of what is under way, though its attempt has yet to be cleared away."""
    tight = replace(RECEIVING, limits=Limits(100_000, 2), quota=110_000)
    async with paired(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        there, go_on = gate(monkeypatch, IncomingAttempt, "cleared")
        try:
            for _ in range(2):
                documents = [document(50_000, 1), document(60_000, 1)]
                hand = ByHand.of_several(pair, [(one, manifest_of(one)) for one in documents])
                hand.begin()
                await hand.whole()
                assert [line["is"] for line in await hand.outcomes()] == ["receipt"] * 2
            assert there.is_set()
        finally:
            go_on.set()
        await nothing_left(pair, documents=4)


def no_room_for(monkeypatch: pytest.MonkeyPatch, manifest: Manifest) -> None:
    """The disk is full when that document's turn comes."""
    real = ReceivedFiles.reserve

    def reserve(self: ReceivedFiles) -> None:
        if self.manifest.transfer_id == manifest.transfer_id:
            raise StorageFull("the disk is full")
        real(self)

    monkeypatch.setattr(ReceivedFiles, "reserve", reserve)


def unlinked(pair: Pair) -> list[str]:
    """Files without a name that bravo, or its plain listener, still has open, in this process: they keep their room."""
    names = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [name for name in names if name.startswith(str(pair.bravo.folder)) and name.endswith("(deleted)")]


async def test_a_document_without_room_is_closed_at_the_listener(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is announced while room is made: what comes of it must not fill the disk that the others have theirs on."""
    of_all = sent()
    no_room_for(monkeypatch, of_all[2][1])
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    await open_there(pair, hand)
    await until(lambda: under_way(pair) == len(of_all) - 1)
    assert unlinked(pair) == []
    await hand.whole()
    assert [line["is"] for line in await hand.outcomes()] == ["receipt", "receipt", "failed", "receipt", "receipt"]
    await nothing_left(pair, documents=len(of_all) - 1)


async def the_third_fails_alone(pair: Pair, of_all: list[tuple[Document, Manifest]], kind: str) -> None:
    """The batch is sent; its third document fails, to be tried again, and the others arrive."""
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    await open_there(pair, hand)
    await hand.whole()
    lines = await hand.outcomes()
    assert [line["is"] for line in lines] == ["receipt", "receipt", "failed", "receipt", "receipt"]
    assert (lines[2]["kind"], lines[2]["permanent"]) == (kind, False)
    await nothing_left(pair, documents=len(of_all) - 1)


async def test_a_file_that_cannot_be_written_fails_its_document_alone(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_all = sent()
    real = InProcess.open

    async def open_full(
        self: InProcess, handle: str, key: SealKey, parts: Sequence[StreamPart[Openable]], *others: Any, **more: Any
    ) -> None:
        wanted = of_all[2][1].plain_size
        disk = FileAt(Path("/dev/full"))
        full = [part._replace(file=disk) if part.end - part.start == wanted else part for part in parts]
        await real(self, handle, key, full, *others, **more)

    monkeypatch.setattr(InProcess, "open", open_full)
    await the_third_fails_alone(pair, of_all, "plain-listener")


async def test_what_a_broken_disk_does_not_take_fails_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    of_all = sent()
    broken = of_all[2][1]
    real = ReceivedFiles.write_classified

    def write(self: ReceivedFiles, *arguments: Any) -> None:
        if self.manifest.transfer_id == broken.transfer_id:
            raise OSError(errno.EIO, "Input/output error")
        real(self, *arguments)

    monkeypatch.setattr(ReceivedFiles, "write_classified", write)
    await the_third_fails_alone(pair, of_all, "failed")


async def test_one_too_many_for_the_open_files_fails_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real, made = BlobStore.new_plain, 0

    def few(self: BlobStore, **of_it: Any) -> PlainWriter:
        nonlocal made
        made += 1
        if made == 3:
            raise OSError(errno.EMFILE, "Too many open files")
        return real(self, **of_it)

    monkeypatch.setattr(BlobStore, "new_plain", few)
    hand = ByHand.of_several(pair, sent())
    hand.begin()
    await open_there(pair, hand)
    await hand.whole()
    lines = await hand.outcomes()
    assert [line["is"] for line in lines] == ["receipt", "receipt", "failed", "receipt", "receipt"]
    assert (lines[2]["kind"], lines[2]["permanent"]) == ("failed", False)
    await nothing_left(pair, documents=4)


async def test_the_plain_stream_may_come_over_the_secure_channel(pair: Pair) -> None:
    of_all = sent()
    hand = ByHand.of_several(pair, of_all)
    hand.begin()
    hand.secure(hand.secure_part(0))
    hand.end()
    await open_there(pair, hand)
    for number in range(hand.chunks.count):
        await hand.put_securely(number, hand.chunk(number))
    assert {line["is"] for line in await hand.outcomes()} == {"receipt"}
    for one, manifest in of_all:
        await pair.arrived(manifest.transfer_id, one)


async def test_who_delivers_one_of_them_first_does_not_keep_the_others_out(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two replicas may commit at once; the row's uniqueness decides, and the others' transaction is made again."""
    real = Finalizer.commit

    async def beaten(self: Finalizer, stored: Sequence[Stored]) -> list[Stored]:
        monkeypatch.setattr(Finalizer, "commit", real)
        await real(self, [as_another_replica(stored[1])])
        return await real(self, stored)

    monkeypatch.setattr(Finalizer, "commit", beaten)
    of_all = sent()
    hand = ByHand.of_several(pair, of_all, Plan("secure-only"))
    hand.begin()
    await open_there(pair, hand)
    await hand.whole()
    lines = await hand.outcomes()
    assert [line["is"] for line in lines] == ["receipt"] * len(of_all)
    assert [line["receipt"] == "the first" for line in lines] == [False, True, False, False, False]
    await nothing_left(pair, documents=len(of_all))
