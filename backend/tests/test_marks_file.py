import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.document import Spans
from sieve.core.units import Mark
from sieve.marks_file import MarksFileError, dump, load

FILE = b"Anna met Bert."


@st.composite
def marks(draw: st.DrawFn) -> Mark:
    start, end = draw(
        st.one_of(st.just((None, None)), st.lists(st.integers(0, 9**9), min_size=2, max_size=2).map(sorted))
    )
    texts = draw(st.lists(st.text(), min_size=3, max_size=3))
    return Mark(draw(st.text(min_size=1)), start, end, *texts)


@given(marks=st.lists(marks()), data=st.binary())
def test_what_was_dumped_is_loaded(marks: list[Mark], data: bytes) -> None:
    assert load(dump("text", data, marks, Spans.EMPTY), data) == marks


def test_the_file_holds_what_the_format_says() -> None:
    file = json.loads(dump("text", FILE, [Mark("text", 0, 4, "SECRET", "names/1#1", "a name")], Spans([0, 4])))
    assert file["version"] == 1
    assert file["format"] == "text"
    assert file["size"] == 14
    assert len(file["blake3"]) == 64
    assert file["marks"] == [
        {"address": "text", "start": 0, "end": 4, "label": "SECRET", "rule": "names/1#1", "reason": "a name"}
    ]
    assert file["ranges"] == [[0, 4]]


def test_by_hand_a_mark_is_an_address_and_no_more() -> None:
    assert load(edited(marks=[{"address": "column/salary"}]), FILE) == [Mark("column/salary")]


@pytest.mark.parametrize("other", [b"Anna met Carl.", b"Anna met Bert", b""])
def test_another_file_is_refused(other: bytes) -> None:
    with pytest.raises(MarksFileError, match="another file"):
        load(dump("text", FILE, [], Spans.EMPTY), other)


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"[", b"[" * 100_000, b"[]", b"7", b"{}", b"null", b"1" * 5000])
def test_what_is_no_marks_file_is_refused(raw: bytes) -> None:
    with pytest.raises(MarksFileError, match="no marks file"):
        load(raw, FILE)


def test_another_version_is_refused() -> None:
    with pytest.raises(MarksFileError, match="version 1"):
        load(edited(version=2), FILE)


@pytest.mark.parametrize(
    ("mark", "complaint"),
    [
        (None, "no object"),
        ({"start": 0, "end": 1}, "no address"),
        ({"address": ""}, "no address"),
        ({"address": 7}, "no address"),
        ({"address": "text", "start": 0}, "both start and end"),
        ({"address": "text", "start": 0, "end": True}, "both start and end"),
        ({"address": "text", "start": -1, "end": 1}, "both start and end"),
        ({"address": "text", "start": 0.0, "end": 1}, "both start and end"),
        ({"address": "text", "start": 2, "end": 1}, "ends before it begins"),
        ({"address": "text", "lable": "SECRET"}, "none of address, end, label"),
        ({"address": "text", "label": None}, "a label that is no text"),
    ],
)
def test_a_mark_that_is_not_well_formed_is_named_by_its_number(mark: object, complaint: str) -> None:
    with pytest.raises(MarksFileError, match="mark 2 ") as caught:
        load(edited(marks=[{"address": "text"}, mark]), FILE)
    assert complaint in str(caught.value)


def test_marks_that_are_no_list_are_refused() -> None:
    with pytest.raises(MarksFileError, match="no list"):
        load(edited(marks={}), FILE)


def test_no_error_holds_what_the_file_says() -> None:
    with pytest.raises(MarksFileError) as caught:
        load(b'{"marks": [{"reason": "Anna"', FILE)
    assert "Anna" not in str(caught.value)
    assert caught.value.__cause__ is None


def edited(**fields: object) -> bytes:
    return json.dumps(json.loads(dump("text", FILE, [], Spans.EMPTY)) | fields).encode()
