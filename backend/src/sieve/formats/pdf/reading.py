"""A PDF, read: its units, the bytes that must travel classified, and its redacted edition.

The law: only the *bodies of streams* ever travel plain, for nothing else is free of object numbers, offsets, lengths
and names that shift or tell: the plain stream is the encoded bytes of what unmarked pages draw with, one after the
other. A body is plain if an unmarked page draws with it, nothing classified does nor hangs on to it, its place in the
file is certain, it decodes to its last byte, and what it decodes to holds no marked text. Whatever is not shown to be
plain is classified: headers, dictionaries, tables, what is not understood, old revisions, all bytes between.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import ClassVar, Final, NamedTuple

import pikepdf
from pikepdf import Name, Stream

from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.errors import FormatError, TooLarge, UnknownPlace
from sieve.formats.pdf.hidden_text import StringReader, annotation_units, forms_alone, hidden_units, images
from sieve.formats.pdf.object_graph import Graph, ObjGen, Reach, TooManySteps, hidden_layers
from sieve.formats.pdf.opening import FAULTS, normalised, open_pdf, opens_as_it_is
from sieve.formats.pdf.redaction import redact
from sieve.formats.pdf.rendering import Box, RenderedPdf, png
from sieve.formats.pdf.search_terms import SearchTerms, TooManyTexts
from sieve.formats.pdf.stream_bodies import MAX_UNPACKED, Bodies, decoded, jpeg_in
from sieve.formats.pictures.metadata import metadata_summary
from sieve.formats.text_ranges import characters, everywhere, united

MAX_TEXT: Final = 100_000_000
"""Characters of all pages."""
MAX_UNPACKED_IN_ALL: Final = 2 << 30
"""Bytes that all streams together may decode to and travel plain; what comes after them is classified."""
MAX_PICTURES: Final = 512 << 20
"""Bytes of JPEG pictures, as their own format packs them, of which it is told what they say beside their pixels."""
MAX_REVISIONS: Final = 16
MAX_REVISION_BYTES: Final = 256 << 20

PHRASE: Final = 16
"""A page that is marked whole is looked for elsewhere only if its text is so long: a title page that says "Appendix"
is not the word."""

_PAGE: Final = re.compile(r"page/([1-9][0-9]{0,5})(?:/image/([1-9][0-9]{0,5}))?")
_LAYER: Final = re.compile(r"page/([0-9]+)/layer")
_END_OF_FILE: Final = re.compile(rb"%%EOF(?:\r\n|\n|\r)?")
_NOT_PLAIN: Final = frozenset({"/Metadata", "/EmbeddedFile", "/ObjStm", "/XRef"})


class PdfReading:
    """A PDF. Not for two threads at once, nor two readings in two threads: pdfium has one lock-free state a process."""

    name: ClassVar[str] = "pdf"

    def __init__(self, data: bytes, revisions: bool = True) -> None:
        """Raises FormatError, as `read_pdf` says. `revisions`: whether earlier ones are read, too."""
        self._data = data
        self._pdf = open_pdf(data)
        self._rendered = RenderedPdf(normalised(self._pdf))
        self._revisions = revisions
        self._note = self._doubt()

    @property
    def note(self) -> str:
        """Why any mark makes the whole file classified; empty if it does not."""
        return self._note

    def _doubt(self) -> str:
        if self._pdf.is_encrypted:
            return "the file is encrypted, so that all its bytes hang on one key: with any mark all of it is classified"
        if self._rendered.pages != len(self._pdf.pages):
            return "the file's pages are listed in a broken way: with any mark all of it is classified"
        if self._pdf.get_warnings():
            return "the file is damaged and was repaired to be read: with any mark all of it is classified"
        return ""

    def units(self) -> Iterator[Unit]:
        """Each page's text with what hangs on to the page, then what belongs to the whole document.

        Raises:
            TooLarge: there is more of it than may be.
        """
        said: dict[str, str] = {}
        for unit in self._current():
            said[unit.address] = unit.text
            yield unit
        if self._revisions:
            yield from self._earlier(said)

    def _current(self) -> Iterator[Unit]:
        say = StringReader()
        layers = hidden_layers(self._pdf)
        # Of earlier revisions, it is text that is told.
        told = self._telling_images if self._revisions else {}
        for index, page in enumerate(self._pages):
            address = f"page/{index + 1}"
            yield Unit(address, self._text(index), "page")
            for number in range(1, len(images(page)) + 1):
                image = f"{address}/image/{number}"
                yield Unit(image, "", "image", told[image].hidden if image in told else "")
            if layers and (text := self._layer_text(index, layers)):
                yield Unit(f"{address}/layer", text, "layer", "text on a layer that is off")
            yield from annotation_units(page, address, say)
        yield from hidden_units(self._pdf, say)

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the file that must travel classified; none without a mark.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        pages, texts = self._resolved(marks)
        if not marks:
            return Spans.EMPTY
        try:
            plain = [] if self._note else self._plain(pages, SearchTerms(texts))
        except (TooManySteps, TooManyTexts, *FAULTS):
            plain = []  # what cannot be looked through is classified
        bounds = [0, *(bound for body in united(plain) for bound in body), len(self._data)]
        return Spans.of((start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end)

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Of what hides, only the layers and pictures of pages that are not marked: the rest is in no body of a page's
        stream.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        pages, texts = self._resolved(marks)

        @cache
        def classified() -> set[int]:
            try:
                return self._classified(pages, SearchTerms(texts))
            except TooManyTexts:
                return set(range(len(self._pages)))

        def may(address: str) -> bool:
            if self._note:
                return False
            if address in self._telling_images:
                return self._telling_images[address].pages.isdisjoint(classified())
            layer = _LAYER.fullmatch(address)
            return layer is not None and int(layer[1]) - 1 not in pages

        return may

    def redacted(self, marks: Sequence[Mark]) -> bytes:
        """A new PDF with nothing of the marked pages in it, and of the others only what can be seen on them.

        Raises:
            UnknownPlace: a mark does not fit the file.
            RedactionFailed: a marked text stands on a page that is not marked, or in what it is drawn with.
            TooLarge: the file is too large or too entangled for an edition.
        """
        pages, texts = self._resolved(marks)
        try:
            return redact(self._data, self._rendered, pages, texts)
        except TooManySteps:
            raise TooLarge("this PDF is too large or too entangled for a redacted edition; split it up") from None
        except TooManyTexts:
            raise TooLarge("there are too many marked texts to check a redacted edition; mark whole pages") from None

    def page_image(self, number: int, scale: float = 1.0) -> bytes:
        """A picture of page `number`, which counts from 1, as PNG, at `scale` pixels a point.

        Raises:
            UnknownPlace: there is no such page.
            TooLarge: it would have more pixels than a picture may.
        """
        return png(self._rendered.picture(self._index(number), scale, annotations=True))

    @property
    def pages(self) -> int:
        """How many pages can be shown."""
        return self._rendered.pages

    def page_boxes(self, number: int) -> tuple[str, list[Box]]:
        """The text of the unit "page/`number`", and where each character of it stands on the page.

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
    def _texts(self) -> list[str]:
        texts: list[str] = []
        left = MAX_TEXT
        for index in range(self._rendered.pages):
            texts.append(self._rendered.text(index))
            left -= len(texts[-1])
            if left < 0:
                raise TooLarge(f"this PDF has more than {MAX_TEXT} characters; split it into several files")
        return texts

    def _text(self, index: int) -> str:
        """Empty for a page that qpdf sees and pdfium does not."""
        return self._texts[index] if index < len(self._texts) else ""

    def _layer_text(self, index: int, layers: frozenset[str]) -> str:
        """The text of a page that is on layers that are off: of its own, and of the forms that it draws."""
        said = [self._rendered.hidden_layer_text(index, layers)]
        for alone in forms_alone(self._pages[index], layers):
            with suppress(FormatError):
                said.append(RenderedPdf(alone).text(0))
        return "\n".join(filter(None, said))

    @cached_property
    def _telling_images(self) -> "dict[str, _TellingImage]":
        """JPEG pictures that say something beside their pixels, by the first place where each is listed."""
        told: dict[str, _TellingImage] = {}
        first: dict[ObjGen, str] = {}
        left = MAX_PICTURES
        for index, page in enumerate(self._pages):
            for number, image in enumerate(images(page), 1):
                address = first.setdefault(image.objgen, f"page/{index + 1}/image/{number}")
                if address in told:
                    told[address].pages.add(index)
                elif address == f"page/{index + 1}/image/{number}" and left > 0:
                    data = jpeg_in(image)
                    if data is None:
                        continue
                    left -= len(data) or MAX_UNPACKED
                    if hidden := metadata_summary(data):
                        told[address] = _TellingImage(hidden, {index})
        return told

    @cached_property
    def _hidden(self) -> dict[str, str]:
        """Text by address, of every unit that is no page of today."""
        return {unit.address: unit.text for unit in self.units() if unit.kind != "page" or unit.hidden}

    def _resolved(self, marks: Sequence[Mark]) -> tuple[set[int], set[str]]:
        """The pages that are classified, and the texts that are marked."""
        pages: set[int] = set()
        texts: set[str] = set()
        for mark in marks:
            named = _PAGE.fullmatch(mark.address)
            if named is None or int(named[1]) > len(self._pages):
                # Read only when asked for: earlier revisions take as long as the file itself.
                text = self._hidden.get(mark.address)
                if text is None:
                    raise UnknownPlace(mark.address, "this PDF has no such place")
                start, end = characters(mark, len(text))
                texts.add(text[start:end])
                if layer := _LAYER.fullmatch(mark.address):
                    pages.add(int(layer[1]) - 1)
                continue
            index = int(named[1]) - 1
            if named[2] is not None:
                if int(named[2]) > len(images(self._pages[index])):
                    raise UnknownPlace(mark.address, "this page has no such image")
                characters(mark, 0)
            else:
                text = self._text(index)
                start, end = characters(mark, len(text))
                if end - start < len(text) or len(text) >= PHRASE:
                    texts.add(text[start:end])
            pages.add(index)
        return pages, texts

    def _classified(self, marked: set[int], terms: SearchTerms) -> set[int]:
        """The pages that are marked, or show what is."""
        return marked | {index for index, text in enumerate(self._texts) if terms.in_text(text)}

    def _plain(self, classified: set[int], terms: SearchTerms) -> list[tuple[int, int]]:
        """The bodies that may travel plain."""
        classified = self._classified(classified, terms)
        inside = self._inside
        if inside is None:
            return []
        kept = Reach()
        kept.add(inside.beside)
        for index in classified:
            kept.add(inside.drawn[index])
        candidates: dict[ObjGen, bool] = {}
        for index in set(range(len(inside.drawn))) - classified:
            # Codes and glyphs of a font of which a classified page uses a part tell which letters it has.
            pictures_only = not inside.drawn[index].coded.isdisjoint(kept.coded)
            for key in inside.drawn[index].objects - kept.objects:
                candidates[key] = candidates.get(key, False) or pictures_only
        return list(self._proven(inside.pdf, candidates, terms))

    def _proven(
        self, pdf: pikepdf.Pdf, candidates: dict[ObjGen, bool], terms: SearchTerms
    ) -> Iterator[tuple[int, int]]:
        bodies = Bodies(self._data, pdf)
        left = MAX_UNPACKED_IN_ALL
        for key in sorted(candidates):
            stream = pdf.get_object(key)
            if not isinstance(stream, Stream) or str(stream.get("/Type", "")) in _NOT_PLAIN:
                continue
            if candidates[key] and stream.get("/Subtype") != Name.Image:
                continue
            try:
                encoded = stream.read_raw_bytes()
            except FAULTS:
                continue
            body = bodies.find(key, encoded)
            if body is None:
                continue
            unpacked = decoded(stream, encoded)
            if unpacked is None:
                continue
            left -= len(unpacked)
            if left < 0:
                return
            strings = stream.get("/Subtype") != Name.Image
            if not terms.in_bytes(unpacked, strings) and not terms.in_bytes(encoded, strings=False):
                yield body

    @cached_property
    def _inside(self) -> "_Inside | None":
        """How the objects hang together; None if something that was met on the way is damaged.

        From a copy that nobody has read in: what was read before must not change what is found.
        """
        pdf = open_pdf(self._data)
        graph = Graph(pdf)
        drawn = [graph.drawn(page) for page in graph.pages]
        beside = graph.document()
        for page in graph.pages:
            beside.add(graph.beside(page))
        return None if pdf.get_warnings() else _Inside(pdf, drawn, beside)

    def _earlier(self, now: dict[str, str]) -> Iterator[Unit]:
        """What earlier revisions say that the document, `now`, no longer does."""
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
                    continue  # no revision: a linearised file has an end mark near its beginning, and any text may
                earlier = PdfReading(self._data[:end], revisions=False)
                number += 1
                for unit in earlier.units():
                    if unit.text and unit.text != now.get(unit.address):
                        yield Unit(f"revision/{number}/{unit.address}", unit.text, unit.kind, "an earlier revision")
            except FormatError:
                continue
        if unread:
            yield Unit("revision/unread", "", "revision", "earlier revisions that were too many to be read")


class _TellingImage(NamedTuple):
    hidden: str
    pages: set[int]
    """On which it is listed."""


class _Inside(NamedTuple):
    pdf: pikepdf.Pdf
    drawn: list[Reach]
    """What each page draws with."""
    beside: Reach
    """What hangs on to anything else."""


def read_pdf(data: bytes) -> PdfReading:
    """The PDF `data`.

    Raises:
        Protected: it needs a password.
        Damaged: it is no PDF, or beyond repair.
        TooLarge: it has too many objects, pages or characters.
    """
    return PdfReading(data)
