"""The made files of each format are read as that format, and something in the middle of each is marked."""

from random import Random

import pytest
from benchmarks.file_samples import Sample, prose
from benchmarks.file_shares import measured
from benchmarks.text_samples import producers

from sieve.formats.reading import read

MADE = producers(lambda random, side: b"\xff\xd8\xff" + random.randbytes(side))


@pytest.mark.parametrize(("form", "producer"), MADE)
def test_a_made_file_is_read_and_its_middle_marked(form: str, producer: str) -> None:
    random = Random(producer)
    texts = [prose(random) for _ in range(3)]
    data = MADE[form, producer](texts, random)
    assert read(f"sample{form}", data).name == form.removeprefix(".")
    (share,) = measured([Sample(form, producer, 3, data)])
    assert 0 <= share.plain < 1


def test_a_slide_an_attachment_and_a_file_are_marked_as_a_whole() -> None:
    random = Random(1)
    texts = [prose(random) for _ in range(10)]
    for form, producer in ((".pptx", "slides"), (".eml", "attached texts"), (".zip", "texts")):
        (share,) = measured([Sample(form, producer, 10, MADE[form, producer](texts, random))])
        assert 0.6 < share.plain < 0.9
