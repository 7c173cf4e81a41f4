"""The committed files are read as what they are, and their redacted editions tell nothing."""

from pathlib import Path

import pytest

from office_files import flat
from sieve.core.units import Mark
from sieve.formats import registry

SECRET = "XQZVK PLMRT"


@pytest.mark.parametrize("sample", sorted((Path(__file__).parent / "samples" / "office").iterdir()), ids=str)
def test_a_sample_is_read_and_redacted(sample: Path) -> None:
    reading = registry.read(sample.name, sample.read_bytes())
    assert f".{reading.name}" == sample.suffix
    shown = [unit for unit in reading.units() if unit.text.find(SECRET) >= 0 and not unit.hidden]
    first = shown[0]
    start = first.text.index(SECRET)
    edition = reading.redacted([Mark(first.address, start, start + len(SECRET))])
    assert not [unit for unit in registry.read(sample.name, edition).units() if flat(SECRET) in flat(unit.text)]
