"""An attempt says itself in JSON, is read back strictly, and never shows its key."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import attempt_at, attempts, manifest_of, manifests, modest
from sieve.channel.attempt import MAX_SPLIT_SEGMENTS, Attempt, Plan
from sieve.channel.chunk_sizes import MAX_CHUNK
from sieve.channel.errors import MalformedOpening
from sieve.core.document import Document
from sieve.core.split import Split

ATTEMPT = attempt_at(manifest_of(Document(b"")))


@modest
@given(st.data())
def test_what_is_said_reads_back(data: st.DataObject) -> None:
    attempt = data.draw(attempts(data.draw(manifests())))
    assert Attempt.from_head(attempt.head, attempt.numbers) == attempt


def test_the_two_modes_differ_in_whether_the_plain_channel_is_used() -> None:
    assert Plan("sieve").uses_plain_channel
    assert not Plan("secure-only").uses_plain_channel


def test_neither_key_nor_handle_is_shown() -> None:
    shown = repr(ATTEMPT) + str(ATTEMPT)
    assert ATTEMPT.plain_key.secret.hex() not in shown and ATTEMPT.handle not in shown


@pytest.mark.parametrize("key", sorted({*ATTEMPT.head} - {"seal"}))
@pytest.mark.parametrize("value", [None, True, 0, -1, 1.0, 2**31 + 1, "", "00", "Z" * 64, [], {}, {"mode": []}])
def test_a_field_of_another_kind_is_refused(key: str, value: Any) -> None:
    with pytest.raises(MalformedOpening):
        Attempt.from_head({**ATTEMPT.head, key: value})


@pytest.mark.parametrize("key", sorted({*ATTEMPT.head} - {"seal"}))
def test_a_missing_field_is_refused(key: str) -> None:
    with pytest.raises(MalformedOpening):
        Attempt.from_head({name: value for name, value in ATTEMPT.head.items() if name != key})


@pytest.mark.parametrize("kind", [None, True, "", "aes-256-gcm", "crc32", ["chacha20-poly1305"]])
def test_a_seal_of_another_version_is_refused(kind: Any) -> None:
    """The common one is never named: an older gateway would refuse the field."""
    with pytest.raises(MalformedOpening):
        Attempt.from_head({**ATTEMPT.head, "seal": kind})


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "plain-only"},
        {"mode": None},
        {"mode": ["sieve"]},
        {"mode": {}},
        {"secure_channels": 0},
        {"secure_channels": 65},
        {"plain_channels": -1},
        {"secure_channels": "2"},
        {"secure_channels": True},
        {"secure_channels": 1.0},
        {"plain_channels": 0},
        {"split": "even"},
        {"split": None},
        {"mode": "secure-only", "split": "ss"},
        {"unsealed": True},
    ],
)
def test_a_plan_of_another_version_is_refused(change: dict[str, Any]) -> None:
    head = ATTEMPT.head
    with pytest.raises(MalformedOpening, match="plan"):
        Attempt.from_head({**head, "plan": {**head["plan"], **change}})


def test_ss_is_for_documents_that_are_sieved() -> None:
    with pytest.raises(ValueError, match="use es or range"):
        Plan("secure-only", split="ss")


@pytest.mark.parametrize("split", ["es", "ss"])
def test_of_very_many_spans_only_ranges_are_made(split: Split) -> None:
    Plan("sieve", 2, 2, split).check_spans(MAX_SPLIT_SEGMENTS)
    Plan("sieve", 2, 2).check_spans(10**6)
    with pytest.raises(ValueError, match="65,536 spans, and this one has 65,537; use range"):
        Plan("sieve", 2, 2, split).check_spans(MAX_SPLIT_SEGMENTS + 1)


def test_one_channel_of_each_kind_is_what_version_1_can_do() -> None:
    assert Plan("sieve").is_single and Plan("secure-only").is_single
    assert not any(plan.is_single for plan in (Plan("sieve", 2), Plan("sieve", 1, 2), Plan("sieve", split="es")))


def test_chunks_that_all_take_need_no_word() -> None:
    larger = replace(ATTEMPT, max_chunk=MAX_CHUNK)
    assert "max_chunk" not in ATTEMPT.head and larger.head["max_chunk"] == MAX_CHUNK
    assert Attempt.from_head(larger.head) == larger


@pytest.mark.parametrize(
    "size", [0, -1, 65_536, MAX_CHUNK + 1, 2 * MAX_CHUNK, float(MAX_CHUNK), str(MAX_CHUNK), None, True]
)
def test_chunks_of_another_size_are_refused(size: Any) -> None:
    with pytest.raises(MalformedOpening, match="does not take the attempt's chunks"):
        Attempt.from_head({**ATTEMPT.head, "max_chunk": size})


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(MalformedOpening, match="does not know"):
        Attempt.from_head({**ATTEMPT.head, "unsealed": True})


@pytest.mark.parametrize("handle", ["AB" * 16, " " + "ab" * 15 + "c", "ab " * 10 + "ab", "0x" + "ab" * 15])
def test_hexadecimal_has_one_form(handle: str) -> None:
    with pytest.raises(MalformedOpening, match="lower-case"):
        Attempt.from_head({**ATTEMPT.head, "handle": handle})
