"""A PDF: its units, the bytes that must travel classified, and its redacted edition.

Invariant: only *bodies of streams* ever travel plain, since everything else contains object numbers, offsets, lengths
or names that shift with, or reveal, something classified. The plain stream is the encoded bytes of what unmarked pages
draw with, one after the other. A body is plain if an unmarked page draws with it, nothing classified draws with it or
is attached to it, its position in the file is certain, it decodes to its last byte, and the decoded bytes contain no
marked text. Everything else is classified: headers, dictionaries, tables, unknown data, old revisions, all bytes
between.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import ClassVar, Final, NamedTuple

import pikepdf
from pikepdf import Stream

from sieve.core.document import Spans
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.areas import check_area, marked_area
from sieve.formats.errors import FormatError, TooLarge, UnknownPlace
from sieve.formats.pdf import redaction
from sieve.formats.pdf.hidden_text import StringReader, annotation_units, forms_alone, hidden_units, images
from sieve.formats.pdf.nested_forms import check_nested_forms
from sieve.formats.pdf.object_graph import ObjGen, TooManySteps, hidden_layers
from sieve.formats.pdf.opening import FAULTS, normalised, open_pdf, opens_as_it_is
from sieve.formats.pdf.plain_bodies import Inside, look_inside, plain_bodies
from sieve.formats.pdf.rendering import Box, RenderedPdf, png
from sieve.formats.pdf.search_terms import SearchTerms, TooManyTexts
from sieve.formats.pdf.second_reading import SecondReading
from sieve.formats.pdf.shown_text import MAX_CONTENT, MAX_INSTRUCTIONS, Cost
from sieve.formats.pdf.stream_bodies import MAX_UNPACKED, jpeg_in
from sieve.formats.pdf.why_classified import ENCRYPTED, ENTANGLED, PAGES_DAMAGED, REPAIRED, why_classified
from sieve.formats.pictures.metadata import metadata_summary
from sieve.formats.text_ranges import characters, everywhere, united
from sieve.formats.why_classified import Classified, Tally

DISPUTED: Final = "disputed text"
"""The kind of a unit with what pdfium does not find on a page."""
MAX_TEXT: Final = 100_000_000
"""Characters of all pages."""
MAX_PICTURES: Final = 512 << 20
"""Bytes of JPEG pictures whose metadata is read."""
MAX_REVISIONS: Final = 16
MAX_REVISION_BYTES: Final = 256 << 20

PHRASE: Final = 16
"""Characters that the text of a whole marked page needs to be searched for elsewhere: a marked title page that says
"Appendix" does not make the word secret."""

_PAGE: Final = re.compile(r"page/([1-9][0-9]{0,5})(?:/image/([1-9][0-9]{0,5}))?")
_LAYER: Final = re.compile(r"page/([0-9]+)/layer")
_ON_PAGE: Final = re.compile(r"page/([0-9]+)/(?:layer|unseen)")
_END_OF_FILE: Final = re.compile(rb"%%EOF(?:\r\n|\n|\r)?")


class PdfReading:
    """A PDF. Use only one reading at a time, in one thread: pdfium has one state without locks in each process."""

    name: ClassVar[str] = "pdf"

    def __init__(self, data: bytes, revisions: bool = True) -> None:
        """`revisions`: whether to read earlier ones, too.

        Raises:
            Protected: it needs a password.
            Damaged: it is not a PDF, or beyond repair.
            TooLarge: it has too many objects, pages, characters or forms within forms.
        """
        self._data = data
        self._pdf = open_pdf(data)
        check_nested_forms(self._pdf)
        self._rendered = RenderedPdf(normalised(self._pdf))
        self._revisions = revisions
        self._second: dict[int, tuple[str | None, Cost]] = {}
        """Of each page: the text that pdfium does not find, None if readers agree; and what it took to find out."""
        self._note = self._doubt()
        self.note: Final = self._note or ""
        """The reason why any mark classifies the whole file; empty if it does not."""

    @property
    def data(self) -> bytes:
        """The file."""
        return self._data

    def _doubt(self) -> Sentence | None:
        if self._pdf.is_encrypted:
            return ENCRYPTED
        if self._rendered.pages != len(self._pdf.pages):
            return PAGES_DAMAGED
        return REPAIRED if self._pdf.get_warnings() else None

    def units(self) -> Iterator[Unit]:
        """Each page's text and hidden text, then the hidden text of the whole document.

        Raises:
            TooLarge: there is too much text.
        """
        said: dict[str, str] = {}
        for unit in self._current():
            said[unit.address] = unit.text
            yield unit
        if self._revisions:
            yield from self._earlier(said)

    def _current(self) -> Iterator[Unit]:
        reader, second = StringReader(), SecondReading(self._pdf)
        layers = hidden_layers(self._pdf)
        disputed = self._disputed(range(len(self._pages)))
        # Of earlier revisions, only text is read.
        found = self._images_with_metadata if self._revisions else {}
        for index, page in enumerate(self._pages):
            address = f"page/{index + 1}"
            yield Unit(address, self._text(index), "page")
            for number in range(1, len(self._images[index]) + 1):
                image = f"{address}/image/{number}"
                yield Unit(image, "", "image", found[image].hidden if image in found else "")
            if layers and (text := self._layer_text(index, layers)):
                yield Unit(f"{address}/layer", text, "layer", "text on a layer that is off")
            if (unseen := disputed.get(index)) is not None:
                yield Unit(f"{address}/unseen", unseen, DISPUTED, "text that not every reader shows")
            notes = [*annotation_units(page, address, reader)]
            yield from notes
            if looks := second.appearances(page, "\n".join([self._text(index), *(unit.text for unit in notes)])):
                yield Unit(f"{address}/appearance", looks, "annotation", "what annotations look like")
        yield from hidden_units(self._pdf, reader)

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the file that must travel classified; none without a mark.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = self._resolved(marks)
        if not marks:
            return Spans.EMPTY
        try:
            plain = [] if self.note else self._plain(marked, SearchTerms(marked.texts))
        except (TooManySteps, TooManyTexts, *FAULTS):
            plain = []  # what cannot be searched is classified
        bounds = [0, *(bound for body in united(plain) for bound in body), len(self._data)]
        return Spans.of((start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end)

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = self._resolved(marks)
        everything = Tally().ranked(len(self._data), self._note or ENTANGLED)
        try:
            terms, inside = SearchTerms(marked.texts), self._inside
            if self.note or inside is None:
                return everything
            classified = self._classified(marked.pages, terms)
            plain = [*plain_bodies(self._data, inside, classified, marked.images, terms)]
            return why_classified(self._data, inside, classified, plain)
        except (TooManySteps, TooManyTexts, *FAULTS):
            return everything

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Of hidden text, only the layers and pictures of unmarked pages may: nothing else is in the body of a page's
        stream.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        marked = self._resolved(marks)
        classified = self._classified_once(marked)

        def may(address: str) -> bool:
            if self.note:
                return False
            if image := self._images_with_metadata.get(address):
                # What a later classified page draws with, too, travels plain with the first page.
                return image.key not in marked.images and min(image.pages) not in classified()
            layer = _LAYER.fullmatch(address)
            return layer is not None and int(layer[1]) - 1 not in marked.pages

        return may

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for pages without a mark or a marked text, and for their layers and pictures that may travel plain.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        classified = self._classified_once(self._resolved(marks))
        hidden = self.plain_places(marks)

        def travels(address: str) -> bool:
            page = _PAGE.fullmatch(address)
            return self._is_separable() and int(page[1]) - 1 not in classified() if page else hidden(address)

        return travels

    def _is_separable(self) -> bool:
        """Whether anything of the file can travel plain beside a mark."""
        try:
            return not self.note and self._inside is not None
        except (TooManySteps, *FAULTS):
            return False

    def _classified_once(self, marked: "_Marked") -> Callable[[], set[int]]:
        """The pages that travel classified, found when they are first asked for."""

        @cache
        def classified() -> set[int]:
            try:
                return self._classified(marked.pages, SearchTerms(marked.texts))
            except TooManyTexts:
                return set(range(len(self._pages)))

        return classified

    def redacted(self, marks: Sequence[Mark]) -> bytes:
        """A new PDF with only the visible content that is not marked: bars replace words, images and areas, and a
        sentence replaces pages that are marked whole or cannot be shown in part.

        Raises:
            UnknownPlace: a mark does not fit the file.
            RedactionFailed: a marked text is on an unmarked page, or in something that it draws with.
            TooLarge: the file is too large or too entangled for an edition.
        """
        found = self._resolved(marks)
        withheld = dict.fromkeys(found.whole, redaction.ALL_MARKED)
        others = [index for index in range(len(self._pages)) if index not in found.whole]
        withheld |= dict.fromkeys(self._disputed(others), redaction.DISPUTED)
        ranges = {index: listed for index, listed in found.ranges.items() if index not in withheld}
        areas = {index: listed for index, listed in found.areas.items() if index not in withheld}
        try:
            return redaction.redact(
                self._data, self._rendered, redaction.Marked(withheld, ranges, areas, found.images, found.texts)
            )
        except TooManySteps:
            raise TooLarge(
                "this PDF is too large or too entangled for a redacted edition; split it into several files"
            ) from None
        except TooManyTexts:
            raise TooLarge("there are too many marked texts to check a redacted edition; mark whole pages") from None

    def page_image(self, number: int, scale: float = 1.0) -> bytes:
        """A PNG picture of page `number`, counted from 1, at `scale` pixels a point.

        Raises:
            UnknownPlace: there is no such page.
            TooLarge: it would have more pixels than a picture may.
        """
        return png(self._rendered.picture(self._index(number), scale, annotations=True))

    @property
    def pages(self) -> int:
        """The number of pages that can be shown."""
        return self._rendered.pages

    def page_boxes(self, number: int) -> tuple[str, list[Box]]:
        """The text of the unit "page/`number`", and the box of each character on the page.

        Raises:
            UnknownPlace: there is no such page.
        """
        return self._rendered.boxes(self._index(number))

    def page_size(self, number: int) -> tuple[float, float]:
        """Width and height of a page as it is shown, in points.

        Raises:
            UnknownPlace: there is no such page.
        """
        return self._rendered.size(self._index(number))

    def _index(self, number: int) -> int:
        if not 1 <= number <= self._rendered.pages:
            raise UnknownPlace(f"page/{number}", f"the file has {self._rendered.pages} pages")
        return number - 1

    @cached_property
    def _pages(self) -> list[pikepdf.Object]:
        return [page.obj for page in self._pdf.pages]

    @cached_property
    def _images(self) -> list[list[Stream]]:
        """Those of each page."""
        return [images(page) for page in self._pages]

    @cached_property
    def _texts(self) -> list[str]:
        texts: list[str] = []
        left = MAX_TEXT
        for index in range(self._rendered.pages):
            texts.append(self._rendered.text(index))
            left -= len(texts[-1])
            if left < 0:
                raise TooLarge(f"this PDF has more than {MAX_TEXT:,} characters; split it into several files")
        return texts

    def _text(self, index: int) -> str:
        """Empty for a page that qpdf sees and pdfium does not."""
        return self._texts[index] if index < len(self._texts) else ""

    def _layer_text(self, index: int, layers: frozenset[str]) -> str:
        """The text of a page on layers that are off: its own, and that of the forms that it draws."""
        said = [self._rendered.hidden_layer_text(index, layers)]
        for alone in forms_alone(self._pages[index], layers):
            with suppress(FormatError):
                said.append(RenderedPdf(alone).text(0))
        return "\n".join(filter(None, said))

    @cached_property
    def _images_with_metadata(self) -> "dict[str, _ImageWithMetadata]":
        """JPEG pictures with metadata, by the first address that lists each."""
        found: dict[str, _ImageWithMetadata] = {}
        first: dict[ObjGen, str] = {}
        left = MAX_PICTURES
        for index, listed in enumerate(self._images):
            for number, image in enumerate(listed, 1):
                address = first.setdefault(image.objgen, f"page/{index + 1}/image/{number}")
                if address in found:
                    found[address].pages.add(index)
                elif address == f"page/{index + 1}/image/{number}" and left > 0:
                    data = jpeg_in(image)
                    if data is None:
                        continue
                    left -= len(data) or MAX_UNPACKED
                    if hidden := metadata_summary(data):
                        found[address] = _ImageWithMetadata(hidden, image.objgen, {index})
        return found

    @cached_property
    def _hidden(self) -> dict[str, str]:
        """Text by address of every unit that is not a current page."""
        return {unit.address: unit.text for unit in self.units() if unit.kind != "page" or unit.hidden}

    def _resolved(self, marks: Sequence[Mark]) -> "_Marked":
        pages: set[int] = set()
        whole: set[int] = set()
        ranges: dict[int, list[tuple[int, int]]] = {}
        texts: set[str] = set()
        keys: set[ObjGen] = set()
        areas: dict[int, list[Box]] = {}
        for mark in marks:
            named = _PAGE.fullmatch(mark.address)
            if on_page := marked_area(mark):
                index = on_page[0] - 1
                if index >= min(len(self._pages), self._rendered.pages):
                    raise UnknownPlace(mark.address, "this PDF has no such page")
                width, height = self._rendered.size(index)
                check_area(mark, on_page[1], math.ceil(width), math.ceil(height), "points")
                areas.setdefault(index, []).append(Box(*on_page[1]))
                pages.add(index)
                continue
            if named is None or int(named[1]) > len(self._pages):
                # Read on demand, since earlier revisions take as long as the file itself.
                text = self._hidden.get(mark.address)
                if text is None:
                    raise UnknownPlace(mark.address, "this PDF has no such address")
                start, end = characters(mark, len(text))
                texts.add(text[start:end])
                if hidden_on := _ON_PAGE.fullmatch(mark.address):
                    pages.add(int(hidden_on[1]) - 1)
                    whole.add(int(hidden_on[1]) - 1)
                continue
            index = int(named[1]) - 1
            if named[2] is not None:
                if int(named[2]) > len(self._images[index]):
                    raise UnknownPlace(mark.address, "this page has no such image")
                characters(mark, 0)
                keys.add(self._images[index][int(named[2]) - 1].objgen)
            else:
                text = self._text(index)
                start, end = characters(mark, len(text))
                if mark.start is not None or end - start < len(text) or len(text) >= PHRASE:
                    texts.add(text[start:end])
                if mark.start is None or end - start == len(text):
                    whole.add(index)
                else:
                    ranges.setdefault(index, []).append((start, end))
            pages.add(index)
        return _Marked(pages, whole, ranges, texts, keys, areas)

    def _classified(self, marked: set[int], terms: SearchTerms) -> set[int]:
        """The pages that are marked, that show a marked text, or on which readers disagree."""
        known = marked | {index for index, text in enumerate(self._texts) if terms.in_text(text)}
        return known | {*self._disputed([index for index in range(len(self._pages)) if index not in known])}

    def _disputed(self, pages: Sequence[int]) -> dict[int, str]:
        """The text that pdfium does not find, of those of the `pages` on which readers disagree.

        Only these count towards the limits of what is followed: the size of other pages must not change the result.
        """
        found: dict[int, str] = {}
        left = Cost(MAX_INSTRUCTIONS, MAX_CONTENT)
        for index in pages:
            if min(left) < 0:
                break
            if index not in self._second:
                self._second[index] = self._second_reading.unseen(self._second_pages[index], self._text(index))
            unseen, cost = self._second[index]
            left = Cost(left.instructions - cost.instructions, left.content - cost.content)
            if unseen is not None and min(left) >= 0:
                found[index] = unseen
        return found

    @cached_property
    def _second_reading(self) -> SecondReading:
        return SecondReading(self._second_pdf)

    @cached_property
    def _second_pages(self) -> list[pikepdf.Object]:
        return [page.obj for page in self._second_pdf.pages]

    @cached_property
    def _second_pdf(self) -> pikepdf.Pdf:
        """A fresh copy, since earlier reading must not change the result."""
        return open_pdf(self._data)

    def _plain(self, marked: "_Marked", terms: SearchTerms) -> list[tuple[int, int]]:
        """The bodies that may travel plain."""
        classified = self._classified(marked.pages, terms)
        inside = self._inside
        return [] if inside is None else list(plain_bodies(self._data, inside, classified, marked.images, terms))

    @cached_property
    def _inside(self) -> Inside | None:
        return look_inside(self._data)

    def _earlier(self, now: dict[str, str]) -> Iterator[Unit]:
        """Text of earlier revisions that the current document, `now`, no longer has."""
        ends = [found.end() for found in _END_OF_FILE.finditer(self._data)][:-1]
        budget = MAX_REVISION_BYTES
        number = unread = 0
        for end in ends:
            budget -= end
            if number == MAX_REVISIONS or budget < 0:
                unread += 1
                continue
            try:
                if not opens_as_it_is(self._data[:end]):
                    continue  # not a revision: end marks also occur near the start of linearised files, and in text
                earlier = PdfReading(self._data[:end], revisions=False)
                number += 1
                for unit in earlier.units():
                    if unit.text and unit.text != now.get(unit.address):
                        yield Unit(f"revision/{number}/{unit.address}", unit.text, unit.kind, "an earlier revision")
            except FormatError:
                continue
        if unread:
            yield Unit("revision/unread", "", "revision", "earlier revisions beyond the limit, which were not read")


class _ImageWithMetadata(NamedTuple):
    hidden: str
    key: ObjGen
    pages: set[int]
    """The pages that list it."""


class _Marked(NamedTuple):
    """What marks cover."""

    pages: set[int]
    whole: set[int]
    """The pages of which everything is marked, or of which nobody knows where the marked text is."""
    ranges: dict[int, list[tuple[int, int]]]
    """Marked code points of pages."""
    texts: set[str]
    images: set[ObjGen]
    areas: dict[int, list[Box]]
    """Marked areas of pages."""
