"""The redacted edition of a PDF: a new file, page by page, with only what is not marked.

Invariant: nothing is removed from the old file; everything is copied into a new one. A page is *copied* with the
resources that its content names, without any key that is not needed for drawing. It is *redrawn*, as a picture with its
text as an invisible layer, if it shares a stream or an embedded font with a marked page, since these reveal something
of that page, or if invisible bytes follow the end of an image. A page with marked words, images or areas is *barred*:
redrawn without them, see `barred_pages`. Pages that are marked whole or cannot be barred safely, and pages with layers
that are off, are *withheld*, and say why. The metadata of JPEG pictures is removed. The finished file is read again,
and refused if it contains a marked text.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from io import BytesIO
from typing import Final, Literal, NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream, String

from sieve.formats.errors import RedactionFailed
from sieve.formats.marker import MARKER
from sieve.formats.pdf.barred_pages import NOT_REMOVED, NotBarred, Secrets, barred
from sieve.formats.pdf.object_graph import NOT_DRAWN, Graph, ObjGen, Reach, is_scope
from sieve.formats.pdf.opening import FAULTS, instructions, open_pdf
from sieve.formats.pdf.redrawn_pages import Redrawn, add_redrawn, add_withheld
from sieve.formats.pdf.rendering import MAX_PIXELS, Box, RenderedPdf
from sieve.formats.pdf.search_terms import SearchTerms
from sieve.formats.pdf.shown_text import NotFollowed, ShownText
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
_LOSSY: Final = frozenset(("/DCTDecode", "/DCT", "/JPXDecode"))
_MAX_NAMED: Final = 50
"""Pages that an error names."""
MAX_BARRED: Final = 30
"""Pages with bars in one edition, since each takes up to half a second on a busy machine."""
_ANY_TEXT: Final = ("/Font",)
"""What something without resources of its own may draw with."""
_SHOWS_TEXT: Final = "Tj TJ ' \""
ALL_MARKED: Final = "All of it is classified."
DISPUTED: Final = "Programs do not agree on its text."
NOT_READ: Final = "It cannot be read with certainty."
TOO_MANY: Final = "Too many pages have classified words."
HAS_LAYERS: Final = "It has layers that not every reader sees."


class Marked(NamedTuple):
    """What an edition leaves out. Pages count from 0."""

    withheld: Mapping[int, str]
    """Pages that are left out, with the reason."""
    ranges: Mapping[int, Sequence[tuple[int, int]]]
    """Marked code points of the texts of other pages."""
    areas: Mapping[int, Sequence[Box]]
    """Marked areas of these."""
    images: Set[ObjGen]
    """Marked images, on whatever page."""
    texts: set[str]
    """Marked texts, which no page may show."""


def redact(data: bytes, rendered: RenderedPdf, marked: Marked) -> bytes:
    """The edition of the PDF `data` without what is `marked`.

    Raises:
        RedactionFailed: a marked text would still be in it.
        TooManySteps: the PDF is too entangled.
        TooManyTexts: there are too many texts to look for.
    """
    terms = SearchTerms(marked.texts - {MARKER}, LEAST_TEXT)  # bars have the marker as their text
    closed = marked.withheld.keys() | marked.ranges.keys() | marked.areas.keys()
    telling = [
        index
        for index in range(rendered.pages)
        if terms and index not in closed and terms.in_text(rendered.text(index))
    ]
    if telling:
        which = "this page shows" if len(telling) == 1 else "these pages show"
        complaint = f"{which} a text that is marked elsewhere; mark it there, too"
        raise RedactionFailed(f"{_named(telling)}: {complaint}")
    with open_pdf(data) as source, pikepdf.new() as edition:
        try:
            _copy_pages(source, edition, rendered, marked, terms)
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


def _copy_pages(
    source: pikepdf.Pdf, edition: pikepdf.Pdf, rendered: RenderedPdf, marked: Marked, terms: SearchTerms
) -> None:
    graph = Graph(source)
    drawn = [graph.drawn(page) for page in graph.pages]
    images = [marked.images & reach.objects for reach in drawn]
    in_part = marked.ranges.keys() | marked.areas.keys() | {index for index, each in enumerate(images) if each}
    secret = Reach()
    for index, page in enumerate(graph.pages):
        if index in marked.withheld or index in in_part:
            secret.add(drawn[index])
            secret.add(graph.beside(page))
    shared = {key for key in secret.objects if isinstance(source.get_object(key), Stream)}
    tailed = {key for key in set().union(*(reach.objects for reach in drawn)) if _has_tail(source.get_object(key))}
    doubtful = bool(source.get_warnings()) or rendered.pages != len(graph.pages)
    ways: list[_Way] = []
    barred_pages = 0
    for index in range(rendered.pages):
        if index >= len(graph.pages):
            ways.append(_Way("withheld", NOT_READ))
        elif index in marked.withheld:
            ways.append(_Way("withheld", marked.withheld[index]))
        elif drawn[index].hides:
            ways.append(_Way("withheld", HAS_LAYERS))
        elif index in in_part:
            barred_pages += 1
            if barred_pages > MAX_BARRED:
                ways.append(_Way("withheld", TOO_MANY))
            elif _draws_elsewhere(graph, source, graph.pages[index], drawn[index], images[index]) or (
                index in marked.areas and _has_coarse_mask(source, drawn[index])
            ):
                ways.append(_Way("withheld", NOT_REMOVED))
            else:
                ways.append(_Way("barred"))
        else:
            shares = not drawn[index].objects.isdisjoint(shared) or not drawn[index].shaped.isdisjoint(secret.shaped)
            tails = not drawn[index].objects.isdisjoint(tailed)
            redrawn = shares or tails or doubtful or graph.borrows(drawn[index].objects)
            ways.append(_Way("redrawn" if redrawn else "copied"))
    copied = [index for index, way in enumerate(ways) if way.name == "copied"]
    for index in copied:
        _reduce(source, graph, graph.pages[index], drawn[index])
    for key in set().union(*(drawn[index].objects for index in copied)):
        if isinstance(item := source.get_object(key), Stream):
            strip_metadata(item)
    for index, way in enumerate(ways):
        match way.name:
            case "copied":
                edition.pages.append(pikepdf.Page(graph.pages[index]))
            case "redrawn":
                picture = rendered.picture(index, _scale(rendered, index), annotations=False)
                add_redrawn(edition, Redrawn(rendered.size(index), picture, (), (), *rendered.boxes(index)))
            case "barred":
                contents = {bytes(source.get_object(key).read_raw_bytes()) for key in images[index]}
                areas = marked.areas.get(index, ())
                with_images = _images_drawn(source, drawn[index]) if areas else set()
                secrets = Secrets(marked.ranges.get(index, ()), contents, areas, with_images)
                _add_barred(edition, rendered, index, secrets, terms)
            case "withheld":
                add_withheld(edition, rendered.size(index), way.reason)


def _draws_elsewhere(graph: Graph, source: pikepdf.Pdf, page: Object, drawn: Reach, images: Set[ObjGen]) -> bool:
    """Whether `page` may show text, or one of the `images`, where pdfium does not find them: in a pattern, in a mask,
    in glyphs, or beyond what is followed.
    """
    reader = ShownText()
    try:
        reader.of_page(page)
    except NotFollowed:
        return True
    others = [source.get_object(key) for key in drawn.objects - reader.forms - images]
    for item in others:
        if not isinstance(item, Stream):
            continue
        if is_scope(item) and "/Font" in item.get("/Resources", _ANY_TEXT):
            return True
        is_drawn = bool(images) and (is_scope(item) or item.get("/Subtype") == Name.Image)
        if is_drawn and not images.isdisjoint(graph.drawn_from(item.objgen).objects):
            return True
    scopes = [page, *(source.get_object(key) for key in reader.forms)]
    fonts = [font for scope in scopes for font in _type3_fonts(graph, scope)]
    return any(_glyphs_show_more(graph, font, images) for font in fonts)


def _images_in(source: pikepdf.Pdf, drawn: Reach) -> list[Stream]:
    streams = [item for key in drawn.objects if isinstance(item := source.get_object(key), Stream)]
    return [item for item in streams if item.get("/Subtype") == Name.Image]


def _masks_of(image: Stream) -> list[Stream]:
    return [mask for key in ("/SMask", "/Mask") if isinstance(mask := image.get(key), Stream)]


def _images_drawn(source: pikepdf.Pdf, drawn: Reach) -> set[bytes]:
    """The encoded contents of the images, without those that are masks."""
    images = _images_in(source, drawn)
    masks = {mask.objgen for image in images for mask in _masks_of(image)}
    return {bytes(image.read_raw_bytes()) for image in images if image.objgen not in masks}


def _filters(stream: Stream) -> list[str]:
    found = stream.get("/Filter")
    return [str(each) for each in (found if isinstance(found, Array) else [found])]


def _has_coarse_mask(source: pikepdf.Pdf, drawn: Reach) -> bool:
    """Whether a mask may spread what is in an area further than its image does: it is smaller, or lossy."""
    return any(
        mask.get("/Width", 0) < image.get("/Width", 0)
        or mask.get("/Height", 0) < image.get("/Height", 0)
        or not _LOSSY.isdisjoint(_filters(mask))
        for image in _images_in(source, drawn)
        for mask in _masks_of(image)
    )


def _type3_fonts(graph: Graph, scope: Object) -> Iterator[Object]:
    for category, _, font in graph.entries(scope.get("/Resources"), None):
        if category == "/Font" and isinstance(font, Dictionary) and font.get("/Subtype") == Name.Type3:
            yield font


def _glyphs_show_more(graph: Graph, font: Object, images: Set[ObjGen]) -> bool:
    """Whether glyphs of a Type 3 font show text of other fonts, or may show one of the `images`."""
    procedures = font.get("/CharProcs")
    resources = font.get("/Resources")
    if images and (
        not isinstance(resources, Dictionary)
        or not images.isdisjoint(graph.attached({value.objgen for _, _, value in graph.entries(resources, None)}))
    ):
        return True
    try:
        glyphs = procedures.values() if isinstance(procedures, Dictionary) else ()
        return any(True for glyph in glyphs for _ in instructions(glyph, _SHOWS_TEXT))
    except FAULTS:
        return True


class _Way(NamedTuple):
    """How a page gets into the edition, and why it does not."""

    name: Literal["copied", "redrawn", "barred", "withheld"]
    reason: str = ""


def _add_barred(
    edition: pikepdf.Pdf,
    rendered: RenderedPdf,
    index: int,
    secrets: Secrets,
    terms: SearchTerms,
) -> None:
    """Adds the page with bars, or the reason why it is withheld."""
    try:
        page = barred(rendered, index, secrets, terms, _scale(rendered, index))
    except NotBarred as reason:
        add_withheld(edition, rendered.size(index), str(reason))
    else:
        add_redrawn(edition, page)


def _scale(rendered: RenderedPdf, index: int) -> float:
    width, height = rendered.size(index)
    # A little below the limit, since both sides are rounded up.
    return min(_REDRAWN_SCALE, math.sqrt(0.9 * MAX_PIXELS / (width * height)))


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


def _check(edition: bytes, pages: int, terms: SearchTerms) -> None:
    """Reads the edition again, everything in it.

    Raises:
        RedactionFailed: it is incomplete, or contains a marked text.
    """
    rendered = RenderedPdf(edition)
    leaks: set[ObjGen] = set()
    telling: set[int] = set()
    try:
        with open_pdf(edition) as pdf:
            whole = rendered.pages == len(pdf.pages) == pages and not pdf.get_warnings()
            alone = set(pdf.Root.keys()) <= {"/Type", "/Pages"} and "/Info" not in pdf.trailer
            leaks = {item.objgen for item in pdf.objects if terms and _contains(item, terms)}
            if leaks:
                graph = Graph(pdf)
                telling = {index for index, page in enumerate(pdf.pages) if graph.attached([page.obj.objgen]) & leaks}
    except FAULTS:
        whole = alone = False
    if not whole or not alone:
        raise RedactionFailed(
            "the redacted edition of this PDF could not be read again; save the PDF again in its program"
        )
    telling |= {index for index in range(pages) if terms and terms.in_text(rendered.text(index))}
    if leaks or telling:
        which = "these pages draw" if len(telling) > 1 else "this page draws"
        raise RedactionFailed(
            f"{_named(telling)}: {which} with something that contains a marked text, without showing it; mark "
            f"{'these pages' if len(telling) > 1 else 'this page'}, too"
        )


def _named(pages: Iterable[int]) -> str:
    """The addresses of the first of `pages`, which count from 0."""
    return ", ".join(f"page/{index + 1}" for index in sorted(pages)[:_MAX_NAMED])


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
