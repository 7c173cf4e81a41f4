"""Words of a page: every character that is drawn is in exactly one, and in its box."""

from hypothesis import given
from hypothesis import strategies as st

from documents import modest
from pdf_files import by_reportlab
from sieve.formats.pdf import PdfReading
from sieve.formats.pdf.rendering import NOWHERE, Box
from sieve.formats.pdf.words import Word, words

_boxes = st.builds(
    lambda left, top, width, height: Box(left, top, left + width, top + height),
    *[st.integers(0, 50), st.integers(0, 50), st.integers(0, 9), st.integers(0, 9)],
)


@modest
@given(st.lists(st.tuples(st.sampled_from("ab \n"), _boxes), max_size=12))
def test_what_is_drawn_is_in_one_word_and_in_its_box(characters: list[tuple[str, Box]]) -> None:
    text = "".join(character for character, _ in characters)
    boxes = [box for _, box in characters]
    found = list(words(text, boxes))
    inside = [at for word in found for at in range(word.start, word.end)]
    drawn = [at for at, (character, box) in enumerate(characters) if box.right > box.left and not character.isspace()]
    assert inside == drawn
    for word in found:
        for box in boxes[word.start : word.end]:
            assert word.box.left <= box.left < box.right <= word.box.right
            assert word.box.top <= box.top <= box.bottom <= word.box.bottom


def test_words_end_where_a_line_does() -> None:
    boxes = [Box(0, 0, 5, 10), Box(5, 1, 10, 9), NOWHERE, Box(80, 0, 85, 10), Box(0, 12, 5, 22)]
    assert list(words("ab cd", boxes)) == [
        Word(0, 2, Box(0, 0, 10, 10)),
        Word(3, 4, Box(80, 0, 85, 10)),
        Word(4, 5, Box(0, 12, 5, 22)),
    ]


def test_words_of_a_real_page() -> None:
    text, boxes = PdfReading(by_reportlab(["The green hills.\nNext line"])).page_boxes(1)
    assert [text[word.start : word.end] for word in words(text, boxes)] == ["The", "green", "hills.", "Next", "line"]
