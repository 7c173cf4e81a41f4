"""Which bodies of a PDF's streams may travel plain, if some of its pages are classified.

Invariant: a body is plain only if it follows from the plain pages alone. It is what a plain page draws with; no
annotation, form or thumbnail depends on it; its position in the file is certain; it decodes to its last byte, and the
decoded bytes contain no marked text. Of what a plain page shares with a classified one, only this is plain:

- an image, a form or a colour profile that an *earlier* plain page draws with: its bytes do not depend on who else uses
  it, and neither does its place in the file;
- the drawing instructions of a page that shares a font, if every code that it shows follows from the plain pages (see
  `font_codes`).

The parts of a font that a classified page draws with are never plain, even if plain pages show all its letters: if they
travelled plain, that would say that the marked text has no other letters.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Name, Object, Stream

from sieve.formats.pdf.body_order import follows_names
from sieve.formats.pdf.font_codes import FontCodes, SafeCodes, Shown
from sieve.formats.pdf.object_graph import Graph, ObjGen, Reach, is_scope
from sieve.formats.pdf.opening import FAULTS, open_pdf
from sieve.formats.pdf.producers import Producer
from sieve.formats.pdf.search_terms import SearchTerms
from sieve.formats.pdf.shown_text import ResourceName
from sieve.formats.pdf.stream_bodies import Bodies, decoded

MAX_UNPACKED_IN_ALL: Final = 2 << 30
"""Decoded bytes of all streams that may travel plain; further streams are classified."""

_NOT_PLAIN: Final = frozenset({"/Metadata", "/EmbeddedFile", "/ObjStm", "/XRef"})
_PROFILE_MARK: Final = slice(36, 40)
_LETTER_PIXELS: Final = 160
"""Width and height of a picture that may be a letter."""
_LETTER_BYTES: Final = 8 << 10
"""Unpacked size of a form that may be a letter."""
_UNCOUNTED: Final = re.compile(r"/(?:\D{5,}|.*[0-9a-f]{32}.*)|/.*[+-]\d+")
"""Names that say nothing of the rest of the document: words, digests, and those of parts of fonts, which reportlab and
cairo count by themselves."""
_WITH_CONTENT: Final = frozenset({"/Pattern", "/ExtGState"})
"""Categories of what may draw by further names."""


class Inside(NamedTuple):
    """What pages and document refer to."""

    pdf: pikepdf.Pdf
    graph: Graph
    drawn: list[Reach]
    """What each page draws with."""
    beside: Reach
    """What is attached to anything else."""
    codes: FontCodes


def look_inside(data: bytes) -> Inside | None:
    """None if anything on the way is damaged.

    From a fresh copy, since earlier reading must not change the result.

    Raises:
        TooManySteps: there are too many objects.
    """
    pdf = open_pdf(data)
    producer = Producer(data, pdf)
    graph = Graph(pdf)
    drawn = [graph.drawn(page) for page in graph.pages]
    beside = graph.document()
    for page in graph.pages:
        beside.add(graph.beside(page))
    codes = FontCodes(pdf, producer, graph, drawn)
    return None if pdf.get_warnings() else Inside(pdf, graph, drawn, beside, codes)


def plain_bodies(
    data: bytes, inside: Inside, classified: set[int], images: set[ObjGen], terms: SearchTerms
) -> Iterator[tuple[int, int]]:
    """The bodies that may travel plain. `images`: those that are marked.

    Raises:
        TooManySteps: there are too many objects.
    """
    pictures = {bytes(inside.pdf.get_object(key).read_raw_bytes()) for key in images}
    return _proven(data, inside.pdf, _candidates(inside, classified, images), terms, pictures)


def _candidates(inside: Inside, classified: set[int], images: set[ObjGen]) -> dict[ObjGen, bool]:
    """What plain pages draw with, and whether it may only be plain as an image."""
    graph, drawn = inside.graph, inside.drawn
    plain = [page for page in range(len(drawn)) if page not in classified]
    first = min(classified, default=len(drawn))
    order_in_doubt = follows_names(inside.pdf, [graph.pages[page] for page in classified])
    if order_in_doubt and not inside.pdf.is_linearized:
        return {}
    kept = Reach()
    kept.add(inside.beside)
    font_parts = graph.font_parts()
    safe = SafeCodes(inside.codes, plain, first)
    seen: set[ObjGen] = set()
    before: set[ObjGen] = set()
    for page, reach in enumerate(drawn):
        if page in classified:
            shared = {key for key in reach.objects & seen - font_parts if _is_the_same_for_all(inside.pdf, key)}
            kept.add(reach)
            if not order_in_doubt:
                kept.objects -= shared - inside.beside.objects
        else:
            seen |= _surely_drawn(inside, safe.pages[page]) - kept.objects
            if page < first:
                before |= seen
    # Another text may need a part of the same font that only plain pages draw with now.
    secret = kept.objects | graph.attached(images)
    secret |= graph.attached(font for font, family in graph.families.items() if family in kept.shaped)
    if not graph.direct_families.isdisjoint(kept.shaped):
        secret |= font_parts
    secret |= graph.font_tables
    known = set[ResourceName]().union(*(shown.names for page in range(first) if (shown := safe.pages[page])))
    candidates: dict[ObjGen, bool] = {}
    for page in plain:
        # Codes of a font of which a classified page may use a part can reveal which letters it has.
        coded = inside.codes.families_to_prove(drawn[page], kept.shaped)
        is_safe = not coded or safe.cover(page, coded)
        if page > first and not inside.codes.names_follow_fonts(kept.shaped):
            is_safe = is_safe and _are_known(inside.pdf, safe.pages[page], known)
        for key in drawn[page].objects - secret:
            candidates[key] = candidates.get(key, False) or not is_safe
    return {key: only for key, only in candidates.items() if key in before or not _may_be_letter(inside.pdf, key)}


def _are_known(pdf: pikepdf.Pdf, shown: Shown | None, known: set[ResourceName]) -> bool:
    """Whether the names by which a page draws say nothing of classified pages before it.

    Programs count fonts and pictures, or name them by the numbers of their objects. Another text may need another part
    of a font, or more objects, and what follows gets other names.
    """
    return shown is not None and all(
        name.name and (name in known or (_UNCOUNTED.fullmatch(name.name) and not _may_name_more(pdf, name)))
        for name in shown.names
    )


def _may_name_more(pdf: pikepdf.Pdf, name: ResourceName) -> bool:
    """Whether it stands for something that may draw by further names, which nobody reads here: in patterns, masks and
    glyphs of Type 3 fonts."""
    if name.category != "/Font":
        return name.category in _WITH_CONTENT
    if isinstance(name.value, bytes):
        return b"/Type3" in name.value
    font = pdf.get_object(name.value)
    return font.get("/Subtype") == Name.Type3 and "/Resources" in font


def _may_be_letter(pdf: pikepdf.Pdf, key: ObjGen) -> bool:
    """Whether a program may have drawn a letter with it, such as an emoji: another text would not draw with it."""
    item = pdf.get_object(key)
    if not isinstance(item, Stream):
        return False
    if item.get("/Subtype") == Name.Image:
        sides: list[object] = [item.get("/Width"), item.get("/Height")]
        return all(isinstance(side, int) and side <= _LETTER_PIXELS for side in sides)
    try:
        return item.get("/Subtype") == Name.Form and len(item.read_bytes()) <= _LETTER_BYTES
    except FAULTS:
        return True


def _surely_drawn(inside: Inside, shown: Shown | None) -> set[ObjGen]:
    """Images, with their masks and colours, forms and colour spaces that a page needs.

    What it draws with is found by names, and may be too much: a name may only be listed, or part of a text.
    """
    keys = shown.drawn - {(0, 0)} if shown else set()
    forms = {key for key in keys if is_scope(inside.pdf.get_object(key))}
    return forms | inside.graph.attached(keys - forms)


def _is_the_same_for_all(pdf: pikepdf.Pdf, key: ObjGen) -> bool:
    """Whether the bytes of an object do not depend on the pages that draw with it."""
    item = pdf.get_object(key)
    if not isinstance(item, Stream):
        return False
    return item.get("/Subtype") in (Name.Image, Name.Form) or _is_profile(item)


def _is_profile(item: Object) -> bool:
    """Whether it is an ICC profile from its first byte to its last."""
    if "/N" not in item or "/Type" in item:
        return False
    try:
        profile = bytes(item.read_bytes())
    except FAULTS:
        return False
    return profile[_PROFILE_MARK] == b"acsp" and int.from_bytes(profile[:4], "big") == len(profile)


def _proven(
    data: bytes, pdf: pikepdf.Pdf, candidates: dict[ObjGen, bool], terms: SearchTerms, pictures: set[bytes]
) -> Iterator[tuple[int, int]]:
    """The candidates whose position and content are certain, and that are no copy of a marked text or picture."""
    bodies = Bodies(data, pdf)
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
        if body is None or encoded in pictures:
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
