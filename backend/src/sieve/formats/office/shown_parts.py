"""Which elements a mark covers: those among marked words, such as pictures, and those with a marked attribute.

Invariant: in doubt an element counts as covered, because what it shows then travels classified.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from lxml import etree


class TextAt(NamedTuple):
    """How many characters of a unit an element contains, or what is after it. `below`: the unit below the paragraph."""

    below: str
    length: int
    element: etree._Element
    is_after: bool = False


def touched(
    paragraph: etree._Element, texts: Iterable[TextAt], ranges: Mapping[str, Sequence[tuple[int, int]]]
) -> Iterator[etree._Element]:
    """The elements of a paragraph that are within a range or touch it. `ranges`: of the paragraph's text and of the
    units below it, by the last step of their address.
    """
    lengths: dict[tuple[etree._Element, bool], list[TextAt]] = {}
    for text in texts:
        lengths.setdefault((text.element, text.is_after), []).append(text)
    before: Counter[str] = Counter()
    for event, element in etree.iterwalk(paragraph, events=("start", "end")):
        if event == "start" and any(
            start <= before[below] <= end for below, found in ranges.items() for start, end in found
        ):
            yield element
        for text in lengths.get((element, event == "end"), ()):
            before[text.below] += text.length


def with_attribute(root: etree._Element, texts: Set[str]) -> Iterator[etree._Element]:
    """The elements below `root` of which an attribute is one of these texts."""
    return (element for element in root.iter(etree.Element) if not texts.isdisjoint(map(str, element.attrib.values())))
