"""A zip archive of files: each of them is read in its own format.

Files have addresses by their number in the archive: file/3/name is the name, file/3/page/2 the second page of a PDF,
and file/3 all of it.

Invariant, as soon as anything is marked: only the compressed data of files travels plain, each as a whole, and only if
every byte of the file was read and nothing in it or in its name is marked or repeats a marked text. Headers, names,
comments, the directory and all bytes between them are classified.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar, Final

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import FormatError, UnknownPlace
from sieve.formats.mail.leaves import OPAQUE, hides_nothing
from sieve.formats.marked_units import MarkedUnits, marked_units, texts_at
from sieve.formats.office.marked_phrases import MarkedPhrases
from sieve.formats.office.reading import OfficeReading
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary
from sieve.formats.reading import Reading, read
from sieve.formats.recognition import container_of
from sieve.formats.registry import PICTURES
from sieve.formats.text.encoding import encoding_of
from sieve.formats.text_ranges import everywhere
from sieve.formats.why_classified import Classified, Tally
from sieve.formats.zip.container import Entry, ZipContainer, unpacked_size
from sieve.formats.zip.extra_data import extra_data

MAX_DEPTH: Final = 1
"""Archives in archives that are read."""
MAX_READ: Final = 64 << 20
"""Bytes of all files that are read, and again of the parts of office documents among them, unpacked."""
MAX_READERS: Final = 1_000
"""Files that are read; each takes time, however small it is."""
MAX_UNITS: Final = 200_000
"""Units of all files together, such as cells."""
_SIGNS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_PICTURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_MARKED: Final = Sentence("why-zip-marked", "Files with a mark")
_UNSURE: Final = Sentence(
    "why-zip-unsure", "Files that repeat a marked text, or that the gateway does not know to the last byte"
)
_AROUND: Final = Sentence("why-zip-around", "Names, sizes, times and remarks of the files")


class Member:
    """A file in the archive, or a folder. `inside`: its reading; None if it cannot be read."""

    def __init__(self, number: int, entry: Entry, inside: Reading | None, hidden: str) -> None:
        """`hidden`: how a file without a reading is hidden; empty for a picture without metadata."""
        self.address = f"file/{number}"
        self.entry, self.inside = entry, inside
        self.is_folder = entry.name.endswith("/")
        self.own_units = [*self._read_units(hidden)]

    def _read_units(self, hidden: str) -> Iterator[Unit]:
        yield Unit(f"{self.address}/name", self.entry.name, "file name")
        if self.inside is not None:
            for unit in self.inside.units():
                yield replace(unit, address=f"{self.address}/{unit.address}")
        elif not self.is_folder:
            yield Unit(self.address, "", "file" if hidden == OPAQUE else "picture", hidden)

    def is_inside(self, address: str) -> bool:
        """Whether an address is a place inside it, in the addresses of its own format."""
        return address.startswith(f"{self.address}/") and address != f"{self.address}/name"

    def by_its_own_address(self, mark: Mark) -> Mark:
        """A mark on a place inside it, as its own format addresses it."""
        return replace(mark, address=mark.address.removeprefix(f"{self.address}/"))

    def texts_at(self, marks: Sequence[Mark]) -> set[str]:
        """What marks on places inside it say, by their addresses there.

        Raises:
            UnknownPlace: a mark does not fit.
        """
        if not marks:
            return set()
        if self.inside is None:
            address = f"{self.address}/{marks[0].address}"
            raise UnknownPlace(address, "the gateway cannot read this file, so only all of it can be marked")
        self.inside.spans(marks)
        return texts_at(self.inside.units(), marks)


@dataclass(slots=True)
class _Left:
    """What may still be read of an archive and of the archives in it: bytes, bytes unpacked, files, units."""

    read: int
    unpacked: int
    readers: int
    units: int


@dataclass(slots=True, repr=False)
class Resolved:
    """What marks classify. `given`: of each file, by address, the marks on places inside it; `chosen`: the files that
    contain a mark; `whole`: those that are marked as a whole; `plain`: those that travel plain.
    """

    marked: MarkedUnits
    phrases: MarkedPhrases
    given: dict[str, list[Mark]] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)


class ZipReading:
    """An archive, read."""

    name: ClassVar[str] = "zip"

    def __init__(self, data: bytes, depth: int = 0, left: _Left | None = None) -> None:
        """`depth`: how many archives it is in; `left`: what may be read of it.

        Raises:
            FormatError: it is damaged, protected or too large.
        """
        self.container = ZipContainer(data)
        self.depth = depth
        self._left = left or _Left(MAX_READ, MAX_READ, MAX_READERS, MAX_UNITS)
        self.members = [self._member(*numbered) for numbered in enumerate(self.container.entries.values(), 1)]
        self._member_of = {member.address: member for member in self.members}
        self._units = [unit for member in self.members for unit in member.own_units]
        if remarks := "\n".join(_remarks(self.container)):
            self._units.append(Unit("remarks", remarks, "remark", "remarks in the archive"))
        self._hidden = {unit.address for unit in self._units if unit.hidden}

    def _member(self, number: int, entry: Entry) -> Member:
        if entry.name.endswith("/"):
            return Member(number, entry, None, "")
        begins = next(self.container.pieces(entry), b"")
        if begins.startswith(_PICTURES):
            return Member(number, entry, None, metadata_summary(self.container.read(entry.name)))
        inside = self._inside(entry)
        return Member(number, entry, None if isinstance(inside, BytesReading) else inside, OPAQUE)

    def _inside(self, entry: Entry) -> Reading | None:
        left = self._left
        left.read -= entry.size
        left.readers -= 1
        if min(left.read, left.readers) < 0:
            return None
        data = self.container.read(entry.name)
        try:
            if data.startswith(_SIGNS):
                left.unpacked -= unpacked_size(data)
                if left.unpacked < 0:
                    return None
                if container_of(data) is None:
                    return ZipReading(data, self.depth + 1, left) if self.depth < MAX_DEPTH else None
            inside = read(entry.name, data)
            if inside.name in PICTURES:
                return None  # travels and is shown as a whole
            # Reads it through, so that errors show now.
            left.units -= sum(1 for _ in islice(inside.units(), max(0, left.units) + 1))
        except (FormatError, NotUtf8):
            return None
        return inside if left.units >= 0 else None

    def units(self) -> Sequence[Unit]:
        """File by file, the name of each first; then the remarks."""
        return self._units

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """Everything except the data of files that travel plain.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return Spans.EMPTY
        plain = self.resolved(marks).plain
        bounds = [0]
        for member in sorted(self.members, key=lambda member: member.entry.start):
            if member.address in plain and member.entry.start < member.entry.end:
                bounds += [member.entry.start, member.entry.end]
        return Spans([*bounds, self.container.size])

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        resolved = self.resolved(marks)
        tally, classified = Tally(), self.container.size
        for member in self.members:
            size = member.entry.end - member.entry.start
            if member.address in resolved.plain:
                classified -= size
            else:
                tally.add(_MARKED if member.address in resolved.chosen else _UNSURE, size, member.address)
        return tally.ranked(classified, _AROUND)

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for hidden text of files that travel plain, and for all text that is not hidden.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        is_plain = self.in_plain_stream(marks)
        return lambda address: address not in self._hidden or is_plain(address)

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for what files that travel plain contain. Their names do not.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        plain = self.resolved(marks).plain

        def is_in(address: str) -> bool:
            member = self._member_at(address)
            return member is not None and member.address in plain and address != f"{member.address}/name"

        return is_in

    def _member_at(self, address: str) -> Member | None:
        return self._member_of.get("/".join(address.split("/", 2)[:2]))

    def resolved(self, marks: Sequence[Mark]) -> Resolved:
        """What the marks classify.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        own: list[Mark] = []
        inside: dict[str, list[Mark]] = {}
        for mark in marks:
            member = self._member_at(mark.address)
            if member is None or not member.is_inside(mark.address):
                own.append(mark)
            else:
                inside.setdefault(member.address, []).append(member.by_its_own_address(mark))
        marked = marked_units(self._units, own)
        for member in self.members:
            marked.texts |= member.texts_at(inside.get(member.address, []))
        resolved = Resolved(marked, MarkedPhrases.of(marked.texts), inside)
        resolved.whole = {mark.address for mark in marks if mark.start is None and mark.address in self._member_of}
        for member in self.members:
            covered = [member.by_its_own_address(Mark(one)) for one in marked.ranges if member.is_inside(one)]
            given = resolved.given[member.address] = [*inside.get(member.address, []), *covered]
            if given or any(unit.address in marked.ranges for unit in member.own_units):
                resolved.chosen.add(member.address)
            elif self._is_plain(member, resolved.phrases):
                resolved.plain.add(member.address)
        return resolved

    def _is_plain(self, member: Member, phrases: MarkedPhrases) -> bool:
        """Whether every byte of a file was read, and none of the phrases is in it or in its name."""
        if member.is_folder or any(phrases.all.in_text(unit.text) for unit in member.own_units):
            return False
        if isinstance(member.inside, OfficeReading):
            return member.inside.shows_all_but(phrases)
        if member.inside is not None:
            return hides_nothing(member.inside, member.entry.name)
        return is_fully_known(self.container.read(member.entry.name), phrases.all.in_text)


def _remarks(container: ZipContainer) -> Iterator[str]:
    for remark in extra_data(container).comments:
        yield remark.decode(encoding_of(remark) or "latin-1", "replace")
