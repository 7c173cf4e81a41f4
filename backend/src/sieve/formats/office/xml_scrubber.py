"""Removes marked text from XML that goes into a redacted edition.

Invariant: elements and attributes of unknown namespaces are dropped, and so is every attribute that contains a marked
text. Short numbers count only in places where people write, not in measures.
"""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from typing import Final, Self

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.marked_units import still_marked_at
from sieve.formats.marker import MARKER
from sieve.formats.office.reading import OfficeReading, ResolvedMarks
from sieve.formats.office.text_attributes import attribute_kind
from sieve.formats.office.xml_source import (
    attributes,
    is_vocabulary,
    local,
    space_of,
    spaced_data,
    text_of,
)
from sieve.formats.phrases import Phrases, bare, derived_names, folded

_XML: Final = "http://www.w3.org/XML/1998/namespace"
_ATTRIBUTE_UNIT: Final = re.compile(r"/a\d+\Z")
_VALUES_KEPT: Final = 4096
"""Attributes whose answer is kept: a large part repeats a few of them a million times."""


class XmlScrubber:
    """Finds the marked texts, and the values of attributes that are marked themselves."""

    def __init__(self, texts: Iterable[str], values: Iterable[str] = ()) -> None:
        texts = [text for text in texts if folded(text).strip(f" {MARKER[0]}")]
        self.distinctive = Phrases(texts, distinctive=True)
        self.wordy = Phrases(texts, wordy=True)
        self.names = Phrases(derived_names(texts), wordy=True)
        self._values = frozenset(values)
        self.in_attribute = lru_cache(_VALUES_KEPT)(self._in_attribute)

    @classmethod
    def of(cls, reading: OfficeReading, marked: ResolvedMarks) -> Self:
        """For an edition of this file."""
        units = (unit for unit in reading.units() if _ATTRIBUTE_UNIT.search(unit.address))
        return cls(marked.texts, {unit.text for unit in units if unit.address in marked.ranges})

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """The ranges of marked text in `text`."""
        return self.distinctive.ranges(text)

    def _in_attribute(self, element: str, name: str, value: str) -> bool:
        """Whether an attribute must be removed."""
        if value in self._values:
            return True
        if is_vocabulary(value):
            return False
        phrases = self.distinctive if attribute_kind(element, name) else self.wordy
        return phrases.in_text(value) or self.names.in_text(bare(value))

    def in_values(self, values: str) -> bool:
        """Whether the values of attributes contain a marked text, or a name that programs derive from it."""
        return self.wordy.in_text(values) or self.names.in_text(bare(values))

    def clean(
        self, root: etree._Element, spaces: Set[str], *, texts: Set[str] = frozenset(), removed: Set[str] = frozenset()
    ) -> None:
        """Keeps only elements and attributes of `spaces`, and text in elements named in `texts`. Elements named in
        `removed` are not kept.
        """
        for element in list(root.iter(etree.Element)):
            name = local(element.tag)
            if element is not root and (name in removed or space_of(str(element.tag)) not in spaces):
                remove(element)
                continue
            if name not in texts:
                element.text = None
            element.tail = None
            for key, value in attributes(element):
                space = space_of(key)
                if space not in spaces and space not in ("", _XML):
                    del element.attrib[key]
                elif self.in_attribute(name, local(key), value):
                    if local(key) == "val":
                        remove(element)
                        break
                    # Required names may be empty.
                    element.attrib[key] = ""
                    if local(key) not in ("name", "typeface", "formatCode", "id"):
                        del element.attrib[key]


def redacted(reading: OfficeReading, marks: Sequence[Mark], rebuild: Callable[[ResolvedMarks], bytes]) -> bytes:
    """What `rebuild` makes of a file, checked; the file itself without marks.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in the edition.
    """
    if not marks:
        return reading.container.whole
    marked = reading.marked(marks)
    edition = rebuild(marked)
    _check_edition(type(reading)(edition), marked.texts)
    return edition


def _check_edition(edition: OfficeReading, texts: Iterable[str]) -> None:
    """Reads a redacted edition from its bytes alone.

    Raises:
        RedactionFailed: a marked text is still in it; the error names the places.
    """
    texts = set(texts)
    scrubber = XmlScrubber(texts)
    if not scrubber.distinctive:
        return
    units = edition.units()
    places = [
        unit.address for unit in units if any(map(scrubber.distinctive.in_text, edition.texts_in(unit, unit.text)))
    ]
    for part in edition.parts if not places else ():
        if edition.is_xml(part) and not edition.is_directory(part):
            source = text_of(edition.container.read(part))
            values = [*edition.checked_attributes(part, source)]
            if (
                scrubber.distinctive.in_text(spaced_data(source))
                # First all at once, which is faster; but the end of one and the beginning of the next are no text.
                or (scrubber.in_values("\n".join(values)) and any(map(scrubber.in_values, values)))
                or any(scrubber.distinctive.in_text(text) for text in edition.named_texts(source))
            ):
                places.append(part)
    if places:
        raise still_marked_at(places, texts)


def remove(element: etree._Element) -> None:
    """Removes the element and its contents."""
    parent = element.getparent()
    if parent is not None:
        element.tail = None
        parent.remove(element)


def unwrap(element: etree._Element) -> None:
    """Replaces the element by its children.

    Without its index, for which lxml counts all elements before it.
    """
    if element.getparent() is not None:
        for child in list(element):
            element.addprevious(child)
        remove(element)


def rebuilt(root: etree._Element, prefixes: dict[str, str]) -> etree._Element:
    """A copy of the tree that declares only our prefixes and namespaces.

    Copies element by element, since lxml needs quadratic time to move a large tree to another document.
    """
    fresh = etree.Element(root.tag, nsmap=prefixes)
    for key, value in attributes(root):
        if not space_of(key):
            fresh.set(key, value)
    pending = [(root, fresh)]
    while pending:
        old, new = pending.pop()
        for child in old.iterchildren(etree.Element):
            copy = etree.SubElement(new, child.tag)
            for key, value in attributes(child):
                copy.set(key, value)
            copy.text, copy.tail = child.text, child.tail
            pending.append((child, copy))
    return fresh
