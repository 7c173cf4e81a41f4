"""The bodies and attachments of a mail: what each contains as units, and which of its bytes may travel plain.

Invariant: of a body with a mark or a marked text, only paragraphs without either travel plain, and only in encodings
that keep positions. An attachment travels plain or classified as a whole, because base64 moves all that follows a
change; and only plain if its format hides nothing, as in texts, tables and pictures without unknown bytes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from sieve.core.document import Document
from sieve.core.markup import print_document
from sieve.core.units import Mark, Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.errors import UnknownPlace
from sieve.formats.html.reading import HtmlReading
from sieve.formats.mail.structure import Field, Part
from sieve.formats.mail.transfer import Body
from sieve.formats.marked_units import marked_units, texts_at
from sieve.formats.phrases import Phrases
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary
from sieve.formats.reading import Reading
from sieve.formats.tables.reading import TableReading
from sieve.formats.text.charset import decoded, has_ascii_bytes_in_letters
from sieve.formats.text.reading import TextReading
from sieve.formats.text_ranges import byte_offsets

_PARAGRAPH: Final = re.compile(r"[^\S\r\n]*\S[^\r\n]*(?:\r?\n[^\S\r\n]*\S[^\r\n]*)*")
_QUOTE: Final = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_ENCODED: Final = re.compile(
    r"^[> \t]*(?:begin(?:-base64)? [0-7]{3,4} .*|=ybegin .*|-----BEGIN .*|[A-Za-z0-9+/]{40,}={0,2})[ \t\r]*$",
    re.MULTILINE,
)
"""Lines of a file within a text: uuencode, yEnc, PGP, base64."""
_CHARSETS: Final = re.compile(r"utf-?8|us-ascii|iso-?8859-\d+|windows-125\d|", re.IGNORECASE)
"""Encodings in which ASCII is ASCII."""
_PICTURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
OPAQUE: Final = "a file that the gateway cannot read"
"""How a file in another one is hidden."""


STRUCTURAL_FIELDS: Final = frozenset(
    {"content-type", "content-transfer-encoding", "content-disposition", "content-id", "mime-version"}
)
"""Header fields that programs write to describe a part. They are no units, and never plain; of file names there are."""


class PlainText:
    """A text/plain body: its paragraphs, at text/p1 and so on."""

    def __init__(self, data: bytes, charset: str | None) -> None:
        """Raises FormatError: the encoding is unknown or wrong."""
        self._data = data
        self._text, self._encoding, self._mark = decoded(data, charset)
        self._ranges = [found.span() for found in _PARAGRAPH.finditer(self._text)]
        paragraphs = [self._text[start:end] for start, end in self._ranges]
        self.encoded = {f"text/p{number}" for number, text in enumerate(paragraphs, 1) if _ENCODED.search(text)}
        """The paragraphs with a file in them, which are not read."""
        self.keeps_places = not has_ascii_bytes_in_letters(self._encoding)
        """Whether the bytes of ASCII letters are the same in other encodings."""

    def units(self) -> Sequence[Unit]:
        """The paragraphs."""
        return [
            Unit(f"text/p{number}", self._text[start:end].replace("\r\n", "\n"), "paragraph")
            for number, (start, end) in enumerate(self._ranges, 1)
        ]

    def with_tags(self, ranges: Mapping[str, Sequence[tuple[int, int]]]) -> bytes:
        """The body as marked text, with tags around these characters of the paragraphs."""
        spans: list[tuple[int, int]] = []
        for number, (start, end) in enumerate(self._ranges, 1):
            marked = ranges.get(f"text/p{number}", ())
            # The text of a unit has line feeds alone.
            kept = [at for at in range(start, end) if self._text[at : at + 2] != "\r\n"] if marked else []
            spans += [(kept[first], kept[last - 1] + 1) for first, last in marked if first < last]
        bounds = byte_offsets(self._text, (bound for span in spans for bound in span))
        document = Document(self._text.encode(), zip(bounds[::2], bounds[1::2], strict=True))
        return self._data[: self._mark] + print_document(document).decode().encode(self._encoding)

    def plain_bytes(self, touched: set[str]) -> Iterator[tuple[int, int]]:
        """The bytes of the paragraphs that are not `touched`."""
        if not self.keeps_places:
            return
        touched = touched | self.encoded
        plain = [pair for number, pair in enumerate(self._ranges, 1) if f"text/p{number}" not in touched]
        places = byte_offsets(self._text, (place for pair in plain for place in pair), self._encoding)
        bounds = [self._mark + place for place in places]
        yield from zip(bounds[::2], bounds[1::2], strict=True)


def hides_nothing(inside: PlainText | Reading, name: str) -> bool:
    """Whether the file called `name` is a table or text of which every byte is read, with no encoded file in it."""
    is_table = isinstance(inside, TableReading) and inside.name in ("csv", "tsv")
    is_text = isinstance(inside, TextReading) and name.lower().endswith((".txt", ".md", ".log"))
    return (is_table or is_text) and not any(_ENCODED.search(unit.text) for unit in inside.units())


class Leaf:
    """A body or attachment. `address`: of all of it. `body`: None if it cannot be decoded. `inside`: its reading; None
    if it cannot be read. `fields`: of its own header.
    """

    def __init__(
        self, address: str, part: Part, body: Body | None, inside: PlainText | Reading | None, fields: Sequence[Field]
    ) -> None:
        self.address, self.part, self.body, self.inside = address, part, body, inside
        self._fields = [one for one in fields if one.name.lower() not in STRUCTURAL_FIELDS]
        self.is_body = isinstance(inside, PlainText | HtmlReading) and not part.is_attached
        self.own_units = [*self._read_units()]

    def _read_units(self) -> Iterator[Unit]:
        if self.part.file_name:
            yield Unit(f"{self.address}/name", self.part.file_name, "file name")
        if self._fields:
            lines = "\n".join(f"{name}: {text}" for name, text in self._fields)
            yield Unit(f"{self.address}/header", lines, "header", "the header of a part")
        if self.inside is None or isinstance(self.inside, BytesReading):
            yield Unit(self.address, "", self._opaque_kind, self._opaque_hidden)
        else:
            for unit in self.inside.units():
                yield replace(unit, address=f"{self.address}/{unit.address}")

    @property
    def _opaque_kind(self) -> str:
        is_picture = self.body is not None and self.body.data.startswith(_PICTURES)
        return "picture" if is_picture else "attachment"

    @property
    def _opaque_hidden(self) -> str:
        return metadata_summary(self.body.data) if self.body and self._opaque_kind == "picture" else OPAQUE

    def is_shown_in(self, source: str) -> bool:
        """Whether the source of a page names it as a picture of the mail, without character references."""
        said = (str(self.part.message.get(name, "")) for name in ("Content-ID", "Content-Location"))
        names = [unquote(name.strip().strip("<>")) for name in said]
        return any(name and name in source for name in names)

    def is_inside(self, address: str) -> bool:
        """Whether an address is a place inside it, in the addresses of its own format."""
        return address.startswith(f"{self.address}/") and address not in self._own_places

    def by_its_own_address(self, mark: Mark) -> Mark:
        """A mark on a place inside it, as its own format addresses it."""
        return replace(mark, address=mark.address.removeprefix(f"{self.address}/"))

    @property
    def _own_places(self) -> set[str]:
        return {f"{self.address}/name", f"{self.address}/header"}

    def nested_texts(self, marks: Sequence[Mark]) -> set[str]:
        """What marks on places inside it say, by their addresses there.

        Raises:
            UnknownPlace: a mark does not fit.
        """
        if not marks:
            return set()
        if self.inside is None or isinstance(self.inside, BytesReading):
            raise UnknownPlace(
                f"{self.address}/{marks[0].address}", "the gateway cannot read it, so only all of it can be marked"
            )
        units = self.inside.units()
        if isinstance(self.inside, PlainText | HtmlReading):
            return marked_units(units, marks).texts
        self.inside.spans(marks)
        return texts_at(units, marks)

    @property
    def may_be_plain(self) -> bool:
        """Whether bytes of a text may travel plain."""
        return self.is_read_as_shown and isinstance(self.inside, PlainText | HtmlReading) and self.inside.keeps_places

    @property
    def is_read_as_shown(self) -> bool:
        """Whether a text is of a kind of which everything is read. Calendars, for example, break words at line ends."""
        if isinstance(self.inside, PlainText):
            is_deleting = "yes" in str(self.part.message.get_param("delsp")).lower()
            return self.part.media_type == "text/plain" and not is_deleting
        return True

    def encoded_files(self) -> Iterator[Mark]:
        """The paragraphs with a file in them."""
        yield from (Mark(address) for address in self.inside.encoded) if isinstance(self.inside, PlainText) else ()

    def quoted_copies(self, phrases: Phrases) -> Iterator[Mark]:
        """The paragraphs of quoted lines in which one of the phrases is broken by a line end."""
        for unit in self.inside.units() if isinstance(self.inside, PlainText) else ():
            text = _QUOTE.sub("\n", unit.text)
            if text != unit.text and len(phrases.ranges(text)) > len(phrases.ranges(unit.text)):
                yield Mark(unit.address)

    def plain_in_body(self, marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
        """The positions in the mail of what travels plain of a body with these marks on places inside it."""
        if self.body is None or not self.may_be_plain:
            return
        if isinstance(self.inside, PlainText):
            touched = marked_units(self.inside.units(), marks).ranges.keys()
            yield from self.body.in_mail(self.inside.plain_bytes({*touched}))
        elif isinstance(self.inside, HtmlReading):
            yield from self.body.in_mail(self.inside.plain_bytes(marks, bare_tags=True))

    def plain_units(self, marks: Sequence[Mark]) -> Iterator[str]:
        """The addresses in the mail of the paragraphs of a body that travel plain."""
        if self.body is None or not self.body.starts or not self.may_be_plain:
            return
        if isinstance(self.inside, PlainText):
            touched = marked_units(self.inside.units(), marks).ranges.keys()
            hidden = touched | self.inside.encoded
            found = [unit.address for unit in self.inside.units() if unit.address not in hidden]
        elif isinstance(self.inside, HtmlReading):
            is_plain = self.inside.in_plain_stream(marks)
            found = [unit.address for unit in self.inside.units() if not unit.hidden and is_plain(unit.address)]
        else:
            return
        yield from (f"{self.address}/{address}" for address in found)

    def is_understood(self, phrases: Phrases) -> bool:
        """Whether every byte of it was read, so that it can travel plain without a mark. Archives, PDFs, pages and
        mails have bytes that are no units.
        """
        if self.body is None or not self.body.is_exact or not _CHARSETS.fullmatch(self.part.charset or ""):
            return False
        if self.inside is None or isinstance(self.inside, BytesReading):
            return self._opaque_kind == "picture" and is_fully_known(self.body.data, phrases.in_text)
        # Other texts have escapes or folded lines: RTF, XML, JSON, calendars, mails of unclear structure.
        return hides_nothing(self.inside, self.part.file_name)
