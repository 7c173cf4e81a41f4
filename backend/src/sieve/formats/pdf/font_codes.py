"""Which codes of a font's characters follow from the plain pages alone.

A program that embeds part of a font may number its letters in any order, and so the codes on one page may depend on the
letters of another. Invariant: a code counts as safe only if what the *plain* pages show proves how the program chose
it, and the proof does not depend on a classified page either, since its result would reveal letters of that page. There
are these proofs:

- *glyph ids*: the codes are the numbers that the glyphs have in the whole font: the order that most TrueType fonts have
  for ASCII, or numbers with wide gaps that are empty in the embedded part. The codes do not grow in the order of use;
- *a known encoding*: every code is the one that TeX's encodings give to the name of its glyph. TeX's own programs keep
  these codes. With others, only the codes on the pages before the first classified page are safe: that page may show a
  letter in another form first, which then takes the code of the letter (matplotlib);
- *ASCII*: the code is the character, in a font that lists all of ASCII. Its other codes are not safe by that;
- *an earlier page*: matplotlib or Typst wrote the file. A code is safe if a page before the first classified page shows
  it, whatever fonts a classified page draws with;
- *order of use*: a program wrote the file that finishes each page before the next one, and no other rewrote it; the
  codes on the pages before the first classified page are numbered by their first use there, without
  a gap, and not in the order of an alphabet. These codes are safe everywhere, since later pages cannot change them,
  except those of the last page that adds some: a program may fill in the number of all pages last.

For the last two, a code that is shown with `ActualText` alone is not safe. In doubt, no code is safe.
"""

import re
import struct
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from sieve.formats.pdf.known_encodings import ENCODINGS, LATIN, canonical
from sieve.formats.pdf.object_graph import SIMPLE_FONTS, Graph, ObjGen, Reach, descendant, is_scope
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.page_tags import PageTags
from sieve.formats.pdf.producers import Producer
from sieve.formats.pdf.shown_text import MAX_CONTENT, MAX_INSTRUCTIONS, Cost, NotFollowed, ResourceName, ShownText
from sieve.formats.pdf.shown_text import Shown as ShownString
from sieve.formats.pdf.to_unicode import character_map, glyph_names

LEAST_CODES: Final = 12
"""Different codes that a proof by order needs. Fewer may be in some order by chance."""
LEAST_GAPS: Final = 256
"""Glyphs between those that plain pages show. At least a quarter must be empty: numbering again leaves only blanks. So
many that no classified page uses three quarters of them, short of a table of letters."""
LEAST_ABSENT: Final = 12
"""ASCII characters between those that plain pages show."""
MAX_FONT: Final = 32 << 20


class Shown(NamedTuple):
    """What a page surely shows, not only names."""

    codes: dict[ObjGen, list[int]] | None
    """Of each font, in the order of first use; None if they are not certain."""
    read: set[tuple[ObjGen, int]]
    """The fonts and codes that it shows without `ActualText`, so that the program has decided what these codes say.
    Empty if `codes` are not certain."""
    drawn: set[ObjGen]
    """The images and forms that it draws, and what its colour spaces refer to."""
    names: set[ResourceName]
    """By which it and its forms draw."""


_IDENTITY: Final = frozenset({"/Identity-H", "/Identity-V"})
_SPACE: Final = 32
_ASCII: Final = range(128)
_VISIBLE: Final = range(33, 127)
_TO_GLYPH: Final = -29
"""From the ASCII character to its glyph, in most TrueType fonts: "A" is glyph 36."""
_FIRST_CODES: Final = frozenset({0, 1, 33})
"""Where programs begin to number."""
_TEX_FAMILY: Final = re.compile(r"(?:CM[A-Z]|LM[A-Z]|SF[A-Z]{2}\d)")
_BUILT_IN: Final = re.compile(rb"\bdup\s+(\d{1,3})\s*/([A-Za-z0-9._]+)\s+put\b")
_REFERENCE: Final = re.compile(rb"(\d{1,9}) (\d{1,5}) R\b")
_CLEAR_PART: Final = 64 << 10


class SafeCodes:
    """The codes that follow from the plain pages of a PDF alone."""

    def __init__(self, codes: "FontCodes", plain: Sequence[int], first: int) -> None:
        """`plain`: the plain pages, in order. `first`: the first classified page."""
        self._codes = codes
        self._first = first
        self.pages = codes.read(plain)
        """What each plain page shows; None if that is not certain."""
        self._safe: dict[ObjGen, set[int]] = {}
        self._fixed: dict[ObjGen, bool] = {}

    def cover(self, page: int, families: set[str]) -> bool:
        """Whether all codes that `page` shows of fonts of these `families` are safe."""
        shown = self.pages[page]
        if shown is None or shown.codes is None:
            return False
        # Of the fonts that it draws with, some may only be named by a text, and exist for a classified page.
        fonts = self._codes.drawn[page].coded_fonts & shown.codes.keys()
        return (0, 0) not in fonts and all(
            self._is_fixed(font) or self._of(font).issuperset(shown.codes[font])
            for font in fonts
            if self._codes.graph.families[font] in families
        )

    def _is_fixed(self, font: ObjGen) -> bool:
        if font not in self._fixed:
            self._fixed[font] = self._codes.are_fixed(font, self._used(font))
        return self._fixed[font]

    def _used(self, font: ObjGen, until: int | None = None) -> list[int]:
        """The codes of a font that the plain pages before the page `until` show, in the order of first use."""
        pages = (shown.codes for page, shown in self.pages.items() if shown and (until is None or page < until))
        return list(dict.fromkeys(code for codes in pages if codes for code in codes.get(font, ())))

    def _read(self, font: ObjGen) -> set[int]:
        """The codes of a font that pages before the first classified one show without `ActualText`.

        Of others, the first page that shows them so decides what they say, and whether later pages need one.
        """
        pages = (shown for page, shown in self.pages.items() if shown and page < self._first)
        return {code for shown in pages for of, code in shown.read if of == font}

    def _of(self, font: ObjGen) -> set[int]:
        """The safe codes of a font whose codes are not fixed."""
        if font not in self._safe:
            characters = self._ascii(font)
            self._safe[font] = (
                self._read(font)
                if self._codes.producer.keeps_codes
                else characters | self._in_encoding(font) | self._in_order(font, characters)
            )
        return self._safe[font]

    def _in_encoding(self, font: ObjGen) -> set[int]:
        """The codes on the first pages, if all of them are those of a known encoding."""
        used = self._used(font, self._first)
        if not _is_mixed(used) or not self._codes.are_in_encoding(font, used):
            return set()
        # Without gaps, numbers in the order of an alphabet are the same. What pages say does not depend on the codes.
        families = self._codes.graph.families
        related = [other for other, family in families.items() if family == families[font]]
        said = "".join(self._codes.text(other).get(code, "") for other in related for code in self._used(other))
        absent = set(map(chr, range(_VISIBLE[0], max(used)))).difference(said)
        return set(used) if len(absent) >= LEAST_ABSENT else set()

    def _ascii(self, font: ObjGen) -> set[int]:
        """The codes of ASCII characters, if the font lists all codes up to 127: no program counts the first 32."""
        text = self._codes.text(font)
        visible = {_SPACE, *_VISIBLE}
        is_whole = all(code in text for code in _ASCII) and all(text[code] == chr(code) for code in visible)
        return visible if is_whole else set()

    def _in_order(self, font: ObjGen, characters: set[int]) -> set[int]:
        """The codes on the first pages that are numbered by their use there; empty if that may be by chance."""
        if not self._codes.producer.is_in_page_order:
            return set()
        text = self._codes.text(font)
        space = _SPACE if text.get(_SPACE) == " " else None
        used: dict[int, None] = {}
        proven: list[int] = []
        for page in range(self._first):
            shown = self.pages[page]
            if shown is None or shown.codes is None:
                break
            added = [code for code in shown.codes.get(font, ()) if code not in characters and code not in used]
            if counted := [code for code in added if code != space]:
                # The codes of the page before come first, however these are numbered.
                proven = [*used]
                last = [code for code in proven if code != space][-1:]
                if not _counts_up([*last, *counted], from_first=not last):
                    break
            used.update(dict.fromkeys(added))
        said = [text.get(code, "") for code in proven]
        return self._read(font).intersection(proven) if all(said) and _is_mixed(said) else set()


class FontCodes:
    """The fonts of one PDF, and the codes that its pages show of them."""

    def __init__(self, pdf: pikepdf.Pdf, producer: Producer, graph: Graph, drawn: Sequence[Reach]) -> None:
        """`drawn`: what each page draws with."""
        self._pdf = pdf
        self.producer = producer
        self.graph = graph
        self.drawn = drawn
        self._texts: dict[ObjGen, dict[int, str]] = {}
        self._pages: dict[int, tuple[Shown | None, Cost]] = {}
        self._more: dict[ObjGen, bool] = {}
        self._tags = PageTags(pdf)

    def read(self, pages: Iterable[int]) -> dict[int, Shown | None]:
        """What each of the `pages` shows; None if that is not certain.

        Only these count towards the limits of what is followed: the size of other pages must not change the result.
        """
        found: dict[int, Shown | None] = {}
        left = Cost(MAX_INSTRUCTIONS, MAX_CONTENT)
        for page in pages:
            if min(left) >= 0 and page not in self._pages:
                self._pages[page] = self._read(page)
            shown, cost = self._pages.get(page, (None, Cost(0, 0)))
            left = Cost(left.instructions - cost.instructions, left.content - cost.content)
            found[page] = shown if min(left) >= 0 else None
        return found

    def text(self, font: ObjGen) -> dict[int, str]:
        """The text of each code of a font."""
        if font not in self._texts:
            self._texts[font] = character_map(self._pdf.get_object(font))
        return self._texts[font]

    def are_fixed(self, font: ObjGen, used: list[int]) -> bool:
        """Whether the codes `used`, in the order of first use, are glyph ids, or codes of TeX's in a PDF of its."""
        item = self._pdf.get_object(font)
        if item.get("/Subtype") == Name.Type0:
            return (
                _is_mixed(used) and _is_by_glyph(item) and (_is_usual(self.text(font), used) or _has_gaps(item, used))
            )
        is_of_tex = _TEX_FAMILY.match(self.graph.families[font].removeprefix("/")) is not None
        return self.producer.is_tex and (is_of_tex or _is_mixed(used)) and self.are_in_encoding(font, used)

    def are_in_encoding(self, font: ObjGen, used: list[int]) -> bool:
        """Whether the codes `used` of a simple font are those of one known encoding."""
        item = self._pdf.get_object(font)
        if item.get("/Subtype") == Name.Type0:
            return False
        names = _names(item)
        named = [(code, canonical(names.get(code, ""))) for code in used]
        # Programs other than TeX's give codes beside ASCII in the order of use, and embed no Type 1 font as it is.
        tables = ENCODINGS if _is_type_1(item) else [LATIN]
        return bool(named) and any(all(table.get(code) == name for code, name in named) for table in tables)

    def families_to_prove(self, reach: Reach, families: set[str]) -> set[str]:
        """The families of fonts whose codes need a proof on a page that draws with `reach`.

        `families`: those with which classified pages draw.
        """
        return reach.coded if self.producer.keeps_codes else reach.coded & families

    def names_follow_fonts(self, families: set[str]) -> bool:
        """Whether the names of fonts and pictures depend on which of these a PDF has, but not on its text.

        A font that is not embedded has no parts.

        `families`: those with which classified pages draw.
        """
        if self.producer.is_matplotlib:
            return False
        if not families or self.producer.is_tex or self.producer.is_reportlab or self.producer.is_typst:
            return True
        if not self.producer.is_skia or not self.graph.direct_families.isdisjoint(families):
            return False
        fonts = (font for font, family in self.graph.families.items() if family in families)
        return not any(str(self._pdf.get_object(font).get("/Subtype")) in SIMPLE_FONTS for font in fonts)

    def _read(self, page: int) -> tuple[Shown | None, Cost]:
        reader = ShownText()
        try:
            return self._shown(page, reader), reader.cost
        except (NotFollowed, *FAULTS):
            return None, reader.cost

    def _shown(self, page: int, reader: ShownText) -> Shown:
        texts = reader.of_page(self.graph.pages[page])
        is_all = not any(map(self._leads_to_more, self._named(page, reader)))
        if self.producer.is_typst:
            # A form may be a page of another PDF, whose letters are numbered in the order of that file.
            is_all = is_all and not any(shown.in_form for shown in texts)
            is_all = is_all and not self._tags.have_loose_text(self.graph.pages[page])
        codes = self._codes(texts) if is_all else None
        read = self._codes(() if codes is None else (shown for shown in texts if not shown.has_text)) or {}
        pairs = {(font, code) for font, listed in read.items() for code in listed}
        return Shown(codes, pairs, reader.drawn, reader.names)

    def _named(self, page: int, reader: ShownText) -> set[ObjGen]:
        """What `page` draws with by its names, beside the forms that the `reader` followed.

        A name in a text is none: whether there is something of this name may depend on a classified page.
        """
        reach = self.drawn[page]
        if reach.borrows or any(not name.name for name in reader.names):
            return reach.objects - reader.forms
        found: set[ObjGen] = set()
        for _, _, value in reader.names:
            if isinstance(value, bytes):
                found.update((int(number), int(generation)) for number, generation in _REFERENCE.findall(value))
            else:
                found.add(value)
        return found - reader.forms

    def _leads_to_more(self, key: ObjGen) -> bool:
        """Whether what the object `key` draws with shows text that is not followed."""
        if key not in self._more:
            self._more[key] = any(map(self._shows_more, self.graph.drawn_from(key).objects))
        return self._more[key]

    def _codes(self, texts: Iterable[ShownString]) -> dict[ObjGen, list[int]] | None:
        found: dict[ObjGen, dict[int, None]] = {}
        is_wide: dict[ObjGen, bool] = {}
        for shown in texts:
            font = shown.font
            if font not in is_wide:
                is_wide[font] = font != (0, 0) and self._pdf.get_object(font).get("/Subtype") == Name.Type0
            if is_wide[font] and str(self._pdf.get_object(font).get("/Encoding")) not in _IDENTITY:
                return None
            if is_wide[font] and len(shown.codes) % 2:
                return None
            codes = [code for (code,) in struct.iter_unpack(">H", shown.codes)] if is_wide[font] else shown.codes
            found.setdefault(font, {}).update(dict.fromkeys(codes))
        return {font: list(codes) for font, codes in found.items()}

    def _shows_more(self, key: ObjGen) -> bool:
        """Whether it is a pattern, a mask or a Type 3 font that shows text, too."""
        item = self._pdf.get_object(key)
        if not is_scope(item):
            return False
        if isinstance(item, Stream):
            return bool(self.graph.drawn_from(key).coded_fonts)
        resources = item.get("/Resources")
        return isinstance(resources, Dictionary) and "/Font" in resources


def _is_usual(text: dict[int, str], used: list[int]) -> bool:
    """Whether the codes of all ASCII characters are their usual glyph ids, with gaps between them."""
    said = {code: ord(text[code]) for code in used if len(text.get(code, "")) == 1}
    visible = [code for code, character in said.items() if character in _VISIBLE]
    if not _is_mixed(visible) or any(code != said[code] + _TO_GLYPH for code in visible):
        return False
    return len(set(range(_VISIBLE[0] + _TO_GLYPH, max(visible))).difference(visible)) >= LEAST_ABSENT


_Value = TypeVar("_Value", int, str)


def _is_mixed(values: Sequence[_Value]) -> bool:
    """Whether they are many, and in no order: at least one in four is less than the one before."""
    falls = sum(one > other for one, other in pairwise(values))
    return len(values) >= LEAST_CODES and falls * 4 >= len(values)


def _counts_up(codes: list[int], from_first: bool) -> bool:
    """Whether each code is the next number, and the first one `from_first`. A program may leave out the space."""
    return (codes[0] in _FIRST_CODES or not from_first) and all(
        other == one + 1 or (one + 1 == _SPACE and other == _SPACE + 1) for one, other in pairwise(codes)
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


def _is_by_glyph(font: Object) -> bool:
    """Whether the codes of a composite font are the numbers of TrueType glyphs."""
    below = descendant(font)
    if below is None or below.get("/Subtype") != Name.CIDFontType2:
        return False
    return str(font.get("/Encoding")) in _IDENTITY and below.get("/CIDToGIDMap", Name.Identity) == Name.Identity


def _has_gaps(font: Object, used: list[int]) -> bool:
    """Whether there are so many empty glyphs between the glyphs `used` that the program did not number them again."""
    absent = set(range(min(used), max(used))).difference(used)
    if len(absent) < LEAST_GAPS:
        return False
    descriptor = (descendant(font) or Dictionary()).get("/FontDescriptor")
    program = descriptor.get("/FontFile2") if isinstance(descriptor, Dictionary) else None
    if not isinstance(program, Stream):
        return False
    lengths = dict(enumerate(_glyph_lengths(bytes(program.read_bytes()))))
    return sum(lengths.get(code) == 0 for code in absent) * 4 >= len(absent)


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
