"""Open Packaging, the container of Word and Excel: its parts, their types and relationships, and what travels how.

Invariant, as soon as anything is marked: only the compressed data of parts that are known to be harmless travels plain.
Everything else travels classified: every header, descriptor, directory and end record, bytes between the entries, parts
that contain a mark or its text, and every part that is not understood. So the plain stream shows no checksum, offset,
size, count or name of anything else. Without a mark, nothing is classified.

An address begins with the name of a part, or the format translates it to one.
"""

import posixpath
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Final
from urllib.parse import unquote

from lxml import etree

from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.errors import Damaged, FormatError, UnknownPlace
from sieve.formats.office import xml_source
from sieve.formats.office.text_attributes import (
    is_of_office,
    is_of_old_drawings,
    is_stock_text,
    named_texts,
    text_in_attributes,
)
from sieve.formats.office.xml_source import local
from sieve.formats.phrases import Phrases, bare, derived_names
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary
from sieve.formats.text_ranges import characters, everywhere, united
from sieve.formats.zip.container import ZipContainer

CONTENT_TYPES: Final = "[Content_Types].xml"
_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/jpg"})
_STRUCTURES: Final = (
    "officedocument.theme+xml",
    "wordprocessingml.styles+xml",
    "wordprocessingml.fontTable+xml",
    "wordprocessingml.webSettings+xml",
    "wordprocessingml.numbering+xml",
    "ms-word.stylesWithEffects+xml",
    "spreadsheetml.styles+xml",
)
"""Parts in which authors write nothing but names."""
_KEPT: Final = ("wordprocessingml.styles+xml", "wordprocessingml.numbering+xml", "spreadsheetml.styles+xml")
"""Those of them that a redacted edition keeps with their names."""
_STYLES: Final = ("wordprocessingml.styles+xml", "spreadsheetml.styles+xml")
"""Those of which all names of a kind are one unit: programs add a hundred names that nobody chose."""
_BETWEEN_NAMES: Final = "\n\n"
"""As between paragraphs, so that a rule with granularity "paragraph" takes one name."""
_PLACES_AND_LENGTHS: Final = frozenset({"r", "w", "h", "x", "y", "cx", "cy"})
"""Attributes in which even a long number belongs to the markup: row 12345, a page 12240 wide."""
_DIGITS_OF_A_LONG_NUMBER: Final = 5


@dataclass(frozen=True, slots=True, repr=False)
class Relationship:
    """From one part to another, or to a target outside the file, with an empty `part`."""

    id: str
    kind: str
    part: str
    target: str


@dataclass(slots=True, repr=False)
class ResolvedMarks:
    """What marks cover: characters of units, whole addresses, the parts that contain them, and the texts."""

    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def covers(self, address: str) -> bool:
        """Whether all of `address` is marked, by itself or as part of something larger."""
        if not self.whole:
            return False
        while address:
            if address in self.whole:
                return True
            address = address.rpartition("/")[0]
        return False


@dataclass(slots=True, repr=False)
class MarkedPhrases:
    """The marked texts as search phrases: `all` for places where people write; `wordy` (with a letter) and `numbers`
    (five digits or more) for places where only programs write; `names`, which programs derive from them, for style ids.
    """

    all: Phrases
    wordy: Phrases
    numbers: Phrases
    names: Phrases

    @classmethod
    def of(cls, texts: set[str]) -> "MarkedPhrases":
        """Phrases that find any of `texts`."""
        long = (text for text in texts if sum(map(str.isdigit, text)) >= _DIGITS_OF_A_LONG_NUMBER)
        return cls(Phrases(texts), Phrases(texts, wordy=True), Phrases(long), Phrases(derived_names(texts), wordy=True))

    def in_source(self, data: bytes) -> bool:
        """Whether well-formed XML contains one of them, in any spelling.

        Short numbers are not searched for in the measures and switches of the markup, where any of them may occur.
        """
        if not self.all:
            return False
        source = xml_source.text_of(data)
        values = xml_source.attribute_data(source)
        return (
            self.wordy.in_text(values)
            or self.names.in_text(bare(values))
            or (self.numbers.in_text(values) and self._numbers_in_attributes(source))
            or self.all.in_text(xml_source.character_data(source))
            or self.all.in_text(xml_source.spaced_data(source))
            or any(self.all.in_text(named) for named in named_texts(source))
        )

    def _numbers_in_attributes(self, source: str) -> bool:
        return any(
            name not in _PLACES_AND_LENGTHS and self.numbers.in_text(value)
            for name, value in xml_source.attribute_values(source)
        )


class OfficeReading(ABC):
    """What Word and Excel files have in common. Of a reading, units and places are made once."""

    name: ClassVar[str]

    def __init__(self, data: bytes) -> None:
        self.container = ZipContainer(data)
        self.parts = [name for name in self.container.entries if not name.endswith("/")]
        self._types: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._read_types()
        self._units: list[Unit] | None = None
        self._texts: dict[str, list[str]] = {}

    def main_part(self, kind: str | tuple[str, ...], what: str) -> str:
        """The part that the document begins with, whose type ends in `kind`, or one of several.

        Raises:
            Damaged: there is none, or several; so this is no `what`, in a person's words.
        """
        main = [r.part for r in self.relationships("") if r.kind == "officeDocument"]
        if len(main) != 1 or main[0] not in self.container.entries or not self.type_of(main[0]).endswith(kind):
            raise Damaged(f"this is no {what}: its main part is missing; save it again as .{self.name}")
        return main[0]

    # What each format says of itself.

    @abstractmethod
    def read_units(self) -> Iterator[Unit]:
        """The units, in reading order."""

    def part_of(self, address: str) -> str:
        """The part that contains `address`."""
        while address and address not in self.container.entries:
            address = address.rpartition("/")[0]
        return address

    @abstractmethod
    def is_harmless(self, part: str) -> bool:
        """Whether a part of a type that only this format has may travel plain, if it contains no marked text."""

    @abstractmethod
    def shown_pictures(self) -> set[str]:
        """The parts that are shown as pictures and used for nothing else."""

    def known(self, part: str) -> Callable[[str], bool]:
        """Returns whether a namespace is known: its attributes that contain text are listed for this part."""
        return is_of_old_drawings if self.type_of(part).endswith("vmlDrawing") else is_of_office

    # Common to both formats.

    def units(self) -> Sequence[Unit]:
        """In reading order, hidden ones too."""
        if self._units is None:
            self._units = list(self.read_units())
        return self._units

    def texts_of(self, part: str) -> list[str]:
        """The texts of all units in the part."""
        if not self._texts:
            for unit in self.units():
                self._texts.setdefault(self.part_of(unit.address), []).append(unit.text)
        return self._texts.get(part, [])

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """Everything except the data of harmless parts.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return Spans.EMPTY
        is_plain = self._plain_parts(self.marked(marks))
        plain = [entry for name, entry in self.container.entries.items() if is_plain(name)]
        bounds = [0]
        for entry in sorted(plain, key=lambda entry: entry.start):
            if entry.start < entry.end:
                bounds += [entry.start, entry.end]
        bounds.append(self.container.size)
        return Spans(bounds)

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for addresses in parts that travel plain, or that the redacted edition keeps unmarked.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        marked = self.marked(marks)
        is_plain = self._plain_parts(marked)

        def may(address: str) -> bool:
            part = self.part_of(address)
            return is_plain(part) or (self.type_of(part).endswith(_KEPT) and part not in marked.parts)

        return may

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for addresses in parts that travel plain. A part with a mark does not.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        is_plain = self._plain_parts(self.marked(marks))
        return lambda address: is_plain(self.part_of(address))

    def _plain_parts(self, marked: ResolvedMarks) -> Callable[[str], bool]:
        """Returns whether a part travels plain; checks each part on demand."""
        phrases = MarkedPhrases.of(marked.texts)
        pictures = self.shown_pictures()

        @cache
        def is_plain(part: str) -> bool:
            held = part in self.container.entries and part not in marked.parts
            return held and self._travels_plain(part, phrases, pictures)

        return is_plain

    def marked(self, marks: Sequence[Mark]) -> ResolvedMarks:
        """What the marks cover.

        Raises:
            UnknownPlace: an address is not in the file, or characters are outside their unit.
        """
        units = {unit.address: unit for unit in self.units()}
        marked = ResolvedMarks()
        for mark in marks:
            unit = units.get(mark.address)
            if mark.start is None and mark.end is None:
                if unit is None and mark.address not in self.container.entries:
                    raise UnknownPlace(mark.address, "the file has no such address")
                marked.whole.add(mark.address)
            elif unit is None:
                raise UnknownPlace(mark.address, "the file has no such text")
            else:
                marked.ranges.setdefault(mark.address, []).append(characters(mark, len(unit.text)))
            marked.parts.add(self.part_of(mark.address))
        for address, ranges in marked.ranges.items():
            marked.texts.update(self._texts_in(units[address], ranges))
            marked.ranges[address] = united(ranges)
            marked.texts.update(self._texts_in(units[address], marked.ranges[address]))
        if marked.whole:
            for unit in units.values():
                if marked.covers(unit.address):
                    marked.ranges[unit.address] = [(0, len(unit.text))]
                    marked.texts.update(self._texts_in(unit, marked.ranges[unit.address]))
                    marked.parts.add(self.part_of(unit.address))
        return marked

    def _texts_in(self, unit: Unit, ranges: Sequence[tuple[int, int]]) -> Iterator[str]:
        """The text in these ranges of the unit; each name of a list separately, since it occurs so elsewhere."""
        is_list = _BETWEEN_NAMES in unit.text and self._has_lists(self.part_of(unit.address))
        for start, end in ranges:
            text = unit.text[start:end]
            yield from text.split(_BETWEEN_NAMES) if is_list else (text,)

    def _travels_plain(self, name: str, phrases: MarkedPhrases, pictures: set[str]) -> bool:
        kind = self.type_of(name)
        if kind in _PICTURES:
            return name in pictures and is_fully_known(self.container.read(name), phrases.all.in_text)
        if kind.endswith(_STRUCTURES):
            return self._is_well_formed(name) and not phrases.in_source(self.container.read(name))
        return (
            self.is_harmless(name)
            and not phrases.in_source(self.container.read(name))
            and not any(map(phrases.all.in_text, self.texts_of(name)))
        )

    # Parts.

    def hides(self, part: str, outside: str) -> str:
        """How the text of a part without units of its own is hidden; `outside` if it is XML like any other."""
        if part.endswith(".rels"):
            return "a link"
        if "media/" in part:
            return ""
        return outside if self.is_xml(part) else "an embedded part"

    def type_of(self, part: str) -> str:
        """The content type of the part; empty if the file does not say."""
        return self._types.get(part.casefold()) or self._defaults.get(part.rpartition(".")[2].casefold(), "")

    def parts_of_type(self, *endings: str) -> list[str]:
        """The parts whose content type ends like that, in the order of their names, 2 before 10."""
        return sorted((part for part in self.parts if self.type_of(part).endswith(endings)), key=_natural)

    def relationships(self, part: str) -> list[Relationship]:
        """The relationships of a part, or of the file for an empty name."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        if source not in self.container.entries:
            return []
        found: list[Relationship] = []
        for element in self.tree(source).iterchildren(etree.Element):
            target, kind = element.get("Target", ""), element.get("Type", "")
            inside = element.get("TargetMode") != "External"
            part_name = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/") if inside else ""
            found.append(Relationship(element.get("Id", ""), kind.rpartition("/")[2], part_name, target))
        return found

    def tree(self, part: str) -> etree._Element:
        """The part's XML. Raises Damaged or TooLarge."""
        return xml_source.parse(self.container.read(part))

    def _is_well_formed(self, part: str) -> bool:
        """Whether the part's XML can be read."""
        try:
            self.tree(part)
        except FormatError:
            return False
        return True

    def is_xml(self, part: str) -> bool:
        """Whether the part claims to be XML."""
        kind = self.type_of(part)
        return part == CONTENT_TYPES or kind.endswith(("+xml", "/xml", "vmlDrawing")) or part.endswith(".rels")

    def other_units(self, part: str, hidden: str) -> Iterator[Unit]:
        """The texts of a part without units of its own, element by element; a unit without text if it is not XML."""
        if not self.is_xml(part):
            kind = _opaque_kind(part, self.type_of(part))
            if kind == "picture" and not hidden:
                # Readers see its pixels, but not its metadata.
                hidden = metadata_summary(self.container.read(part))
            yield Unit(part, "", kind, hidden)
            return
        try:
            root = self.tree(part)
        except FormatError:
            # Excel's old drawings are often not well-formed. Such a part counts as unknown.
            yield Unit(part, "", "part", hidden)
            return
        yield from self.text_units(part, root, hidden)
        yield from self.attribute_units(part, root)

    def text_units(self, part: str, root: etree._Element, hidden: str) -> Iterator[Unit]:
        """The texts between the tags, without those that the program itself wrote."""
        number = 0
        for element in root.iter():
            for text, own in ((element.text, True), (element.tail, False)):
                if text and not text.isspace():
                    number += 1
                    if not (own and is_stock_text(element, text)):
                        yield Unit(f"{part}/t{number}", text, local(element.tag) or "remark", hidden)

    def attribute_units(self, part: str, root: etree._Element, known_texts: Iterable[str] = ()) -> Iterator[Unit]:
        """The texts in attributes, each once, without those in `known_texts`; of styles, all of a kind in one unit."""
        if part.endswith(".rels"):
            external = (r for r in root.iter(etree.Element) if r.get("TargetMode") == "External")
            found: Iterable[tuple[str, str]] = (("link target", r.get("Target", "")) for r in external)
        else:
            found = text_in_attributes(root, known=self.known(part))
        skipped = frozenset(known_texts)
        once = dict.fromkeys((kind, value) for kind, value in found if value and value not in skipped)
        listed = _listed(once) if self._has_lists(part) else ((kind, value, _article(kind)) for kind, value in once)
        for number, (kind, text, hidden) in enumerate(listed, 1):
            yield Unit(f"{part}/a{number}", text, kind, hidden)

    def _has_lists(self, part: str) -> bool:
        return self.type_of(part).endswith(_STYLES)

    def _read_types(self) -> None:
        if CONTENT_TYPES not in self.container.entries:
            raise Damaged("this is not a Word or Excel file: it does not list the types of its parts")
        for element in self.tree(CONTENT_TYPES).iterchildren(etree.Element):
            kind = element.get("ContentType", "")
            if local(element.tag) == "Override":
                self._types[element.get("PartName", "").lstrip("/").casefold()] = kind
            else:
                self._defaults[element.get("Extension", "").casefold()] = kind


def _listed(found: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Each kind with all its texts, a paragraph each, and how they are hidden."""
    kinds: dict[str, list[str]] = {}
    for kind, value in found:
        kinds.setdefault(kind, []).append(value.replace("\n", " "))
    for kind, values in kinds.items():
        hidden = _article(kind) if len(values) == 1 else f"a list of {len(values):,}, each of them {_article(kind)}"
        yield kind, _BETWEEN_NAMES.join(values), hidden


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(step), "") if step.isdigit() and step.isascii() else (0, step) for step in re.split(r"(\d+)", name)]


def _opaque_kind(part: str, content_type: str) -> str:
    if "thumbnail" in part.casefold():
        return "thumbnail"
    if content_type.startswith("image/"):
        return "picture"
    if "embeddings/" in part:
        return "embedded object"
    return "part"
