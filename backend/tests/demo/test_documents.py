"""The documents of the experiments have the sizes that their names say."""

import pytest

from sieve.core import markup
from sieve.demo import documents


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("x", [1, 3])
def test_x_mb_has_x_mb_of_content_and_five_classified_segments_in_each(x: int, p: float) -> None:
    document = markup.parse(documents.x_mb(x, p))
    assert document.size == x * documents.MB
    assert document.classified_size == pytest.approx(p * document.size)
    assert len(document.spans) == 5 * x
    assert {end - start for start, end in document.spans} == {round(documents.MB / 5 * p)}


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert documents.x_mb(1, 0.5) == documents.x_mb(1, 0.5)


def test_pieces_and_content_are_of_the_same_document() -> None:
    marked = documents.marked(1000, 0.1, 3)
    assert b"".join(documents.pieces(1000, 0.1, 3)) == marked
    assert documents.content(marked) == markup.parse(marked).content


def test_all_plain_has_no_tags() -> None:
    assert documents.marked(1000, 0.0) == documents.content(documents.marked(1000, 0.5))
