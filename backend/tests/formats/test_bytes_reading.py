"""Ranges of bytes, for files that are not understood."""

import pytest

from sieve.core.units import Mark
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import UnknownPlace, Unsupported
from sieve.formats.reading import redact

FILE = BytesReading(300)


def test_ranges_come_to_spans_and_the_unit_is_all_of_it() -> None:
    assert list(FILE.spans([Mark("bytes/100-200"), Mark("bytes/0-5"), Mark("bytes/150-300")])) == [(0, 5), (100, 300)]
    (unit,) = FILE.units()
    assert list(FILE.spans([Mark(unit.address)])) == [(0, 300)]
    assert unit.text == ""


@pytest.mark.parametrize(
    "mark",
    [Mark("bytes/0-301"), Mark("bytes/5-4"), Mark("text"), Mark("bytes/0-1", 0, 0), Mark("bytes/0-" + "9" * 5000)],
)
def test_what_is_not_there_is_refused_by_its_address(mark: Mark) -> None:
    with pytest.raises(UnknownPlace) as caught:
        FILE.spans([mark])
    assert caught.value.address == mark.address


def test_there_is_no_redacted_edition() -> None:
    with pytest.raises(Unsupported, match="no redacted edition"):
        redact(FILE, [])
