import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.marking.granularity import Granularity, widened
from sieve.marking.ranges import Ranges

ODD = st.text(st.sampled_from("aB1.!? ,'’-\"\n\r\f\t\u2029\u0301é😀\ud800ก漢"), max_size=60)


@st.composite
def texts_with_hits(draw: st.DrawFn) -> tuple[str, Ranges]:
    text = draw(ODD)
    bounds = sorted(draw(st.sets(st.integers(0, len(text)))))
    return text, Ranges(zip(bounds[::2], bounds[1::2], strict=False))


def taken(text: str, hit: str, granularity: str) -> list[str]:
    places = []
    start = text.find(hit)
    while start >= 0:
        places.append((start, start + len(hit)))
        start = text.find(hit, start + len(hit))
    return [text[start:end] for start, end in widened(text, Ranges(places), Granularity(granularity))]


@given(case=texts_with_hits(), granularity=st.sampled_from(Granularity))
def test_a_hit_never_loses_a_character(case: tuple[str, Ranges], granularity: Granularity) -> None:
    text, hits = case
    wide = list(widened(text, hits, granularity))
    covered = {place for start, end in wide for place in range(start, end)}
    assert covered >= {place for start, end in hits for place in range(start, end)}
    place = 0
    for start, end in wide:
        assert place <= start < end <= len(text)
        place = end


@given(case=texts_with_hits())
def test_each_granularity_takes_no_less_than_the_finer_one(case: tuple[str, Ranges]) -> None:
    text, hits = case
    before: set[int] = set()
    for granularity in ("match", "sentence", "paragraph", "page", "document"):
        covered = {i for start, end in widened(text, hits, Granularity(granularity)) for i in range(start, end)}
        assert covered >= before
        before = covered


@given(case=texts_with_hits(), granularity=st.sampled_from(Granularity))
def test_what_was_widened_stays_as_it_is(case: tuple[str, Ranges], granularity: Granularity) -> None:
    text, hits = case
    once = Ranges(widened(text, hits, granularity))
    twice = Ranges(widened(text, once, granularity))
    assert {i for s, e in twice for i in range(s, e)} == {i for s, e in once for i in range(s, e)}


@pytest.mark.parametrize(
    ("text", "hit", "word"),
    [
        ("the “Orionids”, again", "rion", "Orionids"),
        ("O'Brien-Smith, came", "Brien", "O'Brien-Smith"),
        ("'Orion' - here", "Orion", "Orion"),
        ("Jose\u0301!", "os", "Jose\u0301"),
        ("a Orion, b", "Orion,", "Orion,"),
        ("é😀Étoile😀", "toi", "Étoile"),
        ("snake_case", "case", "snake_case"),
    ],
)
def test_a_word_is_taken_without_what_is_beside_it(text: str, hit: str, word: str) -> None:
    assert taken(text, hit, "word") == [word]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Orion rises. Three.", "Orion rises."),
        (
            "One. We met Dr. Smith of\nOrion at the U.S. Embassy. Three.",
            "We met Dr. Smith of\nOrion at the U.S. Embassy.",
        ),
        ("One! J. R. Orion, Ph.D. Smith (see Fig. 3). Three.", "J. R. Orion, Ph.D. Smith (see Fig. 3)."),
        ("😀 One. 😀 Orion rises. 😀 Three.", "😀 One. 😀 Orion rises. 😀 Three."),
        ("Title\n\nOrion rises\nand sets. Two.", "Orion rises\nand sets."),
        ("One. Orion", "Orion"),
        ("Eins. Orion steigt? Drei.", "Orion steigt?"),
    ],
)
def test_a_sentence_is_taken_rather_too_large(text: str, sentence: str) -> None:
    assert taken(text, "Orion", "sentence") == [sentence]


def test_a_hit_over_two_sentences_takes_both() -> None:
    assert taken("One. Two is. Orion rises. Four.", "is. Orion", "sentence") == ["Two is. Orion rises."]


def test_sentences_after_characters_outside_the_basic_plane_are_counted_right() -> None:
    assert taken("😀😀 one. Then two. Orion rises. End.", "Orion", "sentence") == ["Orion rises."]


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\n \t\n", "\r\r", "\u2029", "\f", "\n\n\n"])
def test_a_paragraph_ends_at_an_empty_line(gap: str) -> None:
    assert taken(f"One{gap}Two Orion\nand more{gap}Three", "Orion", "paragraph") == ["Two Orion\nand more"]


def test_a_page_ends_at_a_form_feed() -> None:
    assert taken("One\n\n\fTwo Orion\n\nmore\fThree", "Orion", "page") == ["Two Orion\n\nmore"]
    assert taken("One\n\nOrion", "Orion", "page") == ["One\n\nOrion"]


def test_many_hits_in_one_long_word_and_one_long_line_take_one_walk() -> None:
    text = "ab" * 200_000
    for granularity in Granularity:
        if granularity is not Granularity.MATCH:
            assert taken(text, "a", granularity) == [text]
