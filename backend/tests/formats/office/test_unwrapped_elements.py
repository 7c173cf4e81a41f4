"""An element is replaced by others in its place, with work that does not depend on its neighbours."""

from collections.abc import Iterator

import pytest
from lxml import etree

from office_files import docx_of
from sieve.core.units import Mark
from sieve.formats.docx.highlighting import highlight_docx
from sieve.formats.docx.reading import DocxReading
from sieve.formats.office.xml_scrubber import unwrap

SEARCHES: list[str] = []


class _Watched(etree.ElementBase):
    """An element that notes what lxml does by going through its children."""

    def index(self, *where: object) -> int:
        SEARCHES.append("index")
        return super().index(*where)  # type: ignore[arg-type]  # the arguments of lxml's own method

    def insert(self, *what: object) -> None:
        SEARCHES.append("insert")
        super().insert(*what)  # type: ignore[arg-type]  # the arguments of lxml's own method

    def __setitem__(self, *what: object) -> None:
        SEARCHES.append("item")
        super().__setitem__(*what)  # type: ignore[call-overload]  # the arguments of lxml's own method


@pytest.fixture(autouse=True)
def _no_searches() -> Iterator[None]:
    SEARCHES.clear()
    yield


def parsed(text: str | bytes) -> etree._Element:
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=_Watched))
    return etree.fromstring(text, parser)


def test_children_take_the_place_of_their_wrapper() -> None:
    root = parsed("<a><b/><w><c>1</c>x<w><d/></w></w>y<e/></a>")
    for element in list(root.iter("w")):
        unwrap(element)
    # Text behind a wrapper goes with it, as between paragraphs and runs there is only white space.
    assert etree.tostring(root) == b"<a><b/><c>1</c>x<d/><e/></a>"


def test_thousands_of_wrappers_side_by_side_are_not_counted_for_each() -> None:
    """A document with 20,000 content controls took 20 s to redact."""
    root = parsed("<a>" + "<w><c/></w>" * 300 + "</a>")
    for element in list(root.iter("w")):
        unwrap(element)
    assert len(root) == 300
    assert not SEARCHES


def test_thousands_of_runs_side_by_side_are_not_counted_to_highlight_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paragraph of 32,000 runs took 15 s."""
    reading = DocxReading(docx_of("<w:p>" + "<w:r><w:t>word</w:t></w:r>" * 300 + "</w:p>"))
    monkeypatch.setattr("sieve.formats.office.xml_source.parse", parsed)
    highlighted = highlight_docx(reading, [Mark("word/document.xml/p1")])
    assert not SEARCHES
    monkeypatch.undo()
    (text,) = [unit.text for unit in DocxReading(highlighted).units() if unit.address == "word/document.xml/p1"]
    assert text == "word" * 300
