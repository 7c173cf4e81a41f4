"""Canonical JSON: one text for one value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from sieve.channel import canonical

keys = st.text(st.characters(max_codepoint=0x7F), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@modest
@given(values)
def test_what_is_written_reads_back(value: Any) -> None:
    assert json.loads(canonical.dumps(value)) == value


@modest
@given(values)
def test_a_text_read_back_is_written_the_same(value: Any) -> None:
    once = canonical.dumps(value)
    assert canonical.dumps(json.loads(once)) == once


@modest
@given(st.dictionaries(keys, st.integers()), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: dict[str, int], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical.dumps(dict(items)) == canonical.dumps(value)


def test_no_blank_and_no_escape_that_is_not_needed() -> None:
    assert canonical.dumps({"b": [1, True, None], "a": 'é"'}) == '{"a":"é\\"","b":[1,true,null]}'.encode()


@pytest.mark.parametrize(
    "value", [1.0, float("nan"), {"x": 1.5}, {1: 2}, {"é": 1}, b"bytes", {1}, [[object()]], "half \ud800"]
)
def test_what_has_no_unique_text_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical.dumps(value)
