"""A file of any format, marked, is the very same file at the other gateway."""

from any_files import GOOD, SECRET
from gateway.two_gateways import Pair
from sieve.core.document import Document
from sieve.core.units import Mark
from sieve.formats.reading import read


async def test_a_marked_file_comes_back_byte_for_byte(pair: Pair) -> None:
    for name in ("memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl"):
        _, data = GOOD[name]
        reading = read(name, data)
        marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
        document = Document(data, reading.spans(marks))
        assert document.classified_size, name
        await pair.delivers(document)
