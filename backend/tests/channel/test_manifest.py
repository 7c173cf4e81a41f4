"""The manifest checks itself, reads back exactly, and its digests bind everything that was sent."""

from dataclasses import replace
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import manifest_of, manifests, modest, noise
from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.manifest import (
    MAX_MARKS,
    MAX_RECIPIENT_BYTES,
    MAX_RECIPIENTS,
    Manifest,
    SentMarks,
    keyed_classified_digest,
)
from sieve.core.document import MAX_SPANS, Document, Spans
from sieve.core.errors import SpanError

MANIFEST = manifest_of(Document(b"plain secret plain", [(6, 12)]))


@modest
@given(manifests())
def test_what_is_said_reads_back(manifest: Manifest) -> None:
    again = Manifest.from_head(manifest.head, manifest.spans)
    assert again == manifest
    assert again.digest == manifest.digest and again.document_digest == manifest.document_digest


def test_sizes_follow_from_the_spans() -> None:
    assert (MANIFEST.size, MANIFEST.classified_size, MANIFEST.plain_size) == (18, 6, 12)


# --- digests -----------------------------------------------------------------------------------------------------

CHANGES: list[dict[str, Any]] = [
    {"transfer_id": "ff" * 16},
    {"salt": noise("another salt", 32)},
    {"name": "minutes2.md"},
    {"media_type": "text/plain"},
    {"size": 19},
    {"spans": Spans.of([(6, 11)])},
    {"spans": Spans.of([(6, 12), (12, 12)])},
    {"classified_digest": bytes(32)},
    {"plain_digest": bytes(32)},
    {"recipients": ("bob",)},
    {"recipients": ("zoë", "bob")},
    {"sender": "Mallory"},
    {"deadline_at_ns": 1},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_the_digest_covers_every_field(change: dict[str, Any]) -> None:
    assert replace(MANIFEST, **change).digest != MANIFEST.digest


@pytest.mark.parametrize(
    ("change", "matters"),
    [
        (change, bool(change.keys() & {"salt", "size", "spans", "classified_digest", "plain_digest"}))
        for change in CHANGES
    ],
)
def test_the_document_digest_covers_the_document_and_nothing_else(change: dict[str, Any], matters: bool) -> None:
    assert (replace(MANIFEST, **change).document_digest != MANIFEST.document_digest) is matters


def test_the_shown_digest_of_a_secret_is_no_oracle_for_guessing_it() -> None:
    """Two transfers of one document show different classified and document digests; without the salt, neither helps."""
    document = Document(b"the code is 1234", [(12, 16)])
    one, other = manifest_of(document, 1), manifest_of(document, 2)
    assert one.classified_digest != other.classified_digest
    assert one.document_digest != other.document_digest
    assert one.plain_digest == other.plain_digest
    guess = blake3(b"1234").digest()
    assert one.classified_digest not in (guess, blake3(guess).digest())
    assert one.classified_digest == keyed_classified_digest(one.salt, guess)


def test_nothing_of_it_is_shown() -> None:
    assert repr(MANIFEST) == f"Manifest({MANIFEST.transfer_id})"


# --- names of others ---------------------------------------------------------------------------------------------


def test_names_are_made_safe_for_those_who_did_not_choose_them() -> None:
    manifest = replace(MANIFEST, name="../x/\u202egpj.exe", sender="A/B\u202e\n\0")
    assert (manifest.safe_name, manifest.safe_sender) == ("gpj.exe", "A/B")
    assert Manifest.from_head(manifest.head, manifest.spans).name == manifest.name, "the digest covers the name as sent"


# --- bounds ------------------------------------------------------------------------------------------------------

OUT_OF_BOUNDS: list[dict[str, Any]] = [
    {"name": "x" * 1001},
    {"name": "half \ud800"},
    {"sender": "x" * 301},
    {"media_type": "x" * 201},
    {"media_type": "text/plain\r\nSet-Cookie: x"},
    {"media_type": "text/plän"},
    {"recipients": ()},
    {"recipients": ("",)},
    {"recipients": ("bob", "bob")},
    {"recipients": ("bob\n",)},
    {"recipients": ("\ud800",)},
    {"recipients": ("é" * (MAX_RECIPIENT_BYTES // 2 + 1),)},
    {"recipients": tuple(f"r{n}" for n in range(MAX_RECIPIENTS + 1))},
    {"salt": b"short"},
    {"plain_digest": b""},
    {"classified_digest": bytes(33)},
    {"deadline_at_ns": -1},
    {"deadline_at_ns": 2**63},
    {"size": 2**62 + 1},
]


@pytest.mark.parametrize("change", OUT_OF_BOUNDS, ids=lambda change: next(iter(change)))
def test_no_gateway_makes_a_manifest_that_no_peer_would_take(change: dict[str, Any]) -> None:
    with pytest.raises(BadManifest):
        replace(MANIFEST, **change)


def test_no_document_has_more_spans_than_there_may_be() -> None:
    with pytest.raises(BadManifest, match="more than the 1000000"):
        replace(MANIFEST, spans=Spans([0, 0] * (MAX_SPANS + 1)))


def test_spans_lie_within_the_size() -> None:
    with pytest.raises(SpanError):
        replace(MANIFEST, size=11)


# --- what a hostile peer may say ---------------------------------------------------------------------------------


@pytest.mark.parametrize("key", list(MANIFEST.head))
@pytest.mark.parametrize(
    "value",
    [None, True, -1, 1.0, 2**64, "", "00", "\ud800", "Z" * 64, "x" * 2000, [], [None], ["\ud800"], {}, {"v": 1}],
)
def test_a_field_of_another_kind_is_refused(key: str, value: Any) -> None:
    if key in ("name", "media_type", "sender") and value in ("", "00", "Z" * 64):
        return  # these may be any short text
    with pytest.raises(MalformedOpening):
        Manifest.from_head({**MANIFEST.head, key: value}, MANIFEST.spans)


@pytest.mark.parametrize("key", list(MANIFEST.head))
def test_a_missing_field_is_refused(key: str) -> None:
    with pytest.raises(MalformedOpening):
        Manifest.from_head({name: value for name, value in MANIFEST.head.items() if name != key}, MANIFEST.spans)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(MalformedOpening, match="does not know"):
        Manifest.from_head({**MANIFEST.head, "unsealed": True}, MANIFEST.spans)


def test_another_version_is_named() -> None:
    with pytest.raises(MalformedOpening, match="version 4; this gateway takes versions 1, 2, 3"):
        Manifest.from_head({**MANIFEST.head, "v": 4}, MANIFEST.spans)


# --- a redacted edition --------------------------------------------------------------------------------------------

WITH_EDITION = manifest_of(Document(b"plain secret plain", [(6, 12)]), edition=b"plain [...] plain")


def test_a_document_without_an_edition_has_the_manifest_of_version_1_byte_for_byte() -> None:
    assert MANIFEST.head["v"] == 1 and "redacted" not in MANIFEST.head
    assert MANIFEST.carried_size == MANIFEST.size
    assert WITH_EDITION.without_edition().head == MANIFEST.head


def test_the_edition_is_named_beside_the_document_and_changes_nothing_of_it() -> None:
    digest = blake3(b"plain [...] plain").hexdigest()
    assert WITH_EDITION.head == {**MANIFEST.head, "v": 2, "redacted": {"size": 17, "digest": digest}}
    assert WITH_EDITION.document_digest == MANIFEST.document_digest
    assert (WITH_EDITION.size, WITH_EDITION.plain_size) == (18, 12)
    assert (WITH_EDITION.carried_classified_size, WITH_EDITION.carried_size) == (23, 35)


EDITION = WITH_EDITION.head["redacted"]


@pytest.mark.parametrize(
    "change",
    [
        {"v": 1},
        {"redacted": None},
        {"redacted": 17},
        {"redacted": {"size": 17}},
        {"redacted": {**EDITION, "size": 0}},
        {"redacted": {**EDITION, "size": -1}},
        {"redacted": {**EDITION, "size": True}},
        {"redacted": {**EDITION, "size": 2**62 - 17}},
        {"redacted": {**EDITION, "digest": "00"}},
        {"redacted": {**EDITION, "name": "another"}},
    ],
)
def test_a_hostile_edition_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MalformedOpening):
        Manifest.from_head({**WITH_EDITION.head, **change}, WITH_EDITION.spans)


def test_a_manifest_of_version_2_without_an_edition_is_refused() -> None:
    with pytest.raises(MalformedOpening, match="must name its redacted edition"):
        Manifest.from_head({**MANIFEST.head, "v": 2}, MANIFEST.spans)


# --- an author's marks ---------------------------------------------------------------------------------------------

WITH_MARKS = replace(WITH_EDITION, marks=SentMarks(1024, noise("marks", 32)))
MARKS = {"size": 1024, "digest": noise("marks", 32).hex()}


def test_marks_are_named_behind_the_edition_and_change_nothing_of_the_document() -> None:
    assert WITH_MARKS.head == {**WITH_EDITION.head, "v": 3, "marks": MARKS}
    assert WITH_MARKS.document_digest == MANIFEST.document_digest
    assert (WITH_MARKS.plain_size, WITH_MARKS.carried_classified_size) == (12, 23 + 1024)
    alone = replace(WITH_MARKS, redacted=None)
    assert alone.head == {**MANIFEST.head, "v": 3, "marks": MARKS}
    assert WITH_MARKS.without_marks() == WITH_EDITION and WITH_MARKS.without_edition() == MANIFEST


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"marks": None},
        {"marks": {**MARKS, "size": 0}},
        {"marks": {**MARKS, "size": MAX_MARKS + 1}},
        {"marks": {**MARKS, "digest": "00"}},
        {"marks": {**MARKS, "name": "another"}},
        {"redacted": None},
        {"redacted": {**EDITION, "size": 2**62 - 18}},
    ],
)
def test_hostile_marks_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MalformedOpening):
        Manifest.from_head({**WITH_MARKS.head, **change}, WITH_MARKS.spans)


@pytest.mark.parametrize("spans", [Spans.EMPTY, Spans.of([(5, 12)]), Spans.of([(6, 12), (12, 12)])])
def test_other_spans_are_refused(spans: Spans) -> None:
    with pytest.raises(MalformedOpening):
        Manifest.from_head(MANIFEST.head, spans)


def test_spans_past_the_size_are_refused_without_telling_where_they_stand() -> None:
    with pytest.raises(MalformedOpening) as refusal:
        Manifest.from_head({**MANIFEST.head, "size": 11}, MANIFEST.spans)
    assert not any(ch.isdigit() for ch in str(refusal.value))


@modest
@given(st.sampled_from(sorted(MANIFEST.head)), st.text(max_size=20) | st.integers() | st.lists(st.text(max_size=3)))
def test_any_other_value_is_refused_or_gives_another_manifest(key: str, value: Any) -> None:
    try:
        read = Manifest.from_head({**MANIFEST.head, key: value}, MANIFEST.spans)
    except MalformedOpening:
        return
    assert (read == MANIFEST) == (value == MANIFEST.head[key])
