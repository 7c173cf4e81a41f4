"""The redacted edition of a PDF: a new file, page by page, with only what the unmarked pages show.

Invariant: nothing is removed from the old file; everything is copied into a new one. A page is *copied* with the
resources that its content names, without any key that is not needed for drawing. It is *redrawn*, as a picture with its
text as an invisible layer, if it shares a stream or an embedded font with a marked page, since these reveal something
of that page, or if invisible bytes follow the end of an image. Marked pages, and pages with layers that are off, are
*withheld*. The metadata of JPEG pictures is removed. The finished file is read again, and refused if it contains a
marked text.
"""

import zlib
from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream, String

from sieve.formats.errors import RedactionFailed
from sieve.formats.pdf.object_graph import NOT_DRAWN, Graph, Reach, is_scope
from sieve.formats.pdf.opening import FAULTS, open_pdf
from sieve.formats.pdf.rendering import MAX_PIXELS, Box, RenderedPdf
from sieve.formats.pdf.search_terms import SearchTerms
from sieve.formats.pdf.stream_bodies import has_tail, strip_metadata

LEAST_TEXT: Final = 3
"""Bytes of a marked text that is searched for. Shorter ones occur everywhere."""

_REDRAWN_SCALE: Final = 150 / 72
_PAGE_KEYS: Final = ("/MediaBox", "/CropBox", "/Rotate", "/UserUnit", "/Group")
_STREAM_KEYS: Final = frozenset({"/Type", "/Subtype", "/Filter", "/DecodeParms", "/Length"})
_IMAGE_KEYS: Final = _STREAM_KEYS | {
    *("/Width", "/Height", "/ColorSpace", "/BitsPerComponent", "/ImageMask", "/Mask", "/SMask", "/SMaskInData"),
    *("/Decode", "/Interpolate", "/Intent", "/Matte"),
}
_FORM_KEYS: Final = _STREAM_KEYS | {"/FormType", "/BBox", "/Matrix", "/Resources", "/Group"}
_MAX_NAMED: Final = 50
"""Pages that an error names."""
WITHHELD: Final = "This page is withheld."


def redact(data: bytes, rendered: RenderedPdf, withheld: set[int], texts: set[str]) -> bytes:
    """The edition of the PDF `data` without the pages `withheld`, and without the marked `texts`.

    Raises:
        RedactionFailed: a marked text would still be in it.
        TooManySteps: the PDF is too entangled.
        TooManyTexts: there are too many texts to look for.
    """
    terms = SearchTerms(texts, LEAST_TEXT)
    telling = [
        f"page/{index + 1}"
        for index in range(rendered.pages)
        if terms and index not in withheld and terms.in_text(rendered.text(index))
    ]
    if telling:
        which = "this page shows" if len(telling) == 1 else "these pages show"
        complaint = f"{which} a text that is marked elsewhere; mark it there, too"
        raise RedactionFailed(f"{', '.join(telling[:_MAX_NAMED])}: {complaint}")
    with open_pdf(data) as source, pikepdf.new() as edition:
        try:
            _copy_pages(source, edition, rendered, withheld)
            written = BytesIO()
            edition.save(
                written,
                deterministic_id=True,
                preserve_pdfa=False,
                fix_metadata_version=False,
                recompress_flate=True,
                stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
                object_stream_mode=pikepdf.ObjectStreamMode.generate,
            )
        except FAULTS:
            raise RedactionFailed(
                "a redacted edition of this PDF cannot be made: it is damaged; save it again"
            ) from None
    _check(written.getvalue(), rendered.pages, terms)
    return written.getvalue()


def _copy_pages(source: pikepdf.Pdf, edition: pikepdf.Pdf, rendered: RenderedPdf, withheld: set[int]) -> None:
    graph = Graph(source)
    drawn = [graph.drawn(page) for page in graph.pages]
    secret = Reach()
    for index in withheld:
        secret.add(drawn[index])
        secret.add(graph.beside(graph.pages[index]))
    shared = {key for key in secret.objects if isinstance(source.get_object(key), Stream)}
    tailed = {key for key in set().union(*(reach.objects for reach in drawn)) if _has_tail(source.get_object(key))}
    doubtful = bool(source.get_warnings()) or rendered.pages != len(graph.pages)
    ways = ["withheld"] * rendered.pages
    for index in range(min(rendered.pages, len(graph.pages))):
        if index in withheld or drawn[index].hides:
            continue
        shares = not drawn[index].objects.isdisjoint(shared) or not drawn[index].shaped.isdisjoint(secret.shaped)
        tails = not drawn[index].objects.isdisjoint(tailed)
        redrawn = shares or tails or doubtful or graph.borrows(drawn[index].objects)
        ways[index] = "redrawn" if redrawn else "copied"
    copied = [index for index, way in enumerate(ways) if way == "copied"]
    for index in copied:
        _reduce(source, graph, graph.pages[index], drawn[index])
    for key in set().union(*(drawn[index].objects for index in copied)):
        if isinstance(item := source.get_object(key), Stream):
            strip_metadata(item)
    for index, way in enumerate(ways):
        if way == "copied":
            edition.pages.append(pikepdf.Page(graph.pages[index]))
        elif way == "redrawn":
            _redraw(edition, rendered, index)
        else:
            _withhold(edition, rendered, index)


def _has_tail(item: Object) -> bool:
    return isinstance(item, Stream) and has_tail(item)


def _reduce(source: pikepdf.Pdf, graph: Graph, page: Object, drawn: Reach) -> None:
    """Reduces `page`, and what it draws with, to what is needed for drawing."""
    contents = page.get("/Contents")
    said = graph.names_of(contents)
    resources = _chosen(graph, page.get("/Resources"), said)
    for key in list(page.keys()):
        if key not in ("/Type", "/Parent", "/Contents", *_PAGE_KEYS):
            del page[key]
    page["/Resources"] = resources
    for number in sorted(drawn.objects):
        _reduce_object(graph, source.get_object(number))
    _reduce_object(graph, resources)
    if isinstance(page.get("/Group"), Dictionary):
        _reduce_object(graph, page["/Group"])


def _reduce_object(graph: Graph, item: Object) -> None:
    waiting: list[object] = [item]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Array):
            waiting.extend(child for child in value if isinstance(child, (Array, Dictionary)) and not child.is_indirect)
            continue
        if not isinstance(value, (Dictionary, Stream)):
            continue
        subtype = value.get("/Subtype") if isinstance(value, Stream) else None
        allowed = _IMAGE_KEYS if subtype == Name.Image else _FORM_KEYS if subtype == Name.Form else None
        for key in list(value.keys()):
            if key in NOT_DRAWN or key == "/Properties" or (allowed is not None and key not in allowed):
                del value[key]
        if is_scope(value) and isinstance(value.get("/Resources"), Dictionary):
            value["/Resources"] = _chosen(graph, value["/Resources"], graph.names_in(value))
        waiting.extend(
            child for _, child in value.items() if isinstance(child, (Array, Dictionary)) and not child.is_indirect
        )


def _chosen(graph: Graph, resources: object, names: frozenset[str] | None) -> Dictionary:
    """The entries of `resources` with these names, without layers, since everything that is copied is visible."""
    chosen = Dictionary()
    for category, name, value in graph.entries(resources, names):
        if category == "/Properties":
            continue
        if category not in chosen:
            chosen[category] = Dictionary()
        chosen[category][name] = value
    return chosen


def _withhold(edition: pikepdf.Pdf, rendered: RenderedPdf, index: int) -> None:
    width, height = rendered.size(index)
    size = max(4.0, min(18.0, width / 16))
    left = (width - size * 0.47 * len(WITHHELD)) / 2  # 0.47: the mean width of these letters in Helvetica
    page = edition.add_blank_page(page_size=(width, height))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
    page.obj.Contents = edition.make_stream(
        f"0.93 g 0 0 {width:.3f} {height:.3f} re f 0.4 G 1 w 6 6 {width - 12:.3f} {height - 12:.3f} re S\n"
        f"0.2 g BT /F1 {size:.2f} Tf {left:.2f} {height / 2:.2f} Td ({WITHHELD}) Tj ET\n".encode()
    )


def _redraw(edition: pikepdf.Pdf, rendered: RenderedPdf, index: int) -> None:
    width, height = rendered.size(index)
    # A little below the limit, since both sides are rounded up.
    scale = min(_REDRAWN_SCALE, (0.9 * MAX_PIXELS / (width * height)) ** 0.5)
    picture = rendered.picture(index, scale, annotations=False)
    red, green, blue = (band.tobytes() for band in picture.split())
    grey = red == green == blue
    image = edition.make_stream(
        zlib.compress(red if grey else picture.tobytes()),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=picture.width,
        Height=picture.height,
        ColorSpace=Name.DeviceGray if grey else Name.DeviceRGB,
        BitsPerComponent=8,
        Filter=Name.FlateDecode,
    )
    text, boxes = rendered.boxes(index)
    fonts, letters = _invisible_text(edition, text, boxes, height)
    page = edition.add_blank_page(page_size=(width, height))
    page.obj.Resources = Dictionary(XObject=Dictionary(Im1=image), Font=fonts)
    content = f"q {width:.3f} 0 0 {height:.3f} 0 0 cm /Im1 Do Q\n".encode() + letters
    page.obj.Contents = edition.make_stream(content)


def _invisible_text(edition: pikepdf.Pdf, text: str, boxes: list[Box], height: float) -> tuple[Dictionary, bytes]:
    """Fonts without strokes, and the text set in them, each character over its box.

    Codes follow the order of the page's own characters by code point, and so reveal nothing of other pages.
    """
    alphabet = sorted({character for character, box in zip(text, boxes, strict=True) if box.right > box.left})
    blank = edition.make_stream(b"1000 0 0 0 1000 1000 d1\n")  # without a size, some readers skip it
    fonts = Dictionary()
    for first in range(0, len(alphabet), 256):
        fonts[f"/T{first // 256}"] = _blank_font(edition, alphabet[first : first + 256], blank)
    place = {character: divmod(at, 256) for at, character in enumerate(alphabet)}
    lines = [b"BT"]
    current = -1
    for character, box in zip(text, _aligned(text, boxes), strict=True):
        if character not in place or box.right <= box.left:
            continue
        font, code = place[character]
        if font != current:
            lines.append(b"/T%d 1 Tf" % font)
            current = font
        matrix = f"{box.right - box.left:.3f} 0 0 {box.bottom - box.top:.3f} {box.left:.3f} {height - box.bottom:.3f}"
        lines.append(b"%s Tm <%02X> Tj" % (matrix.encode(), code))
    lines.append(b"ET\n")
    return fonts, b"\n".join(lines)


def _aligned(text: str, boxes: list[Box]) -> list[Box]:
    """The boxes with one top and one bottom for each line.

    PDF viewers start a new word where the size or the baseline of letters changes, and would find no words at all.
    """
    aligned = list(boxes)
    run: list[int] = []
    top = bottom = tallest = 0.0

    def level() -> None:
        for at in run:
            aligned[at] = Box(boxes[at].left, top, boxes[at].right, bottom)
        run.clear()

    for at, (character, box) in enumerate(zip(text, boxes, strict=True)):
        if box.right <= box.left:
            if character == "\n":
                level()
            continue
        height = box.bottom - box.top
        shared = min(bottom, box.bottom) - max(top, box.top)
        # On a slope each letter overlaps the next, but together they are no line.
        whole = max(bottom, box.bottom) - min(top, box.top)
        if run and (shared < 0.5 * min(bottom - top, height) or whole > 1.5 * max(tallest, height)):
            level()
        if not run:
            top, bottom, tallest = box.top, box.bottom, height
        run.append(at)
        top, bottom, tallest = min(top, box.top), max(bottom, box.bottom), max(tallest, height)
    level()
    return aligned


def _blank_font(edition: pikepdf.Pdf, alphabet: list[str], blank: Stream) -> Object:
    mapped = [b"<%02X> <%s>" % (at, one.encode("utf-16-be").hex().encode()) for at, one in enumerate(alphabet)]
    groups = [mapped[at : at + 100] for at in range(0, len(mapped), 100)]
    table = b"\n".join(b"%d beginbfchar\n%s\nendbfchar" % (len(group), b"\n".join(group)) for group in groups)
    unicode = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Blank def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n" + table + b"\nendcmap end end\n"
    )
    names = [Name(f"/g{at}") for at in range(len(alphabet))]
    return edition.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 1000, 1000]),
            FontMatrix=Array([pikepdf.Real(Decimal("0.001")), 0, 0, pikepdf.Real(Decimal("0.001")), 0, 0]),
            FirstChar=0,
            LastChar=len(alphabet) - 1,
            Widths=Array([1000] * len(alphabet)),
            CharProcs=Dictionary({str(name): blank for name in names}),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([0, *names])),
            ToUnicode=edition.make_stream(unicode),
            Resources=Dictionary(),
        )
    )


def _check(edition: bytes, pages: int, terms: SearchTerms) -> None:
    """Reads the edition again, everything in it.

    Raises:
        RedactionFailed: it is incomplete, or contains a marked text.
    """
    rendered = RenderedPdf(edition)
    try:
        with open_pdf(edition) as pdf:
            whole = rendered.pages == len(pdf.pages) == pages and not pdf.get_warnings()
            leaks = any(_contains(item, terms) for item in pdf.objects) if terms else False
            alone = set(pdf.Root.keys()) <= {"/Type", "/Pages"} and "/Info" not in pdf.trailer
    except FAULTS:
        whole = alone = leaks = False
    if not whole or not alone:
        raise RedactionFailed(
            "the redacted edition of this PDF could not be read again; save the PDF again in its program"
        )
    if leaks or any(terms.in_text(rendered.text(index)) for index in range(pages) if terms):
        raise RedactionFailed(
            "an unmarked page draws with something that contains a marked text, without showing it; mark that page, too"
        )


def _contains(item: object, terms: SearchTerms) -> bool:
    strings = not isinstance(item, Stream) or item.get("/Subtype") != Name.Image
    return any(terms.in_text(text) or terms.in_bytes(data, strings) for text, data in _values(item))


def _values(item: object) -> Iterator[tuple[str, bytes]]:
    """Each string, name and stream in an object, as text and as bytes."""
    waiting = [item]
    while waiting:
        value = waiting.pop()
        if isinstance(value, String):
            yield str(value), bytes(value)
        elif isinstance(value, Name):
            yield "", str(value).encode("utf-8", "replace")
        elif isinstance(value, Array):
            waiting.extend(child for child in value if not _elsewhere(child))
        elif isinstance(value, (Dictionary, Stream)):
            for key, child in value.items():
                yield "", key.encode("utf-8", "replace")
                if not _elsewhere(child):
                    waiting.append(child)
            if isinstance(value, Stream):
                yield "", _read(value)


def _elsewhere(child: object) -> bool:
    """Whether it is an indirect object, which is checked by itself."""
    return isinstance(child, Object) and child.is_indirect


def _read(stream: Stream) -> bytes:
    try:
        return bytes(stream.read_bytes())
    except FAULTS:
        return bytes(stream.read_raw_bytes())  # an image in an image format
