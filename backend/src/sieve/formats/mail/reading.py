"""A mail: its header fields, bodies and attachments as units.

Header fields have addresses such as header/Subject, bodies body/1/text/p3, and attachments attachment/1/… with the
addresses of their own format: attachment/1/page/3 of a PDF. Names of files are attachment/1/name.

Invariant, as soon as anything is marked: only bodies travel plain. Headers, boundaries, names and everything else
around them are classified: they contain checksums, lengths and signatures of the text. If one alternative of a text has
a mark of its author, the others that have none are classified as a whole, since they say the same in other words.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import ClassVar, Final
from urllib.parse import unquote

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.errors import FormatError
from sieve.formats.html.reading import HtmlReading
from sieve.formats.mail.leaves import STRUCTURAL_FIELDS, Leaf, PlainText
from sieve.formats.mail.structure import Field, Part, readable, structure
from sieve.formats.mail.transfer import Body, body
from sieve.formats.marked_units import MarkedUnits, marked_units, with_copies
from sieve.formats.office.why_classified import SHOWN as _SHOWN_THERE
from sieve.formats.phrases import Phrases
from sieve.formats.reading import Reading, read
from sieve.formats.recognition import container_of
from sieve.formats.registry import PICTURES
from sieve.formats.text_ranges import everywhere
from sieve.formats.why_classified import Classified, Tally
from sieve.formats.zip.container import unpacked_size

MAX_DEPTH: Final = 3
"""Mails in mails that are read."""
MAX_UNPACKED: Final = 64 << 20
"""Unpacked bytes of all attachments together."""
MAX_UNITS: Final = 200_000
"""Units of all attachments together, such as cells."""
SHOWN_FIELDS: Final = ("From", "To", "Cc", "Reply-To", "Subject", "Date")
"""What mail programs show, and a redacted edition keeps."""
_SHOWN: Final = {name.lower(): name for name in SHOWN_FIELDS}
_TEXTS: Final = Sentence(
    "why-mail-texts", "Paragraphs with a mark or a copy of it, formatting, and letters that are not ASCII"
)
_VERSIONS: Final = Sentence("why-mail-versions", "Other versions of a marked text")
_MARKED: Final = Sentence("why-mail-marked", "Attachments with a mark")
_UNSURE: Final = Sentence(
    "why-mail-unsure", "Attachments that repeat a marked text, or that the gateway does not know to the last byte"
)
_AROUND: Final = Sentence("why-mail-around", "The header, and everything around texts and attachments")


@dataclass(slots=True, repr=False)
class Resolved:
    """What marks classify. `given`: of each leaf, by address, the marks on places inside it; `nested`: of each body,
    the same with copies of marked texts; `chosen`: the leaves that contain a mark of the author; `left_out`: leaves of
    which only another alternative contains one; `shown`: attachments that a marked paragraph or such a leaf shows.
    """

    marked: MarkedUnits
    phrases: Phrases
    given: dict[str, list[Mark]] = field(default_factory=dict)
    nested: dict[str, list[Mark]] = field(default_factory=dict)
    chosen: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)


class MailReading:
    """A mail, read."""

    name: ClassVar[str] = "eml"

    def __init__(self, data: bytes, depth: int = 0) -> None:
        """`depth`: how many mails it is attached in.

        Raises:
            FormatError: it is no mail, or has too many parts.
        """
        self.data = data
        self.depth = depth
        self._unpacked_left, self._units_left = MAX_UNPACKED, MAX_UNITS
        found = structure(data)
        self.fields: list[tuple[str, Field]] = []
        counts: Counter[str] = Counter()
        for one in found.fields:
            name = _SHOWN.get(one.name.lower(), one.name.replace("/", "_"))
            counts[name.lower()] += 1
            address = f"header/{name}" if counts[name.lower()] == 1 else f"header/{name}/{counts[name.lower()]}"
            self.fields.append((address, Field(name, readable(one.text))))
        is_single = len(found.parts) == 1 and found.parts[0].fields is found.fields
        self.leaves = [*self._leaves(found.parts, is_single)]
        self._leaf_of = {leaf.address: leaf for leaf in self.leaves}
        self._outside = found.outside
        self._units = [*self._read_units()]
        self._by_address = {unit.address: unit for unit in self._units}

    def units(self) -> Sequence[Unit]:
        """The header, bodies, attachments, and text around them."""
        return self._units

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """Everything except paragraphs, and attachments as a whole, that reveal nothing of what is marked.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return Spans.EMPTY
        resolved = self.resolved(marks)
        bounds = [0]
        for leaf in self.leaves:
            for start, end in self._plain_of(leaf, resolved):
                if start == bounds[-1]:
                    bounds[-1] = end
                else:
                    bounds += [start, end]
        bounds.append(len(self.data))
        return Spans.of(pair for pair in zip(bounds[::2], bounds[1::2], strict=True) if pair[0] < pair[1])

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        resolved = self.resolved(marks)
        tally, classified = Tally(), len(self.data)
        for leaf in self.leaves:
            plain = sum(end - start for start, end in self._plain_of(leaf, resolved))
            classified -= plain
            if leaf.address in resolved.left_out:
                why = _VERSIONS
            elif leaf.is_body:
                why = _TEXTS
            elif leaf.address in resolved.shown:
                why = _SHOWN_THERE
            else:
                why = _MARKED if leaf.address in resolved.chosen else _UNSURE
            name = f"{leaf.address}/text" if leaf.is_body else leaf.address
            tally.add(why, leaf.part.end - leaf.part.start - plain, name)
        return tally.ranked(classified, _AROUND)

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for hidden text of attachments that travel plain, and for all text that is not hidden.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        in_attachments = self._in_plain_attachments(self.resolved(marks))

        def may(address: str) -> bool:
            unit = self._by_address.get(address)
            return unit is None or not unit.hidden or in_attachments(address)

        return may

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for paragraphs and attachments that travel plain.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        resolved = self.resolved(marks)
        in_attachments = self._in_plain_attachments(resolved)
        paragraphs: set[str] = set()
        for leaf in self.leaves:
            if leaf.is_body and leaf.address not in resolved.left_out:
                paragraphs.update(leaf.plain_units(resolved.nested.get(leaf.address, [])))
        return lambda address: address in paragraphs or in_attachments(address)

    def resolved(self, marks: Sequence[Mark]) -> Resolved:
        """What the marks classify.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        own: list[Mark] = []
        inside: dict[str, list[Mark]] = {}
        for mark in marks:
            leaf = self._leaf_of.get("/".join(mark.address.split("/", 2)[:2]))
            if leaf is None or not leaf.is_inside(mark.address):
                own.append(mark)
            else:
                inside.setdefault(leaf.address, []).append(leaf.by_its_own_address(mark))
        marked = marked_units(self._units, own)
        texts = set(marked.texts)
        for leaf in self.leaves:
            texts |= leaf.nested_texts(inside.get(leaf.address, []))
        marked.texts = texts
        resolved = Resolved(marked, Phrases(texts))
        for leaf in self.leaves:
            covered = [leaf.by_its_own_address(Mark(one)) for one in marked.ranges if leaf.is_inside(one)]
            chosen = [*inside.get(leaf.address, []), *covered]
            if chosen or any(unit.address in marked.ranges for unit in leaf.own_units):
                resolved.chosen.add(leaf.address)
            resolved.given[leaf.address] = chosen
            if leaf.inside is not None and leaf.is_body:
                copies = with_copies(leaf.inside.units(), chosen, resolved.phrases)
                resolved.nested[leaf.address] = [*copies, *leaf.quoted_copies(resolved.phrases)]
        resolved.left_out = self._other_alternatives(resolved.chosen)
        sources = [*self._marked_sources(resolved)]
        resolved.shown = {leaf.address for leaf in self.leaves if any(map(leaf.is_shown_in, sources))}
        return resolved

    def _marked_sources(self, resolved: Resolved) -> Iterator[str]:
        """The source of what is withheld of pages, as people write addresses in it."""
        for leaf in self.leaves:
            if isinstance(leaf.inside, HtmlReading) and leaf.is_body:
                if leaf.address in resolved.left_out:
                    yield unquote(unescape(leaf.inside.source))
                elif marks := resolved.given[leaf.address]:
                    yield unquote(unescape(leaf.inside.source_of_marked(marks)))

    def is_plain_attachment(self, leaf: Leaf, resolved: Resolved) -> bool:
        """Whether an attachment travels plain."""
        if leaf.is_body or leaf.address in resolved.chosen | resolved.left_out | resolved.shown:
            return False
        told = any(resolved.phrases.in_text(unit.text) for unit in leaf.own_units)
        return not told and leaf.is_understood(resolved.phrases)

    def _in_plain_attachments(self, resolved: Resolved) -> Callable[[str], bool]:
        """Whether an address is in an attachment that travels plain. Names and headers of attachments do not."""
        plain = {leaf.address for leaf in self.leaves if self.is_plain_attachment(leaf, resolved)}

        def is_in(address: str) -> bool:
            leaf = self._leaf_of.get("/".join(address.split("/", 2)[:2]))
            return leaf is not None and leaf.address in plain and (leaf.address == address or leaf.is_inside(address))

        return is_in

    def _plain_of(self, leaf: Leaf, resolved: Resolved) -> Iterator[tuple[int, int]]:
        if leaf.is_body and leaf.address not in resolved.left_out:
            yield from leaf.plain_in_body(resolved.nested[leaf.address])
        elif self.is_plain_attachment(leaf, resolved) and leaf.part.start < leaf.part.end:
            yield leaf.part.start, leaf.part.end

    def _other_alternatives(self, chosen: set[str]) -> set[str]:
        """The leaves that are an alternative to one of these, and are none of them."""
        branches = {branch for leaf in self.leaves if leaf.address in chosen for branch in leaf.part.branches}
        numbers = {number for number, _ in branches}
        return {
            leaf.address
            for leaf in self.leaves
            if leaf.address not in chosen
            and any(number in numbers and (number, count) not in branches for number, count in leaf.part.branches)
        }

    def _leaves(self, parts: Sequence[Part], is_single: bool) -> Iterator[Leaf]:
        counts: Counter[str] = Counter()
        for part in parts:
            is_text = part.message.get_content_maintype() == "text" and not part.is_attached
            kind = "body" if is_text else "attachment"
            counts[kind] += 1
            try:
                decoded: Body | None = body(self.data, part.start, part.end, part.transfer_encoding)
            except FormatError:
                decoded = None
            decoded = None if part.is_ambiguous else decoded
            inside = None if decoded is None else self._inside(part, decoded.data, is_text)
            yield Leaf(f"{kind}/{counts[kind]}", part, decoded, inside, () if is_single else part.fields)

    def _inside(self, part: Part, data: bytes, is_text: bool) -> PlainText | Reading | None:
        name, kind = part.file_name, part.media_type
        try:
            if is_text:
                return HtmlReading(data, part.charset) if kind == "text/html" else PlainText(data, part.charset)
            if kind == "message/rfc822" or name.lower().endswith(".eml"):
                return MailReading(data, self.depth + 1) if self.depth < MAX_DEPTH else None
            if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                if container_of(data) is None:
                    return None  # an archive, which may contain mails with archives
                self._unpacked_left -= unpacked_size(data)
                if self._unpacked_left < 0:
                    return None
            inside = read(name, data, kind)
            if inside.name in PICTURES:
                return None  # travels and is shown as a whole
            # Reads it through, so that errors show now.
            self._units_left -= sum(1 for _ in islice(inside.units(), self._units_left + 1))
        except (FormatError, NotUtf8):
            return None
        return inside if self._units_left >= 0 else None

    def _read_units(self) -> Iterator[Unit]:
        for address, (name, text) in sorted(self.fields, key=lambda one: one[1].name not in SHOWN_FIELDS):
            if name.lower() not in STRUCTURAL_FIELDS:
                yield Unit(address, text, name, "" if name in SHOWN_FIELDS else f"the header field {name}")
        for kind in (True, False):
            for leaf in self.leaves:
                if leaf.is_body is kind:
                    yield from leaf.own_units
        for number, text in enumerate(self._outside, 1):
            yield Unit(f"outside/{number}", text, "text", "text outside of the parts")
