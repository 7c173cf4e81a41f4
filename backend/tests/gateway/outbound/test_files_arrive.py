"""A file of any format, marked, is the very same file at the other gateway."""

import pytest

from any_files import GOOD, SECRET
from gateway.two_gateways import Pair
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.registry import read


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl"])
async def test_a_marked_file_comes_back_byte_for_byte(pair: Pair, name: str) -> None:
    _, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    document = Document(data, reading.spans(marks))
    assert document.classified_size
    await pair.delivers(document)
