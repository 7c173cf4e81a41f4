"""What office documents have in common: a zip archive of parts, most of them XML, and what of it travels how.

Invariant, as soon as anything is marked: only the compressed data of parts known to reveal nothing travels plain.
Everything else travels classified: every header, descriptor, directory and end record, bytes between the entries, parts
that contain a mark or its text, and every part that is not understood. So the plain stream shows no checksum, offset,
size, count or name of anything else. Without a mark, nothing is classified.

An address begins with the name of a part, or the format translates it to one.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import ClassVar, Final

from lxml import etree

from sieve.core.document import Spans
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.errors import FormatError, UnknownPlace
from sieve.formats.office import why_classified as why
from sieve.formats.office import xml_source
from sieve.formats.office.marked_phrases import MarkedPhrases
from sieve.formats.office.xml_source import local
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary
from sieve.formats.text_ranges import characters, everywhere, united
from sieve.formats.why_classified import Classified, Tally
from sieve.formats.zip.container import ZipContainer
from sieve.formats.zip.extra_data import extra_data

_PICTURE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/jpg"})
_BETWEEN_NAMES: Final = "\n\n"
"""As between paragraphs, so that a rule with granularity "paragraph" takes one name."""
_ATTRIBUTE: Final = re.compile(r"/a[0-9]+\Z")
"""The end of the address of a text in an attribute."""


@dataclass(slots=True, repr=False)
class ResolvedMarks:
    """What marks cover: characters of units, whole addresses, the parts that contain them, and the texts. `shown`:
    those of the parts that a marked place shows, such as pictures; `counting`: parts without a mark that count what
    marked parts contain.
    """

    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    counting: set[str] = field(default_factory=set)

    def covers(self, address: str) -> bool:
        """Whether all of `address` is marked, by itself or as part of something larger."""
        if not self.whole:
            return False
        while address:
            if address in self.whole:
                return True
            address = address.rpartition("/")[0]
        return False


class OfficeReading(ABC):
    """An office document, read. Its units are made once."""

    name: ClassVar[str]

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: the archive is damaged, protected or too large."""
        self.container = ZipContainer(data)
        self.parts = [name for name in self.container.entries if not name.endswith("/")]
        self._units: list[Unit] | None = None
        self._texts: dict[str, list[str]] = {}

    # What each format says of itself.

    @abstractmethod
    def read_units(self) -> Iterator[Unit]:
        """The units, in reading order."""

    def part_of(self, address: str) -> str:
        """The part that contains `address`."""
        while address and address not in self.container.entries:
            address = address.rpartition("/")[0]
        return address

    def place_of(self, part: str) -> str:
        """The address of a part."""
        return part

    def is_place(self, address: str) -> bool:
        """Whether a part has this address."""
        return address in self.container.entries

    @abstractmethod
    def may_travel_plain(self, part: str) -> bool:
        """Whether a part of a type that only this format has may travel plain, if it contains no marked text."""

    @abstractmethod
    def shown_pictures(self) -> set[str]:
        """The parts that are shown as pictures and used for nothing else."""

    @abstractmethod
    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """The parts that a marked place shows: pictures, charts, embedded objects. In doubt more than those."""

    def is_object(self, part: str) -> bool:
        """Whether one of these parts is in fact a picture, a chart or an embedded object."""
        return True

    @abstractmethod
    def is_structure(self, part: str) -> bool:
        """Whether authors write nothing but names in the part."""

    @abstractmethod
    def is_kept_structure(self, part: str) -> bool:
        """Whether it is such a part, and a redacted edition keeps it with its names."""

    @abstractmethod
    def has_lists(self, part: str) -> bool:
        """Whether all names of a kind in the part are one unit: programs add a hundred names that nobody chose."""

    @abstractmethod
    def is_directory(self, part: str) -> bool:
        """Whether the part only lists other parts, so that in a redacted edition we wrote all of it."""

    @abstractmethod
    def type_of(self, part: str) -> str:
        """The content type of the part; empty if the file does not say."""

    @abstractmethod
    def is_xml(self, part: str) -> bool:
        """Whether the part claims to be XML."""

    @abstractmethod
    def named_attributes(self, part: str, root: etree._Element) -> Iterator[tuple[str, str]]:
        """Kind and text of each attribute of the part that contains text."""

    @abstractmethod
    def named_texts(self, source: str) -> Iterator[str]:
        """What people wrote into attributes and comments of well-formed XML."""

    @abstractmethod
    def is_stock_text(self, element: etree._Element, text: str) -> bool:
        """Whether the program itself wrote the text in this element."""

    def is_picture(self, part: str) -> bool:
        """Whether the part claims to be a PNG or JPEG picture."""
        return self.type_of(part) in _PICTURE_TYPES

    def checked_attributes(self, part: str, source: str) -> Iterator[str]:
        """The values of attributes that may contain a text, in a part of a redacted edition."""
        return xml_source.values_of_attributes(source)

    # Common to all formats.

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
        """Everything except the data of parts that may travel plain.

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
            return is_plain(part) or (self.is_kept_structure(part) and part not in marked.parts)

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

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = self.marked(marks)
        is_plain, phrases = self._plain_parts(marked), MarkedPhrases.of(marked.texts)
        tally, classified, pictures = Tally(), self.container.size, self.shown_pictures()
        for name, entry in self.container.entries.items():
            size = entry.end - entry.start
            if is_plain(name):
                classified -= size
            elif not name.endswith("/"):
                tally.add(self._why(name, marked, phrases, pictures), size, self.place_of(name))
        return tally.ranked(classified, why.AROUND)

    def _why(self, part: str, marked: ResolvedMarks, phrases: MarkedPhrases, pictures: set[str]) -> Sentence:
        """Why a part travels classified."""
        if part in marked.shown and self.is_object(part):
            return why.SHOWN
        if part in marked.parts - marked.shown:
            return why.MARKED
        if part in marked.counting:
            return why.COUNTING
        if said := self.why_never_plain(part):
            return said
        if self.is_picture(part):
            return why.PICTURES if part in pictures else why.OTHER  # such as a thumbnail, which shows what is marked
        if self.is_xml(part) and self._is_well_formed(part) and self._repeats(part, phrases):
            return why.REPEATS
        return why.OTHER

    def why_never_plain(self, part: str) -> Sentence | None:
        """Why a part without a mark is classified beside marks, if that is for what this format has in it."""
        return None

    def shows_all_but(self, phrases: MarkedPhrases) -> bool:
        """Whether every byte of the file is known, and none of the phrases is in it."""
        if extra_data(self.container) != ([], False) or phrases.all.in_text("\n".join(self.container.entries)):
            return False
        if any(phrases.all.in_text(unit.text) for unit in self.units()):
            return False
        return all(self._shows_all_but(part, phrases) for part in self.parts)

    def _shows_all_but(self, part: str, phrases: MarkedPhrases) -> bool:
        if self.is_xml(part):
            return self._is_well_formed(part) and not self._repeats(part, phrases)
        # The reader of the format knows the other lists of parts.
        return self.is_directory(part) or is_fully_known(self.container.read(part), phrases.all.in_text)

    def _plain_parts(self, marked: ResolvedMarks) -> Callable[[str], bool]:
        """Returns whether a part travels plain; checks each part on demand."""
        phrases = MarkedPhrases.of(marked.texts)
        pictures = self.shown_pictures()

        @cache
        def is_plain(part: str) -> bool:
            held = part in self.container.entries and part not in marked.parts | marked.counting
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
                if unit is None and not self.is_place(mark.address):
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
            # A part below a marked address may have no unit.
            marked.parts.update(part for part in self.parts if marked.covers(self.place_of(part)))
        if any(map(self.is_picture, self.parts)):
            # Of what marked places show, nothing else may travel plain.
            marked.shown = self.shown_by(marked) - marked.parts
            marked.shown |= self._equal_pictures(marked.parts | marked.shown)
            marked.parts |= marked.shown
        return marked

    def _equal_pictures(self, parts: Set[str]) -> set[str]:
        """The pictures beside these parts that have the same bytes as one of them."""
        entries = self.container.entries
        marked = {name for name in parts if name in entries and self.is_picture(name)}
        sizes = {entries[name].size for name in marked}
        others = [name for name in self.parts if name not in parts and self.is_picture(name)]
        others = [name for name in others if entries[name].size in sizes]
        known = {sha256(self.container.read(name)).digest() for name in marked} if others else set()
        return {name for name in others if sha256(self.container.read(name)).digest() in known}

    def marked_attributes(self, marked: ResolvedMarks) -> dict[str, set[str]]:
        """For each part, its attributes with a mark, such as descriptions of pictures."""
        found: dict[str, set[str]] = {}
        for unit in self.units():
            ranges = marked.ranges.get(unit.address)
            if ranges and _ATTRIBUTE.search(unit.address):
                at = 0
                for text in self.texts_in(unit, unit.text):
                    if any(start < at + len(text) and at < end for start, end in ranges):
                        found.setdefault(self.part_of(unit.address), set()).add(text)
                    at += len(text) + len(_BETWEEN_NAMES)
        return found

    def _texts_in(self, unit: Unit, ranges: Sequence[tuple[int, int]]) -> Iterator[str]:
        """The text in these ranges of the unit; each name of a list separately, since it occurs so elsewhere."""
        for start, end in ranges:
            yield from self.texts_in(unit, unit.text[start:end])

    def texts_in(self, unit: Unit, text: str) -> Sequence[str]:
        """The text of a unit, or a part of it; of a list, each name."""
        is_list = _BETWEEN_NAMES in text and self.has_lists(self.part_of(unit.address))
        return text.split(_BETWEEN_NAMES) if is_list else (text,)

    def _travels_plain(self, name: str, phrases: MarkedPhrases, pictures: set[str]) -> bool:
        if self.is_picture(name):
            return name in pictures and is_fully_known(self.container.read(name), phrases.all.in_text)
        if self.is_structure(name):
            return self._is_well_formed(name) and not self._repeats(name, phrases)
        return (
            self.may_travel_plain(name)
            and not self._repeats(name, phrases)
            and not any(map(phrases.all.in_text, self.texts_of(name)))
        )

    def _repeats(self, part: str, phrases: MarkedPhrases) -> bool:
        """Whether the XML of a part contains one of the phrases."""
        return phrases.in_source(self.container.read(part), self.named_texts)

    # Parts.

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
                    if not (own and self.is_stock_text(element, text)):
                        yield Unit(f"{part}/t{number}", text, local(element.tag) or "remark", hidden)

    def attribute_units(self, part: str, root: etree._Element, known_texts: Iterable[str] = ()) -> Iterator[Unit]:
        """The texts in attributes, each once, without those in `known_texts`; of styles, all of a kind in one unit."""
        found = self.named_attributes(part, root)
        skipped = frozenset(known_texts)
        once = dict.fromkeys((kind, value) for kind, value in found if value and value not in skipped)
        listed = _listed(once) if self.has_lists(part) else ((kind, value, _article(kind)) for kind, value in once)
        for number, (kind, text, hidden) in enumerate(listed, 1):
            yield Unit(f"{part}/a{number}", text, kind, hidden)


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


def _opaque_kind(part: str, content_type: str) -> str:
    if "thumbnail" in part.casefold():
        return "thumbnail"
    if content_type.startswith("image/"):
        return "picture"
    if "embeddings/" in part:
        return "embedded object"
    return "part"
