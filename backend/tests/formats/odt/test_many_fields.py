"""The redacted edition of a text takes work in proportion to its fields and links, also of many in one paragraph."""

from typing import Any

import pytest
from lxml import etree

from odf_files import odt_of
from sieve.core.units import Mark
from sieve.formats.odt.reading import OdtReading
from sieve.formats.reading import redact

MANY = 400
WRITTEN: list[int] = []


TAIL: Any = vars(etree._Element)["tail"]
"""lxml's own property."""


class _Watched(etree.ElementBase):
    """An element that notes how much text is written behind it."""

    @property
    def tail(self) -> Any:
        return TAIL.__get__(self)

    @tail.setter
    def tail(self, text: str | None) -> None:
        WRITTEN.append(len(text or ""))
        TAIL.__set__(self, text)


def parsed(text: bytes) -> etree._Element:
    parser = etree.XMLParser()
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=_Watched))
    return etree.fromstring(text, parser)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ("<text:a xlink:href='x'>word</text:a>, ", "word, "),
        ("<text:date>1 May</text:date>; ", "1 May; "),
        ("<office:annotation><text:p>a note</text:p></office:annotation>word ", "word "),
    ],
)
def test_text_behind_a_removed_element_is_not_moved_again_for_each(
    monkeypatch: pytest.MonkeyPatch, one: str, said: str
) -> None:
    reading = OdtReading(odt_of(f"<text:p>secret</text:p><text:p>{one * MANY}</text:p>"))
    WRITTEN.clear()
    with monkeypatch.context() as patched:
        patched.setattr("sieve.formats.office.xml_source.parse", parsed)
        edition = redact(reading, [Mark("content.xml/p1")])
    assert sum(WRITTEN) < MANY * 40
    texts = [unit.text for unit in OdtReading(edition).units() if unit.address.startswith("content.xml/p")]
    assert "".join(texts).replace("\n", "") == "█████" + (said * MANY)
