"""What holds of a file of any format and any marks: it comes back identical, and its edition withholds the marked."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from office_files import flat
from sieve.core.document import Document
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.reading import Reading


def plain_stream(reading: Reading, data: bytes, marks: Sequence[Mark]) -> bytes:
    """The plain stream of the file with these bytes, which comes back identical."""
    spans = reading.spans(marks)
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), *streams) == data
    return streams.plain


def any_marks(data: st.DataObject, reading: Reading, most: int = 5) -> tuple[list[Mark], list[str]]:
    """Marks on parts of texts of the file, and what each marks."""
    units = [unit for unit in reading.units() if unit.text]
    marks, texts = [], []
    for unit in data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=most)):
        start = data.draw(st.integers(0, len(unit.text)))
        end = data.draw(st.integers(start, len(unit.text)))
        marks.append(Mark(unit.address, start, end))
        texts.append(unit.text[start:end])
    return marks, texts


def check_withheld(edition: Reading, texts: Iterable[str]) -> None:
    """No text of the edition is one of those that are marked; a few letters may be one by chance."""
    shown = {flat(unit.text) for unit in edition.units()}
    assert not shown & {flat(text) for text in texts if len(text.strip()) > 3}
