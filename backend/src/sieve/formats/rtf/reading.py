"""RTF documents: paragraphs are units, and so is everything else that people may have written.

The text has the addresses text/p1, text/p2 and so on; headers and footers, footnotes, endnotes and comments have their
own numbers: headers/p1, footnotes/p1. Below a paragraph are its hidden and deleted text and the codes of its fields.
Properties, bookmarks, names and unknown groups are property/1, bookmark/1 and so on, pictures and embedded objects
picture/1 and object/1.

Invariant, as soon as anything is marked: only letters travel plain that are in the source as they are shown, of
paragraphs without a mark and without a copy of marked text. No control word, brace, line end, escape, result of a field
and number of a list does: programs choose them by the text around them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from sieve.core.document import Spans
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.marked_units import MarkedUnits, marked_units
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import metadata_summary
from sieve.formats.rtf.content import Paragraph, Story
from sieve.formats.rtf.document import RtfDocument
from sieve.formats.rtf.vocabulary import USUAL_NAMES
from sieve.formats.text_ranges import everywhere, united, united_in_order
from sieve.formats.why_classified import MARKED_PARAGRAPHS, Classified, Tally

_LETTERS: Final = re.compile(r"[^\W\d_].*[^\W_]", re.DOTALL)
_BELOW: Final = {
    "hidden": ("hidden text", "hidden text"),
    "deleted": ("deleted text", "deleted text"),
    "code": ("field code", "a field code"),
}
PICTURES: Final = Sentence("why-rtf-pictures", "Pictures")
_AROUND: Final = Sentence(
    "why-rtf-around", "Formatting, lists of fonts and styles, properties, and letters that are not ASCII"
)
_KINDS: Final = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_LISTS: Final = frozenset({"style", "author", "bookmark"})
"""Asides that list names, some of which every program gives."""


class Placed(NamedTuple):
    """A paragraph with the address of its text, and of all units in it."""

    paragraph: Paragraph
    address: str
    addresses: list[str]


class Resolved(NamedTuple):
    """What marks classify: `touched` are the addresses of the paragraphs that contain a mark or a marked text, `split`
    the characters of marked texts that are divided among paragraphs, by address.
    """

    marked: MarkedUnits
    touched: set[str]
    split: dict[str, list[tuple[int, int]]]


class RtfReading:
    """A document in RTF, read."""

    name: ClassVar[str] = "rtf"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is no RTF, or too large to be read."""
        self.data = data
        self.document = RtfDocument(data)
        self._counts: dict[str, int] = {}
        self._units: dict[str, Unit] = {}
        self._known: dict[tuple[str, str], str] = {}
        self._describing: dict[str, set[int]] = {}
        self._placed: dict[int, Placed] = {}
        stories: dict[str, list[Placed]] = {}
        for story, paragraph in self.document.paragraphs():
            stories.setdefault(story.name, []).append(self._place(story, paragraph))
        self.stories = stories
        """Paragraphs by the beginning of their addresses."""
        for placed in (placed for story in stories.values() for placed in story):
            for unit in self._units_of(placed):
                self._units[unit.address] = unit
        for unit in self._beside():
            self._units[unit.address] = unit

    def units(self) -> Sequence[Unit]:
        """In reading order, hidden ones too."""
        return list(self._units.values())

    def placed(self, paragraph: Paragraph) -> Placed:
        """A paragraph with its addresses."""
        return self._placed[id(paragraph)]

    def unit(self, address: str) -> Unit | None:
        """The unit at an address; None if there is none."""
        return self._units.get(address)

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """Everything except letters of paragraphs that contain nothing marked.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return Spans.EMPTY
        plain = sorted(pair for placed in self._plain(marks) for pair in placed.paragraph.plain)
        bounds = [0, *(place for pair in united_in_order(plain) for place in pair), len(self.data)]
        return Spans.of(pair for pair in zip(bounds[::2], bounds[1::2], strict=True) if pair[0] < pair[1])

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        touched = self.resolved(marks).touched
        tally = Tally()
        for placed in self._placed.values():
            if placed.address in touched:
                tally.add(MARKED_PARAGRAPHS, sum(end - start for start, end in placed.paragraph.plain), placed.address)
        for picture in self.document.pictures:
            tally.add(PICTURES, picture.end - picture.start, f"picture/{picture.number}")
        return tally.ranked(self.spans(marks).classified_size, _AROUND)

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says no for all hidden text, as soon as anything is marked.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        self.resolved(marks)
        return lambda address: not self._is_hidden(address)

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for paragraphs of which letters travel plain.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        plain = {placed.address for placed in self._plain(marks)}
        return lambda address: address in plain

    def _plain(self, marks: Sequence[Mark]) -> Iterator[Placed]:
        """The paragraphs of which letters travel plain: none that older readers show with other letters."""
        touched = self.resolved(marks).touched
        for placed in self._placed.values():
            paragraph, address = placed.paragraph, placed.address
            if paragraph.plain and not paragraph.fallback and address not in touched and not self._is_hidden(address):
                yield placed

    def resolved(self, marks: Sequence[Mark]) -> Resolved:
        """What the marks classify.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = marked_units(self._units.values(), marks)
        phrases = Phrases(marked.texts)
        split = self._across(phrases)
        telling = marked.ranges.keys() | split.keys()
        telling |= {unit.address for unit in self._units.values() if phrases.in_text(unit.text)}
        touched = {placed.address for placed in self._placed.values() if not telling.isdisjoint(placed.addresses)}
        return Resolved(marked, touched, split)

    def _across(self, phrases: Phrases) -> dict[str, list[tuple[int, int]]]:
        """Where several paragraphs together say one of the phrases."""
        found: dict[str, list[tuple[int, int]]] = {}
        for story in self.stories.values():
            shown = [placed for placed in story if placed.address in self._units]
            texts = [self._units[placed.address].text for placed in shown]
            whole = "\n".join(texts)
            ranges = united(phrases.ranges(whole)) if phrases.in_text(whole) else []
            number = at = 0
            for start, end in ranges:
                while start > at + len(texts[number]):
                    at += len(texts[number]) + 1
                    number += 1
                first, begin = number, at
                while end > begin + len(texts[first]):
                    found.setdefault(shown[first].address, []).append((max(start - begin, 0), len(texts[first])))
                    begin += len(texts[first]) + 1
                    first += 1
                if first != number and begin < end:
                    found.setdefault(shown[first].address, []).append((0, end - begin))
        return found

    def _is_hidden(self, address: str) -> bool:
        unit = self._units.get(address)
        return unit is not None and bool(unit.hidden)

    def _place(self, story: Story, paragraph: Paragraph) -> Placed:
        placed = Placed(paragraph, f"{story.name}/p{self._next(story.name)}", [])
        self._placed[id(paragraph)] = placed
        return placed

    def _units_of(self, placed: Placed) -> Iterator[Unit]:
        paragraph, address = placed.paragraph, placed.address
        story = address.partition("/")[0]
        if paragraph.text.strip():
            kind = _KINDS.get(story) or ("table cell" if paragraph.cells else "paragraph")
            yield Unit(address, paragraph.text, kind, "a comment" if story == "comments" else "", paragraph.cells)
        placed.addresses.append(address)
        below = {name: "".join(said) for name, said in paragraph.below.items()}
        fallback = "".join(paragraph.fallback)
        if _LETTERS.search(fallback):
            below["hidden"] = f"{below.get('hidden', '')} {fallback}"
        for name, text in below.items():
            if text.strip():
                kind, hidden = _BELOW[name]
                placed.addresses.append(f"{address}/{name}")
                yield Unit(placed.addresses[-1], text, kind, hidden, paragraph.cells)

    def _beside(self) -> Iterator[Unit]:
        for name, hidden, said, described in self.document.asides:
            if name in _LISTS:
                names = [one.strip() for one in said.split(";")]
                text = "\n".join(one for one in names if one and not USUAL_NAMES.fullmatch(one))
            else:
                text = said.strip()
            if not _LETTERS.search(text):
                continue
            if (name, text) not in self._known:
                self._known[name, text] = f"{name}/{self._next(name)}"
                yield Unit(self._known[name, text], text, name, hidden)
            self._describing.setdefault(self._known[name, text], set()).add(described)
        for picture in self.document.pictures:
            content = picture.content(self.data) if picture.kind else None
            hidden = metadata_summary(content) if content is not None else "a file that the gateway cannot read"
            yield Unit(f"picture/{picture.number}", "", "picture", hidden)
        for number in range(self.document.objects):
            yield Unit(f"object/{number + 1}", "", "embedded object", "an embedded part")
        after = self.document.after.replace(b"\0", b"").decode("latin-1").strip()
        if _LETTERS.search(after):
            yield Unit("outside/1", after, "text", "text outside of the paragraphs")

    def described(self, addresses: Iterable[str]) -> set[int]:
        """The numbers of the pictures to which hidden text at these addresses belongs, such as their descriptions."""
        return set[int]().union(*(self._describing.get(address, ()) for address in addresses))

    def _next(self, name: str) -> int:
        self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts[name]
