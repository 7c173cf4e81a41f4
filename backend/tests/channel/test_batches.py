"""Batches: two pure cores talk; each document ends whole or refused by name, and the plain wire holds plain bytes only.

Any documents, any plan, any split, some of them refused at once or dropped on the way, streams arriving in any order.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import RECEIPT_KEY, RECEIVER_PIN, SENDER_PIN, attempt_at, manifest_of, mark, plans, receipt_for
from documents import cuts
from examples import examples
from sieve.channel import canonical, receiver, sender
from sieve.channel.attempt import MODES, AnySplit, Attempt, Mode, Plan
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import MIN_CHUNK
from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.load import MAX_DOCUMENTS, Layout, Load, Part
from sieve.channel.manifest import MAX_NAME, MAX_SIZE, Manifest
from sieve.channel.opening import BATCH_MAGIC, MAGIC, MAX_BATCH_HEAD, Opening, OpeningReader
from sieve.channel.refusals import RefusalKind
from sieve.core.document import MAX_SPANS, Document, Spans
from sieve.core.separate import separate
from sieve.core.split.batches import BATCH_SPLITS

TRUST = sender.Trust(SENDER_PIN, frozenset({RECEIVER_PIN}), RECEIPT_KEY.public_key().public_bytes_raw())
ENDS = sender.Deliver | sender.TryAgain | sender.GiveUp


@st.composite
def small_documents(draw: st.DrawFn) -> Document:
    """Of no, few or many bytes (more than a chunk), with spans anywhere; plain bytes are below 0x80, others are not."""
    size = draw(st.sampled_from([0, 1, 9, 60, 60, MIN_CHUNK + 7]))
    bounds = sorted(draw(st.lists(st.integers(0, size), max_size=8)))
    return mark(size, list(zip(bounds[::2], bounds[1::2], strict=False)), f"document of {size}")


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[Document], Opening]:
    documents = draw(st.lists(small_documents(), min_size=2, max_size=6))
    load = Load(tuple(manifest_of(document, 1 + number) for number, document in enumerate(documents)))
    plan = draw(plans(splits=BATCH_SPLITS))
    numbers = draw(st.lists(st.integers(1, 2**31), min_size=len(documents), max_size=len(documents)))
    return documents, Opening(load, replace(attempt_at(load.manifests[0], plan=plan), numbers=tuple(numbers)))


def stream_of(layout: Layout, documents: Sequence[Document]) -> bytes:
    """The bytes of a load's stream."""
    streams = [separate(document) for document in documents]
    return b"".join(
        (streams[part.document].secure if part.classified else streams[part.document].plain)[part.start : part.end]
        for part in layout.parts(0, layout.size)
    )


class Far:
    """The receiving gateway: what it had to write, and which transfers it refuses."""

    def __init__(self, opening: Opening, refused: dict[int, bool]) -> None:
        """`refused`: documents that may not begin, and whether for good."""
        self.core = receiver.Receiver(opening.load, opening.attempt)
        self.classified = [bytearray(manifest.classified_size) for manifest in opening.load.manifests]
        self.plain = [bytearray(manifest.plain_size) for manifest in opening.load.manifests]
        self.answers: list[sender.Event] = []
        for document, permanent in refused.items():
            self.drop(document, "not here", permanent)

    def drop(self, document: int, reason: str, permanent: bool) -> None:
        assert self.core.handle(receiver.Dropped(document)) == []
        named = self.core.load.transfer_ids[document]
        self.answers.append(sender.DocumentRefused(named, reason, permanent))

    def hear(self, event: receiver.Event) -> None:
        for command in self.core.handle(event):
            match command:
                case receiver.WriteClassified(offset, data, document):
                    self.classified[document][offset : offset + len(data)] = data
                case receiver.WritePlain(offset, data, document):
                    self.plain[document][offset : offset + len(data)] = data
                case receiver.AnswerVerified():
                    self.answers.append(sender.VerifiedReported())
                case receiver.ReadStreams(documents):
                    for document in documents:
                        digests = blake3(self.classified[document]).digest(), blake3(self.plain[document]).digest()
                        self.hear(receiver.StreamsRead(*digests, document))
                case receiver.Commit(document):
                    receipt = receipt_for(self.core.load.manifests[document]).sign(RECEIPT_KEY)
                    self.hear(receiver.Committed(receipt, document))
                case receiver.AnswerReceipt(text, document):
                    named = self.core.load.transfer_ids[document]
                    self.answers.append(sender.ReceiptArrived(named, text))
                case receiver.Discard(reason, document):
                    assert document is not None
                    self.answers.append(sender.DocumentRefused(self.core.load.transfer_ids[document], reason, False))


@settings(max_examples=examples(50), deadline=None)
@given(batches(), st.data())
def test_each_document_ends_whole_or_refused_by_name(
    batch: tuple[list[Document], Opening], data: st.DataObject
) -> None:
    documents, opening = batch
    load, plan = opening.load, opening.attempt.plan
    assert OpeningReader(MAX_DOCUMENTS).feed(opening.to_bytes()) == (opening, b"")
    here = sender.Sender(load, opening.attempt, TRUST)
    assert here.start()
    of_all = range(len(documents))
    refused = data.draw(st.dictionaries(st.sampled_from(of_all), st.booleans()), label="refused")
    late = data.draw(st.sets(st.sampled_from(of_all)), label="dropped on the way") - set(refused)
    there = Far(opening, refused)

    secure, plain = stream_of(load.secure(plan), documents), stream_of(load.plain, documents)
    rest = [b"".join(secure[start:end] for start, end in part.ranges(0, part.size)) for part in here.secure]
    chunks = list(range(here.chunks.count)) if plan.uses_plain_channel else []
    on_plain_wire = b"".join(plain[start:end] for chunk in chunks for start, end in here.chunks.ranges(chunk))
    assert all(byte < 0x80 for byte in on_plain_wire) and len(on_plain_wire) == (len(plain) if chunks else 0)
    there.hear(receiver.PlainFenced(frozenset()))  # so that the core itself places the chunks
    ended = False
    while any(rest) or chunks or not ended:
        moves = [number for number, left in enumerate(rest) if left]
        moves += [-1] if chunks else []
        moves += [-2] if not rest[0] and not ended else []
        moves += [-3] if late else []
        match data.draw(st.sampled_from(moves)):
            case -1:
                chunk = chunks.pop(data.draw(st.integers(0, len(chunks) - 1)))
                bytes_of = b"".join(plain[start:end] for start, end in here.chunks.ranges(chunk))
                there.hear(receiver.SecureChunk(chunk, bytes_of))
            case -2:
                ended = True
                there.hear(receiver.SecureEnded())
            case -3:
                there.drop(late.pop(), "a newer attempt took over", False)
            case number:
                size = data.draw(st.sampled_from([len(rest[number]), 1 + len(rest[number]) // 2]))
                piece, rest[number] = rest[number][:size], rest[number][size:]
                there.hear(receiver.SecureBytes(piece, number))

    commands = [command for answer in there.answers for command in here.handle(answer)]
    ends = {end.transfer_id: end for end in commands if isinstance(end, ENDS)}
    assert len(ends) == len(documents) == sum(isinstance(command, ENDS) for command in commands)
    assert here.ended and there.core.over
    for number, (document, manifest) in enumerate(zip(documents, load.manifests, strict=True)):
        match ends[manifest.transfer_id]:
            case sender.Deliver(_, text):
                assert number not in refused
                streams = separate(document)
                assert (bytes(there.classified[number]), bytes(there.plain[number])) == (streams.secure, streams.plain)
                assert text == receipt_for(manifest).sign(RECEIPT_KEY)
            case sender.GiveUp():
                assert refused[number]
            case sender.TryAgain(reason):
                assert refused.get(number) is False or reason == "a newer attempt took over"
    for number in refused:
        assert not any(there.classified[number]) and not any(there.plain[number]), "thrown away, wherever it arrived"


@settings(max_examples=50, deadline=None)
@given(batches(), st.data())
def test_an_opening_may_come_in_any_pieces(batch: tuple[list[Document], Opening], data: st.DataObject) -> None:
    _, opening = batch
    reader, found, rest = OpeningReader(MAX_DOCUMENTS), None, b""
    for piece in data.draw(cuts(opening.to_bytes() + b"following")):
        if found is not None:
            rest += piece
        elif (read := reader.feed(piece)) is not None:
            found, rest = read
    assert (found, rest) == (opening, b"following")


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 9))), st.data())
def test_a_layout_says_whose_every_byte_is(streams: list[tuple[int, bool, int]], data: st.DataObject) -> None:
    layout = Layout(Part(document, classified, 0, size) for document, classified, size in streams)
    each = [(document, classified, at) for document, classified, size in streams for at in range(size)]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, layout.size)] * 2)))
    parts = list(layout.parts(start, end))
    assert [(part.document, part.classified, at) for part in parts for at in range(part.start, part.end)] == each[
        start:end
    ]
    assert all(part.start < part.end for part in parts)
    places = list(layout.places())
    assert all(before[2] == after[1] for before, after in pairwise(places))
    assert sum(end - start for _, start, end in places) == layout.size == len(each)


# --- the sender ------------------------------------------------------------------------------------------------------

THREE = tuple(manifest_of(mark(20, [(5, 15)]), number) for number in (1, 2, 3))
IDS = tuple(manifest.transfer_id for manifest in THREE)
RECEIPTS = tuple(receipt_for(manifest).sign(RECEIPT_KEY) for manifest in THREE)


def attempt_of(load: Load, plan: Plan | None = None) -> Attempt:
    numbers = tuple(range(1, 1 + len(load.manifests)))
    return replace(attempt_at(load.manifests[0], plan=plan or Plan("sieve")), numbers=numbers)


def three() -> sender.Sender:
    it = sender.Sender(Load(THREE), attempt_of(Load(THREE)), TRUST)
    it.start()
    return it


def test_each_document_ends_separately_and_the_last_one_ends_the_attempt() -> None:
    it = three()
    assert it.handle(sender.DocumentRefused(IDS[1], "nobody here", True)) == [sender.GiveUp("nobody here", IDS[1])]
    assert it.handle(sender.ReceiptArrived(IDS[0], RECEIPTS[0])) == [sender.Deliver(IDS[0], RECEIPTS[0])]
    assert it.handle(sender.ReceiptArrived(IDS[0], RECEIPTS[0])) == [], "it has its end"
    assert it.handle(sender.DocumentRefused("of nobody", "no", True)) == []
    assert it.left == IDS[2:]
    assert it.handle(sender.SecureLost("cut")) == [sender.StopPlain(), sender.TryAgain("cut")]
    assert it.ended and it.left == ()


def test_one_documents_receipt_does_not_deliver_another() -> None:
    [again] = three().handle(sender.ReceiptArrived(IDS[0], RECEIPTS[1]))
    assert isinstance(again, sender.TryAgain) and again.transfer_id == IDS[0] and "does not count" in again.reason


def test_what_is_refused_together_for_good_is_tried_again_alone() -> None:
    assert three().handle(sender.Refused("no", permanent=True)) == [
        sender.StopPlain(),
        sender.TryAgain("no", kind=RefusalKind.REFUSED),
    ]


# --- the receiver ----------------------------------------------------------------------------------------------------


def test_when_every_document_is_dropped_it_is_over() -> None:
    it = receiver.Receiver(Load(THREE), attempt_of(Load(THREE)))
    for document in range(3):
        assert not it.over
        it.handle(receiver.Dropped(document))
    assert it.over
    assert not it.handle(receiver.SecureBytes(bytes(30))) and not it.handle(receiver.SecureEnded())


def test_a_document_whose_digest_is_wrong_is_discarded_alone() -> None:
    load = Load(THREE[:2])
    it = receiver.Receiver(load, attempt_of(load, Plan("secure-only")))
    it.handle(receiver.SecureBytes(bytes(40)))
    assert it.handle(receiver.SecureEnded()) == [receiver.AnswerVerified(), receiver.ReadStreams((0, 1))]
    [discard] = it.handle(receiver.StreamsRead(bytes(32), bytes(32), 1))
    assert isinstance(discard, receiver.Discard) and discard.document == 1 and not it.over
    streams = separate(mark(20, [(5, 15)]))
    digests = blake3(streams.secure).digest(), blake3(streams.plain).digest()
    assert it.handle(receiver.StreamsRead(*digests, 0)) == [receiver.Commit(0)]
    assert it.handle(receiver.Committed("r", 0)) == [receiver.AnswerReceipt("r", 0)]
    assert it.over


# --- what is no batch ------------------------------------------------------------------------------------------------


def test_a_load_has_bounds() -> None:
    huge = replace(THREE[0], size=MAX_SIZE)
    many = replace(THREE[0], size=2 * MAX_SPANS, spans=Spans(range(2 * MAX_SPANS)))
    for manifests in ((), (THREE[0], THREE[0]), (huge, *THREE[1:]), (many, *THREE[1:])):
        with pytest.raises(BadManifest):
            Load(manifests)
    with pytest.raises(BadManifest, match="1 to 64 documents, not 65"):
        Load(tuple(replace(THREE[0], transfer_id=f"{number:032x}") for number in range(MAX_DOCUMENTS + 1)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("split", "documents"), [("es", 2), ("bfs", 1), ("bes", 1)])
def test_splits_of_one_document_and_of_several_are_distinguished(mode: Mode, split: AnySplit, documents: int) -> None:
    with pytest.raises(ValueError, match=f"split {split} is for"):
        Plan(mode, 2, 2, split).check_documents(documents)
    for number in (1, 2):
        Plan(mode, 2, 2, "range").check_documents(number)


def test_secure_only_has_no_segments_to_split_by() -> None:
    with pytest.raises(ValueError, match="use bes or range"):
        Plan("secure-only", split="bss")


def test_manifests_that_are_too_long_together_are_an_error_before_they_leave() -> None:
    load = Load(
        tuple(
            replace(
                THREE[0],
                transfer_id=f"{number:032x}",
                name="\0" * MAX_NAME,
                recipients=tuple(f"{'漢' * 60}{login:02}" for login in range(100)),
            )
            for number in range(MAX_DOCUMENTS)
        )
    )
    with pytest.raises(BadManifest, match="send each alone"):
        Opening(load, attempt_of(load)).to_bytes()


def wire(head: dict[str, object], magic: bytes = BATCH_MAGIC) -> bytes:
    text = canonical.dumps(head)
    return magic + len(text).to_bytes(4, "big") + text + b"".join(manifest.spans.to_bytes() for manifest in THREE)


def head(manifests: Sequence[Manifest] = THREE, plan: Plan | None = None) -> dict[str, Any]:
    attempt = replace(attempt_at(THREE[0], plan=plan or Plan("sieve")))
    return {
        "attempt": attempt.head,
        "documents": [{"number": 1, "manifest": manifest.head} for manifest in manifests],
    }


@pytest.mark.parametrize(
    "said",
    [
        {**head(), "documents": []},
        {**head(), "documents": head()["documents"][:1]},
        {**head(), "documents": {}},
        {**head(), "documents": [1, 2]},
        {**head(), "documents": [{"number": 1, "manifest": 1}] * 2},
        {**head(), "documents": [{"number": 0, "manifest": THREE[0].head}, {"number": 1, "manifest": THREE[1].head}]},
        {**head(), "documents": [{"number": 1, "manifest": {**THREE[0].head, "spans": MAX_SPANS}}] * 2},
        {**head(), "unsealed": True},
        {"documents": head()["documents"]},
        {**head(), "attempt": {**attempt_at(THREE[0]).head, "number": 1}},
        head((THREE[0], THREE[0], THREE[2])),
        head(plan=Plan("sieve", 2, 2, "es")),
    ],
)
def test_a_head_that_is_no_batchs_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(MalformedOpening):
        OpeningReader(MAX_DOCUMENTS).feed(wire(said))


def test_a_batch_is_read_where_batches_are_and_has_at_most_as_many_documents_as_were_said() -> None:
    assert OpeningReader(3).feed(wire(head())) is not None
    for reader, sent in (
        (OpeningReader(2), wire(head())),
        (OpeningReader(), wire(head())),
        (OpeningReader(3), wire(head(), MAGIC)),
        (OpeningReader(3), BATCH_MAGIC + (MAX_BATCH_HEAD + 1).to_bytes(4, "big")),
    ):
        with pytest.raises(MalformedOpening):
            reader.feed(sent)


def test_of_a_batch_split_by_documents_the_listener_gets_one_length_of_each() -> None:
    """Its spans are not bounded as those of the other splits are."""
    documents = [mark(size, [(at, at + 1) for at in range(0, size, 2)], "many spans") for size in (2_000, 0, 1)]
    load = Load(tuple(manifest_of(document, 1 + number) for number, document in enumerate(documents)))
    said = PlainSplit.of(load, Plan("sieve", 1, 2, "bfs"))
    assert said.lengths == ((1_000,), (0,), (0,))
    assert [part.size for part in said.sub_streams()] == [1_000, 0]
    # As they are: they may be 65,536, and the sender has others to serve.
    told = said.to_json()
    assert told["lengths"] is said.lengths and PlainSplit.from_json(json.loads(json.dumps(told))) == said
