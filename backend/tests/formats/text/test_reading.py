"""A text is one unit, and marks on its characters come to bytes that keep characters whole."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import modest, texts
from sieve.core.document import Document
from sieve.core.errors import NotUtf8
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import redact
from sieve.formats.text.reading import read_text


@st.composite
def pieces(draw: st.DrawFn) -> list[str]:
    """Plain and classified text by turns; the first and the last are plain."""
    secrets = st.text("SÖ😀", max_size=3)
    return [text for _ in range(draw(st.integers(0, 4))) for text in (draw(texts), draw(secrets))] + [draw(texts)]


def marked(pieces: list[str]) -> tuple[bytes, list[Mark]]:
    marks, at = [], 0
    for number, piece in enumerate(pieces):
        if number % 2:
            marks.append(Mark("text", at, at + len(piece)))
        at += len(piece)
    return "".join(pieces).encode(), marks


@modest
@given(pieces(), st.randoms())
def test_what_is_separated_comes_back_and_what_is_marked_goes(given: list[str], random: Random) -> None:
    data, marks = marked(given)
    random.shuffle(marks)
    spans = read_text(data).spans(marks)
    streams = separate(Document(data, spans))
    assert streams.plain.decode() == "".join(given[::2])
    assert streams.secure.decode() == "".join(given[1::2])
    assert integrate(spans, len(data), *streams) == data


@modest
@given(pieces(), st.text(min_size=1, max_size=5))
def test_the_redacted_edition_reveals_only_places(given: list[str], other: str) -> None:
    data, marks = marked(given)
    changed, changed_marks = marked([other if number % 2 else text for number, text in enumerate(given)])
    redacted = redact(read_text(data), marks)
    if all(given[1::2]):
        assert redact(read_text(changed), changed_marks) == redacted
    assert redacted.decode().replace(MARKER, "") == "".join(given[::2])


def test_marks_that_overlap_or_touch_are_one() -> None:
    reading = read_text("äbcdef".encode())
    marks = [Mark("text", 3, 5), Mark("text", 0, 2), Mark("text", 1, 3)]
    assert list(reading.spans(marks)) == [(0, 6)]
    assert redact(reading, marks).decode() == f"{MARKER}f"
    assert list(reading.spans([Mark("text")])) == [(0, 7)]


@pytest.mark.parametrize(
    "mark", [Mark("page/1"), Mark("text", 0, 4), Mark("text", 2, 1), Mark("text", -1, 1), Mark("text", None, 1)]
)
def test_what_is_not_there_is_refused_by_its_address(mark: Mark) -> None:
    with pytest.raises(UnknownPlace) as caught:
        read_text("äöü".encode()).spans([mark])
    assert caught.value.address == mark.address


def test_another_encoding_is_refused() -> None:
    with pytest.raises(NotUtf8):
        read_text(b"\xff\xfea\0")


def test_a_hundred_thousand_marks_on_a_long_text_take_linear_time() -> None:
    text = "ä" * 1_000_000
    assert len(read_text(text.encode()).spans([Mark("text", at, at + 1) for at in range(0, 1_000_000, 10)])) == 100_000
