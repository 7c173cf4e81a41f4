"""Which codes of a font's characters follow from the plain pages alone.

A program that embeds part of a font may number its letters in any order, and so the codes on one page may depend on the
letters of another. Invariant: a code counts as safe only if what the *plain* pages show proves how the program chose
it, whatever a classified page says. There are four proofs:

- *glyph ids*: the codes are the numbers that the glyphs have in the whole font. The embedded part has as many gaps as
  numbering again would close, and the codes do not grow in the order of use;
- *a known encoding*: every code is the one that TeX's encodings give to the name of its glyph;
- *ASCII*: the code is the character. Other codes of such a font are not safe by that;
- *order of use*: the codes on the pages before the first classified page are numbered by their first use there, without
  a gap, and not in the order of an alphabet. These codes are safe everywhere, since later pages cannot change them.

In doubt, no code is safe.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from sieve.formats.pdf.known_encodings import ENCODINGS, LATIN, canonical
from sieve.formats.pdf.object_graph import Graph, ObjGen, Reach, descendant, is_scope
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.shown_text import NotFollowed, ShownText
from sieve.formats.pdf.to_unicode import character_map, glyph_names

LEAST_CODES: Final = 12
"""Different codes that a proof by order needs. Fewer may be in some order by chance."""
LEAST_GAPS: Final = 24
"""Glyphs between those that plain pages show. At least a quarter must be empty: numbering again leaves only blanks."""
LEAST_ABSENT: Final = 4
"""ASCII characters between those that plain pages show."""
MAX_FONT: Final = 32 << 20


class Shown(NamedTuple):
    """What a page surely shows, not only names."""

    codes: dict[ObjGen, list[int]]
    """Of each font, in the order of first use."""
    drawn: set[ObjGen]
    """The images and forms that it draws, and what its colour spaces refer to."""


_IDENTITY: Final = frozenset({"/Identity-H", "/Identity-V"})
_SPACE: Final = 32
_FIRST_CODES: Final = frozenset({0, 1, 33})
"""Where programs begin to number."""
_TEX_FAMILY: Final = re.compile(r"(?:CM[A-Z]|LM[A-Z]|SF[A-Z]{2}\d)")
_BUILT_IN: Final = re.compile(rb"\bdup\s+(\d{1,3})\s*/([A-Za-z0-9._]+)\s+put\b")
_CLEAR_PART: Final = 64 << 10


class SafeCodes:
    """The codes that follow from the plain pages of a PDF alone."""

    def __init__(self, codes: "FontCodes", plain: Sequence[int], first: int) -> None:
        """`plain`: the plain pages. `first`: the first classified page."""
        self._codes = codes
        self._plain = plain
        self._first = first
        self._safe: dict[ObjGen, set[int]] = {}
        self._fixed: dict[ObjGen, bool] = {}

    def cover(self, page: int, families: set[str]) -> bool:
        """Whether all codes that `page` shows of fonts of these `families` are safe."""
        shown = self._codes.pages[page]
        fonts = self._codes.drawn[page].coded_fonts
        if shown is None or (0, 0) in fonts:
            return False
        return all(
            self._is_fixed(font) or self._of(font).issuperset(shown.codes.get(font, ()))
            for font in fonts
            if self._codes.graph.families[font] in families
        )

    def cover_all(self, family: str) -> bool:
        """Whether no code of any font of the `family` depends on the document."""
        graph = self._codes.graph
        fonts = (font for font in self._codes.coded if graph.families[font] == family)
        return family not in graph.direct_families and all(map(self._is_fixed, fonts))

    def _is_fixed(self, font: ObjGen) -> bool:
        if font not in self._fixed:
            self._fixed[font] = self._codes.are_fixed(font, self._used(font, self._plain))
        return self._fixed[font]

    def _of(self, font: ObjGen) -> set[int]:
        """The safe codes of a font whose codes are not fixed."""
        if font not in self._safe:
            characters = self._ascii(font)
            self._safe[font] = characters | self._in_order(font, characters)
        return self._safe[font]

    def _ascii(self, font: ObjGen) -> set[int]:
        """The codes that are the ASCII character that they show; empty if that may be by chance."""
        text = self._codes.text(font)
        found = _characters(text, self._used(font, self._plain))
        every = range(len(self._codes.pages))
        if not _is_mixed(found) or any(self._codes.pages[page] is None for page in every):
            return set()
        # Numbering the characters in their order, from "!" on, comes to the same if all of them occur.
        absent = set(range(_SPACE + 1, max(found))).difference(found)
        if len(absent) < LEAST_ABSENT or not _are_mostly(absent.difference(self._used(font, every)), absent):
            return set()
        return {*found, *({_SPACE} if text.get(_SPACE) == " " else ())}

    def _in_order(self, font: ObjGen, characters: set[int]) -> set[int]:
        """The codes on the first pages that are numbered by their use there; empty if that may be by chance."""
        before = range(self._first)
        if any(self._codes.pages[page] is None for page in before):
            return set()
        text = self._codes.text(font)
        used = [code for code in self._used(font, before) if code not in characters]
        if not _counts_up([code for code in used if not (code == _SPACE and text.get(code) == " ")]):
            return set()
        said = [text.get(code, "") for code in used]
        return set(used) if all(said) and _is_mixed(said) else set()

    def _used(self, font: ObjGen, pages: Iterable[int]) -> list[int]:
        """The codes that the pages show of a font, in the order of first use."""
        every = (self._codes.pages[page] for page in pages)
        return list(dict.fromkeys(code for shown in every if shown for code in shown.codes.get(font, ())))


class FontCodes:
    """The fonts of one PDF, and the codes that its pages show of them."""

    def __init__(self, pdf: pikepdf.Pdf, graph: Graph, drawn: Sequence[Reach]) -> None:
        """`drawn`: what each page draws with."""
        self._pdf = pdf
        self.graph = graph
        self.drawn = drawn
        self._texts: dict[ObjGen, dict[int, str]] = {}

    @cached_property
    def coded(self) -> set[ObjGen]:
        """Fonts whose codes may depend on the document; without direct objects."""
        return set[ObjGen]().union(*(reach.coded_fonts for reach in self.drawn)) - {(0, 0)}

    @cached_property
    def pages(self) -> list[Shown | None]:
        """What each page shows; None if that is not certain. All at once, since there is one limit for all pages."""
        return list(self._read_all())

    def text(self, font: ObjGen) -> dict[int, str]:
        """The text of each code of a font."""
        if font not in self._texts:
            self._texts[font] = character_map(self._pdf.get_object(font))
        return self._texts[font]

    def are_fixed(self, font: ObjGen, used: list[int]) -> bool:
        """Whether the codes `used`, in the order of first use, are glyph ids, or those of a known encoding."""
        item = self._pdf.get_object(font)
        if item.get("/Subtype") == Name.Type0:
            return _is_mixed(used) and not _characters(self.text(font), used) and _has_gaps(item, used)
        names = _names(item)
        named = [(code, canonical(names.get(code, ""))) for code in used]
        # Programs other than TeX's give codes beside ASCII in the order of use, and embed no Type 1 font as it is.
        tables = ENCODINGS if _is_type_1(item) else [LATIN]
        if not named or not any(all(table.get(code) == name for code, name in named) for table in tables):
            return False
        return _is_mixed(used) or _TEX_FAMILY.match(self.graph.families[font].removeprefix("/")) is not None

    def _read_all(self) -> Iterator[Shown | None]:
        reader = ShownText()
        for page in range(len(self.drawn)):
            try:
                yield self._read(page, reader)
            except (NotFollowed, *FAULTS):
                yield None

    def _read(self, page: int, reader: ShownText) -> Shown | None:
        found: dict[ObjGen, dict[int, None]] = {}
        is_wide: dict[ObjGen, bool] = {}
        for shown in reader.of_page(self.graph.pages[page]):
            font = shown.font
            if font not in is_wide:
                is_wide[font] = font != (0, 0) and self._pdf.get_object(font).get("/Subtype") == Name.Type0
            if is_wide[font] and str(self._pdf.get_object(font).get("/Encoding")) not in _IDENTITY:
                return None
            if is_wide[font] and len(shown.codes) % 2:
                return None
            codes = [code for (code,) in struct.iter_unpack(">H", shown.codes)] if is_wide[font] else shown.codes
            found.setdefault(font, {}).update(dict.fromkeys(codes))
        for key in self.drawn[page].objects - reader.forms:
            item = self._pdf.get_object(key)
            if is_scope(item) and self._shows_more(key, item):
                return None
        return Shown({font: list(codes) for font, codes in found.items()}, reader.drawn)

    def _shows_more(self, key: ObjGen, item: Object) -> bool:
        """Whether a pattern, a mask or a Type 3 font shows text, too."""
        if isinstance(item, Stream):
            return bool(self.graph.drawn_from(key).coded_fonts)
        resources = item.get("/Resources")
        return isinstance(resources, Dictionary) and "/Font" in resources


def _characters(text: dict[int, str], used: list[int]) -> list[int]:
    """The codes among those `used` that are the visible ASCII character that they show."""
    return [code for code in used if _SPACE < code < 127 and text.get(code) == chr(code)]


def _is_mixed(values: Sequence[int] | Sequence[str]) -> bool:
    """Whether they are many, and in no order: at least one in four is less than the one before."""
    falls = sum(one > other for one, other in pairwise(values))  # type: ignore[operator]
    return len(values) >= LEAST_CODES and falls * 4 >= len(values)


def _counts_up(codes: list[int]) -> bool:
    """Whether each code is the next number, from a first one. A program may leave out the space."""
    return (
        bool(codes)
        and codes[0] in _FIRST_CODES
        and all(other == one + 1 or (one + 1 == _SPACE and other == _SPACE + 1) for one, other in pairwise(codes))
    )


def _names(font: Object) -> dict[int, str]:
    """The names of the glyphs of a simple font by code."""
    names: dict[int, str] = {}
    descriptor = font.get("/FontDescriptor")
    program = descriptor.get("/FontFile") if isinstance(descriptor, Dictionary) else None
    encoding = font.get("/Encoding")
    if isinstance(program, Stream) and not (isinstance(encoding, Dictionary) and "/BaseEncoding" in encoding):
        clear = bytes(program.read_bytes())[:_CLEAR_PART].partition(b"eexec")[0]
        names.update((int(code), name.decode()) for code, name in _BUILT_IN.findall(clear))
    names.update(glyph_names(encoding))
    return names


def _is_type_1(font: Object) -> bool:
    descriptor = font.get("/FontDescriptor")
    return font.get("/Subtype") == Name.Type1 and isinstance(descriptor, Dictionary) and "/FontFile" in descriptor


def _has_gaps(font: Object, used: list[int]) -> bool:
    """Whether the codes `used` of a composite TrueType font are numbers of glyphs, with empty ones in between."""
    below = descendant(font)
    if below is None or below.get("/Subtype") != Name.CIDFontType2:
        return False
    if str(font.get("/Encoding")) not in _IDENTITY or below.get("/CIDToGIDMap", Name.Identity) != Name.Identity:
        return False
    descriptor = below.get("/FontDescriptor")
    program = descriptor.get("/FontFile2") if isinstance(descriptor, Dictionary) else None
    if not isinstance(program, Stream):
        return False
    absent = set(range(min(used), max(used))).difference(used)
    lengths = dict(enumerate(_glyph_lengths(bytes(program.read_bytes()))))
    return len(absent) >= LEAST_GAPS and _are_mostly({code for code in absent if lengths.get(code) == 0}, absent)


def _are_mostly(some: set[int], of: set[int]) -> bool:
    """Whether they are so many that no classified page could have made a difference, short of a table of letters."""
    return len(some) * 4 >= len(of)


def _glyph_lengths(program: bytes) -> list[int]:
    """Bytes of each glyph of a TrueType font; empty if it cannot be read."""
    try:
        if len(program) > MAX_FONT:
            return []
        (count,) = struct.unpack_from(">H", program, 4)
        entries = (struct.unpack_from(">4sLLL", program, 12 + 16 * at) for at in range(count))
        tables = {tag: (start, size) for tag, _, start, size in entries}
        head, (start, size) = tables[b"head"][0], tables[b"loca"]
        (long,) = struct.unpack_from(">H", program, head + 50)
        form = ">L" if long else ">H"
        size -= size % struct.calcsize(form)
        places = [place for (place,) in struct.iter_unpack(form, program[start : start + size])]
    except (struct.error, KeyError):
        return []
    return [other - one for one, other in pairwise(places)]
