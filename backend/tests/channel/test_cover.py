"""A cover arrives as it was sent, beside its manifest, within bounds; anything else is refused in a sentence."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channel_cases import attempt_at, manifest_of
from documents import cuts
from sieve.channel.attempt import Attempt, Plan
from sieve.channel.cover import MAX_GATEWAY, MAX_NOTE, MAX_OTHER_NAME, MAX_OTHERS, Cover, OtherRecipient
from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.load import Load
from sieve.channel.manifest import MAX_MEDIA_TYPE, MAX_NAME, MAX_RECIPIENTS, MAX_SENDER
from sieve.channel.opening import BATCH_MAGIC, MAGIC, Opening, OpeningReader
from sieve.channel.safe_names import clean_text
from sieve.channel.seals import SealKey
from sieve.core.document import Document

MANIFESTS = tuple(manifest_of(Document(b"plain secret plain", [(6, 12)]), number) for number in (1, 2, 3))
COVER = Cover("anna", "Call me.\n\tAnna", "ab" * 16, read_receipts=True, others=(OtherRecipient("Zoë", "charlie"),))

_texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)


@st.composite
def covers(draw: st.DrawFn) -> Cover:
    return Cover(
        draw(_texts.filter(bool)),
        draw(_texts),
        draw(st.none() | st.binary(min_size=16, max_size=16).map(bytes.hex)),
        draw(st.booleans()),
        tuple(OtherRecipient(name, "charlie") for name in draw(st.lists(_texts, max_size=3))),
        draw(st.integers(0, 5)),
    )


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 3))
def test_a_cover_arrives_with_its_document(data: st.DataObject, documents: int) -> None:
    manifests = MANIFESTS[:documents]
    load = Load(manifests, covers=tuple(data.draw(st.none() | covers()) for _ in manifests))
    load = load if any(load.covers) else Load(manifests)
    attempt = Attempt("ab" * 16, SealKey(bytes(32)), Plan("sieve"), tuple(range(1, documents + 1)))
    reader, found = OpeningReader(documents), None
    for piece in data.draw(cuts(Opening(load, attempt).to_bytes())):
        if piece:
            found = reader.feed(piece)
    assert found is not None and found[0].load == load


def test_nothing_but_the_head_depends_on_the_cover() -> None:
    bare, covered = Load(MANIFESTS[:1]), Load(MANIFESTS[:1], covers=(COVER,))
    attempt = attempt_at(MANIFESTS[0])
    assert (bare.plain.size, bare.secure(attempt.plan).size) == (covered.plain.size, covered.secure(attempt.plan).size)
    assert Opening(bare, attempt).body_size == Opening(covered, attempt).body_size


def test_the_fullest_cover_fits_beside_the_fullest_manifest() -> None:
    quotes = '"' * 198
    manifest = replace(
        MANIFESTS[0],
        name="\0" * MAX_NAME,
        sender="\0" * MAX_SENDER,
        media_type='"' * MAX_MEDIA_TYPE,
        recipients=tuple(f"{quotes}{n:02}" for n in range(MAX_RECIPIENTS)),
    )
    others = tuple(OtherRecipient("😀" * MAX_OTHER_NAME, "\n" * MAX_GATEWAY) for _ in range(MAX_OTHERS))
    cover = Cover('"' * 200, "😀" * MAX_NOTE, "ab" * 16, read_receipts=True, others=others, others_left_out=2**31 - 1)
    opening = Opening(Load((manifest,), covers=(cover,)), attempt_at(manifest))
    assert OpeningReader().feed(opening.to_bytes()) == (opening, b"")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"note": "x" * (MAX_NOTE + 1)}, "note must be text of at most 2000 characters"),
        ({"note": "bell\a"}, "note must be text"),
        ({"note": "half \ud800"}, "canonical JSON|note must be text"),
        ({"sender": ""}, "not a login"),
        ({"in_reply_to": "AB" * 16}, "in_reply_to must be 32 lower-case"),
        ({"read_receipts": 1}, "read_receipts must be true or false"),
        ({"others": {}}, "others must be a list"),
        ({"others": [{"name": "a", "gateway": "b", "more": 1}]}, "fields that this version does not know"),
        ({"others": [{"name": "a", "gateway": "b"}] * (MAX_OTHERS + 1)}, "more than 100 other recipients"),
        ({"others_left_out": -1}, "others_left_out must be an integer"),
        ({"more": 1}, "fields that this version does not know"),
    ],
)
def test_a_cover_out_of_bounds_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(MalformedOpening, match=said):
        Cover.from_head({**COVER.head, **change})


def test_a_note_that_no_peer_takes_is_not_sent() -> None:
    with pytest.raises(BadManifest):
        Cover("anna", "x" * (MAX_NOTE + 1))
    with pytest.raises(BadManifest):
        Load(MANIFESTS, covers=(COVER,))


def test_a_cover_does_not_show_itself_in_logs() -> None:
    assert "Call" not in repr(COVER)


def test_the_magic_says_how_many_documents_there_are() -> None:
    assert Opening(Load(MANIFESTS[:1], covers=(COVER,)), attempt_at(MANIFESTS[0])).to_bytes().startswith(MAGIC)
    attempt = Attempt("ab" * 16, SealKey(bytes(32)), Plan("sieve"), (1, 1, 1))
    assert Opening(Load(MANIFESTS, covers=(COVER, None, COVER)), attempt).to_bytes().startswith(BATCH_MAGIC)


def test_a_shown_note_keeps_its_lines_and_nothing_hidden() -> None:
    assert clean_text(" a\r\nb\tc\u202e\x07 \u200d\n") == "a\nb\tc \u200d"
