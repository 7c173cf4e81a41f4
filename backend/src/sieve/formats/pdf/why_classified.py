"""The kinds of content of a PDF that travel classified, as its author reads them."""

from collections.abc import Sequence
from typing import Final

from pikepdf import Name, Stream

from sieve.core.sentence import Sentence
from sieve.formats.pdf.body_order import follows_names
from sieve.formats.pdf.object_graph import Graph, ObjGen
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.plain_bodies import Inside
from sieve.formats.pdf.stream_bodies import Bodies
from sieve.formats.why_classified import Classified, Tally

ENCRYPTED: Final = Sentence(
    "why-pdf-encrypted", "the file is encrypted with one key for all its bytes, so any mark classifies the whole file"
)
PAGES_DAMAGED: Final = Sentence(
    "why-pdf-pages-damaged", "the list of the file's pages is damaged, so any mark classifies the whole file"
)
REPAIRED: Final = Sentence(
    "why-pdf-repaired", "the file is damaged and had to be repaired, so any mark classifies the whole file"
)
ENTANGLED: Final = Sentence(
    "why-pdf-entangled", "the file is too large or too entangled to be followed, so these marks classify the whole file"
)
FONTS: Final = Sentence("why-pdf-fonts", "Fonts of marked pages, since their letters may be those of the secret")
TABLES: Final = Sentence("why-pdf-tables", "Tables of other fonts")
MARKED: Final = Sentence("why-pdf-marked", "Pages with a mark, or that show a marked text")
PICTURES: Final = Sentence("why-pdf-pictures", "Pictures on pages with a mark")
PAGES: Final = Sentence("why-pdf-pages", "Pages that share fonts with a marked page and may reveal its letters")
UNSURE: Final = Sentence(
    "why-pdf-unsure", "Pictures and drawings that may be letters, or that the gateway cannot check"
)
ORDER: Final = Sentence(
    "why-pdf-order",
    "the order of the file follows the names of its headings, and one leads to a marked page, so the whole file is "
    "classified",
)
REST: Final = Sentence(
    "why-pdf-rest", "What is beside the pages: structure, properties, links, forms, numbers of objects"
)


def why_classified(
    data: bytes, inside: Inside, classified: set[int], plain: Sequence[tuple[int, int]]
) -> list[Classified]:
    """What is classified if the pages `classified` are, and the bodies `plain` are not.

    Raises:
        TooManySteps: there are too many objects.
    """
    size = len(data) - sum(end - start for start, end in plain)
    if not inside.pdf.is_linearized and follows_names(inside.pdf, [inside.graph.pages[page] for page in classified]):
        return Tally().ranked(size, ORDER)
    drawn_by = _drawn_by(inside, classified)
    secret_fonts, other_fonts = _fonts(inside.graph, _families(inside, classified))
    bodies, known = Bodies(data, inside.pdf), set(plain)
    tally = Tally()
    for item in inside.pdf.objects:
        if not isinstance(item, Stream):
            continue
        key = item.objgen
        try:
            encoded = item.read_raw_bytes()
        except FAULTS:
            continue
        if bodies.find(key, encoded) in known:
            continue
        is_picture = item.get("/Subtype") == Name.Image
        if key in secret_fonts:
            tally.add(FONTS, len(encoded), secret_fonts[key])
        elif key in other_fonts:
            tally.add(TABLES, len(encoded), other_fonts[key])
        elif key in drawn_by and drawn_by[key] in classified:
            tally.add(PICTURES if is_picture else MARKED, len(encoded), f"page/{drawn_by[key] + 1}")
        elif key in drawn_by:
            is_drawing = is_picture or item.get("/Subtype") == Name.Form
            tally.add(UNSURE if is_drawing else PAGES, len(encoded), f"page/{drawn_by[key] + 1}")
    return tally.ranked(size, REST)


def _drawn_by(inside: Inside, classified: set[int]) -> dict[ObjGen, int]:
    """For each object the first page that draws with it, a classified one if there is one."""
    pages = sorted(range(len(inside.drawn)), key=lambda page: (page in classified, -page))
    return {key: page for page in pages for key in inside.drawn[page].objects}


def _families(inside: Inside, classified: set[int]) -> set[str]:
    """The families of the fonts with which classified pages, notes and forms draw."""
    return inside.beside.shaped.union(*(inside.drawn[page].shaped for page in classified))


def _fonts(graph: Graph, secret: set[str]) -> tuple[dict[ObjGen, str], dict[ObjGen, str]]:
    """The parts of fonts of the families `secret`, and of others, with the names of the fonts."""
    found: tuple[dict[ObjGen, str], dict[ObjGen, str]] = ({}, {})
    for font, family in graph.families.items():
        found[family not in secret].update(dict.fromkeys(graph.attached([font]), family.removeprefix("/")))
    every = dict.fromkeys([*graph.font_parts(), *graph.font_tables], "")
    if not graph.direct_families.isdisjoint(secret):
        return every | found[1] | found[0], {}
    return found[0], every | found[1]
