"""Which objects of a PDF a page draws with, and which are attached to anything else.

Invariant: to find what a page *draws with*, follow the names in its content, since many programs list all fonts and
images of a document in one dictionary that every page shares; in doubt, a name counts as used. To find what is
*attached to anything else*, follow every key. Each walk stops at pages and at the page tree.

Fonts need extra care. A program that embeds part of a font often numbers the letters in order of first use, so that the
codes on page 2, and the font itself, show which letters page 1 has. Such a font is *coded*. Two parts of one font are
one family, since a program starts the second part when the first is full.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from sieve.formats.pdf.opening import FAULTS

ObjGen = tuple[int, int]

MAX_STEPS: Final = 2_000_000
"""Values that are visited in one PDF."""
MAX_CONTENT: Final = 1 << 30
"""Bytes of content that are searched for names. Many pages may share one stream."""

RESOURCES: Final = ("/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/XObject", "/Font", "/Properties")
NOT_DRAWN: Final = frozenset(
    {
        *("/Parent", "/Metadata", "/PieceInfo", "/StructParent", "/StructParents", "/OPI", "/AF", "/Ref"),
        *("/LastModified", "/Alternates", "/Measure", "/PtData", "/OC"),
    }
)
"""Keys that lead to nothing needed for drawing. No key of one letter: glyphs of a font are listed by name."""
_PAGE_TREE: Final = frozenset({"/Parent", "/Pages"})

_NAME: Final = re.compile(rb"/([^\x00\t\n\f\r ()<>\[\]{}/%]*)")
_HEX_IN_NAME: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
_SUBSET_TAG: Final = re.compile(r"^/?[A-Z]{6}\+")
_FIXED_ENCODINGS: Final = frozenset(
    {"/WinAnsiEncoding", "/MacRomanEncoding", "/StandardEncoding", "/MacExpertEncoding"}
)
_SYMBOLIC: Final = 4
_SYMBOLIC_FLAGS: Final = 4 | 32
SIMPLE_FONTS: Final = frozenset({"/Type1", "/TrueType", "/MMType1", "/Type3"})
_FONTS: Final = SIMPLE_FONTS | {"/Type0", "/CIDFontType0", "/CIDFontType2"}


class TooManySteps(Exception):
    """The PDF is too large or too entangled to be traversed."""


@dataclass(slots=True)
class Reach:
    """What can be reached: from one object directly, or from a page or the document in any number of steps."""

    objects: set[ObjGen] = field(default_factory=set)
    """The indirect ones; direct objects count as part of the object that contains them."""
    coded: set[str] = field(default_factory=set)
    """Families of fonts whose codes may follow the order of use."""
    shaped: set[str] = field(default_factory=set)
    """Families of fonts with data of their own: glyphs, widths, a map of codes."""
    coded_fonts: set[ObjGen] = field(default_factory=set)
    """The fonts of the families `coded`; (0, 0) for those that are direct objects."""
    hides: bool = False
    """Whether there is optional content that some readers may hide."""
    borrows: bool = False
    """Whether something draws with the resources of its caller."""

    def add(self, other: "Reach") -> None:
        """Adds everything in `other`."""
        self.objects |= other.objects
        self.coded |= other.coded
        self.shaped |= other.shaped
        self.coded_fonts |= other.coded_fonts
        self.hides |= other.hides
        self.borrows |= other.borrows


_Below = Callable[[Object, Reach], Iterable[object]]
"""Returns the values in a dictionary that count, and adds to the reach what the dictionary itself says."""


class Graph:
    """The objects of one PDF."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        self._steps = MAX_STEPS
        self._content = MAX_CONTENT
        self.pages: list[Object] = [page.obj for page in pdf.pages]
        self._stops = {page.objgen for page in self.pages}
        for page in self.pages:
            parent = page.get("/Parent")
            while isinstance(parent, Dictionary) and parent.is_indirect and parent.objgen not in self._stops:
                self._step()
                self._stops.add(parent.objgen)
                parent = parent.get("/Parent")
        self._layers = _Layers(pdf)
        self._drawn: dict[ObjGen, Reach] = {}
        self._whole: dict[ObjGen, Reach] = {}
        self._borrowers: dict[ObjGen, bool] = {}
        self._font_parts = Reach()
        self.font_tables: set[ObjGen] = set()
        """Streams that fonts consist of, except their programs: maps, encodings, glyphs of Type 3."""
        self.families: dict[ObjGen, str] = {}
        """The family of each font with data of its own, by its object."""
        self.direct_families: set[str] = set()
        """Families of such fonts that are direct objects."""

    def drawn(self, page: Object) -> Reach:
        """Everything that `page` draws with.

        Raises:
            TooManySteps: there are too many objects.
        """
        for every_name in (False, True):
            start = Reach()
            contents = page.get("/Contents")
            self._take(contents, start, self._drawing)
            names = None if every_name else self.names_of(contents)
            self._resources(page.get("/Resources"), names, start)
            reach = self._follow(start, self._drawn, self._drawing)
            if not reach.borrows:
                break
        return reach

    def beside(self, page: Object) -> Reach:
        """Everything attached to `page` that it does not draw with: annotations, thumbnail, private data."""
        start = Reach()
        for key, value in page.items():
            self._step()
            if key not in ("/Parent", "/Contents", "/Resources"):
                self._take(value, start, self._everything)
        return self._follow(start, self._whole, self._everything)

    def document(self) -> Reach:
        """Everything attached to the document but to no page, except structure tree and bookmarks, which only refer."""
        start = Reach()
        for key, value in self._pdf.trailer.items():
            if key != "/Root":
                self._take(value, start, self._everything)
        for key, value in self._pdf.Root.items():
            if key not in ("/Pages", "/StructTreeRoot", "/Outlines"):
                self._take(value, start, self._everything)
        return self._follow(start, self._whole, self._everything)

    def drawn_from(self, key: ObjGen) -> Reach:
        """Everything that the object `key` draws with, and itself."""
        return self._follow(Reach({key}), self._drawn, self._drawing)

    def attached(self, keys: Iterable[ObjGen]) -> set[ObjGen]:
        """The objects `keys` and everything attached to them."""
        return self._follow(Reach(set(keys)), self._whole, self._everything).objects

    def font_parts(self) -> set[ObjGen]:
        """Everything that the fonts found so far consist of."""
        return self._follow(self._font_parts, self._whole, self._everything).objects

    def entries(self, resources: object, names: "frozenset[str] | None") -> Iterator[tuple[str, str, Object]]:
        """Category, name and value of those `resources` whose name is among `names`; of all for None."""
        if not isinstance(resources, Dictionary):
            return
        for category in RESOURCES:
            listed = resources.get(category)
            if not isinstance(listed, Dictionary):
                continue
            for name, value in listed.items():
                self._step()
                if names is None or name[1:] in names or not name.isascii():
                    yield category, name, value

    def names_in(self, scope: Object) -> "frozenset[str] | None":
        """The names in the content of a form, a pattern or a Type 3 font; None if they cannot be known."""
        if isinstance(scope, Stream):
            return self.names_of(scope)
        procedures = scope.get("/CharProcs")
        return self.names_of(list(procedures.values())) if isinstance(procedures, Dictionary) else None

    def borrows(self, objects: Iterable[ObjGen]) -> bool:
        """Whether any of the `objects` draws with the resources of its caller."""
        return any(self._drawn[key].borrows for key in objects if key in self._drawn)

    def _step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise TooManySteps

    def _follow(self, start: Reach, known: dict[ObjGen, Reach], below: _Below) -> Reach:
        """Everything reached from `start`, which it changes. `known`: what each object that was read reaches itself."""
        waiting = list(start.objects)
        while waiting:
            key = waiting.pop()
            self._step()
            if key not in known:
                known[key] = Reach()
                self._read(self._pdf.get_object(key), known[key], below)
            waiting.extend(known[key].objects - start.objects)
            start.add(known[key])
        return start

    def _take(self, value: object, node: Reach, below: _Below) -> None:
        """Adds the object `value`, or everything in it if it is direct."""
        if isinstance(value, (Array, Dictionary, Stream)):
            if not value.is_indirect:
                self._read(value, node, below)
            elif value.objgen not in self._stops:
                node.objects.add(value.objgen)

    def _read(self, value: Object, node: Reach, below: _Below) -> None:
        """Adds everything that `value` reaches. `below`: the values in a dictionary that count."""
        waiting: list[object] = [value]
        while waiting:
            item = waiting.pop()
            self._step()
            children: Iterable[object] = item if isinstance(item, Array) else ()
            if isinstance(item, (Dictionary, Stream)):
                children = below(item, node)
            for child in children:
                self._step()
                if isinstance(child, (Array, Dictionary, Stream)):
                    if not child.is_indirect:
                        waiting.append(child)
                    elif child.objgen not in self._stops:
                        node.objects.add(child.objgen)

    def _everything(self, item: Object, node: Reach) -> Iterable[object]:
        """All values, except those that lead to the page tree."""
        self._font(item, node)
        return [child for key, child in item.items() if key not in _PAGE_TREE]

    def _drawing(self, item: Object, node: Reach) -> Iterable[object]:
        """The values that are needed to draw it."""
        if str(item.get("/Type", "")) in ("/OCG", "/OCMD"):
            node.hides |= not self._layers.surely_shown(item)
            return ()
        layer = item.get("/OC")
        if layer is not None:
            node.hides |= not self._layers.surely_shown(layer)
        self._font(item, node)
        skipped = NOT_DRAWN
        if is_scope(item):
            skipped = NOT_DRAWN | {"/Resources"}
            if isinstance(item.get("/Resources"), Dictionary):
                self._resources(item.get("/Resources"), self.names_in(item), node)
            elif self._is_borrower(item):
                node.borrows = True
        return [child for key, child in item.items() if key not in skipped]

    def _resources(self, resources: object, names: "frozenset[str] | None", node: Reach) -> None:
        if names is not None and any(self._is_borrower(value) for _, _, value in self.entries(resources, names)):
            names = None
        for _, _, value in self.entries(resources, names):
            self._take(value, node, self._drawing)

    def _is_borrower(self, value: Object) -> bool:
        """Whether it draws with the resources of its caller: it has none, and its content names something."""
        if not is_scope(value) or isinstance(value.get("/Resources"), Dictionary):
            return False
        if not value.is_indirect:
            return self.names_in(value) != frozenset()
        if value.objgen not in self._borrowers:
            self._borrowers[value.objgen] = self.names_in(value) != frozenset()
        return self._borrowers[value.objgen]

    def names_of(self, contents: object) -> "frozenset[str] | None":
        """The names in page contents; None if they cannot be known."""
        said: set[str] = set()
        for stream in contents if isinstance(contents, (Array, list)) else [contents]:
            self._step()
            if not isinstance(stream, Stream):
                continue
            try:
                data = stream.read_bytes()
            except FAULTS:
                return None
            self._content -= len(data)
            if self._content < 0:
                raise TooManySteps
            for name in set(_NAME.findall(data)):
                said.add(_HEX_IN_NAME.sub(lambda digits: bytes([int(digits[1], 16)]), name).decode("latin-1"))
        return frozenset(said)

    def _font(self, item: Object, node: Reach) -> None:
        subtype = str(item.get("/Subtype", ""))
        if subtype not in _FONTS or (item.get("/Type", Name.Font) != Name.Font):
            return
        self.font_tables.update(_tables(item))
        family = _SUBSET_TAG.sub("", str(item.get("/BaseFont", "")))
        if any(key in item for key in ("/FontDescriptor", "/DescendantFonts", "/CharProcs", "/ToUnicode", "/Widths")):
            node.shaped.add(family)
            for child in item.values():
                self._take(child, self._font_parts, self._everything)
            if item.is_indirect:
                self.families[item.objgen] = family
            else:
                self.direct_families.add(family)
            if not _fixed_codes(item, subtype):
                node.coded.add(family)
                node.coded_fonts.add(item.objgen)


class _Layers:
    """Optional content, and which of it every reader shows."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.off: set[ObjGen] = set()
        self._all_off_but: set[ObjGen] | None = None
        properties = pdf.Root.get("/OCProperties")
        config = properties.get("/D") if isinstance(properties, Dictionary) else None
        if isinstance(config, Dictionary):
            self.off = _objgens(config.get("/OFF"))
            if config.get("/BaseState", Name.ON) != Name.ON:
                self._all_off_but = _objgens(config.get("/ON"))

    def surely_shown(self, layer: object) -> bool:
        """Whether every reader shows the group or groups."""
        if not isinstance(layer, Dictionary):
            return False
        if layer.get("/Type") != Name.OCMD:
            if layer.objgen in self.off:
                return False
            return self._all_off_but is None or layer.objgen in self._all_off_but
        if "/VE" in layer or layer.get("/P", Name.AnyOn) not in (Name.AnyOn, Name.AllOn):
            return False
        groups = layer.get("/OCGs")
        listed = list(groups) if isinstance(groups, Array) else [groups]
        return all(
            group is None
            or (isinstance(group, Dictionary) and group.get("/Type") != Name.OCMD and self.surely_shown(group))
            for group in listed
        )


def hidden_layers(pdf: pikepdf.Pdf) -> frozenset[str]:
    """The names of the groups of optional content that some readers may hide."""
    properties = pdf.Root.get("/OCProperties")
    groups = properties.get("/OCGs") if isinstance(properties, Dictionary) else None
    if not isinstance(groups, Array):
        return frozenset()
    layers = _Layers(pdf)
    found = (group for group in groups if isinstance(group, Dictionary) and not layers.surely_shown(group))
    return frozenset(str(group.get("/Name", "")) for group in found)


def is_scope(item: Object) -> bool:
    """Whether it has a content stream: a form, a tiling pattern or a Type 3 font."""
    if isinstance(item, Stream):
        return item.get("/Subtype") == Name.Form or item.get("/PatternType") == 1
    return isinstance(item, Dictionary) and item.get("/Subtype") == Name.Type3


def _tables(font: Object) -> Iterator[ObjGen]:
    """The streams that `font` consists of, except its program and those of fonts below it."""
    procedures, descriptor = font.get("/CharProcs"), font.get("/FontDescriptor")
    parts = [font.get(key) for key in ("/ToUnicode", "/Encoding", "/CIDToGIDMap")]
    parts += procedures.values() if isinstance(procedures, Dictionary) else ()
    parts += [descriptor.get("/CIDSet")] if isinstance(descriptor, Dictionary) else ()
    yield from (part.objgen for part in parts if isinstance(part, Stream))


def _objgens(listed: object) -> set[ObjGen]:
    return {item.objgen for item in listed if isinstance(item, Object)} if isinstance(listed, Array) else set()


def _fixed_codes(font: Object, subtype: str) -> bool:
    """Whether the codes of its characters are the same in every document."""
    encoding = font.get("/Encoding")
    if subtype == "/Type0":
        embedded = "/FontDescriptor" in (descendant(font) or Dictionary()) and _embedded(descendant(font))
        return not embedded and isinstance(encoding, Name) and not str(encoding).startswith("/Identity")
    if subtype not in SIMPLE_FONTS:
        return True  # a descendant, described by the font above it
    if encoding is None:
        return subtype != "/Type3" and not _embedded(font)
    if subtype == "/TrueType" and _embedded(font) and _is_symbolic(font):
        return False  # readers ignore the encoding, and programs number the letters as they like
    # An encoding in the file is never fixed. If it depended on the letters that it lists, the result would reveal them.
    return isinstance(encoding, Name) and str(encoding) in _FIXED_ENCODINGS


def descendant(font: Object) -> Object | None:
    """The descendant of a composite font."""
    below = font.get("/DescendantFonts")
    if isinstance(below, Array) and len(below) and isinstance(below[0], Dictionary):
        return below[0]
    return None


def _is_symbolic(font: Object) -> bool:
    """Whether the descriptor says so, and does not also say the opposite."""
    descriptor = font.get("/FontDescriptor")
    flags = descriptor.get("/Flags", _SYMBOLIC) if isinstance(descriptor, Dictionary) else _SYMBOLIC
    return int(flags) & _SYMBOLIC_FLAGS == _SYMBOLIC


def _embedded(font: Object | None) -> bool:
    descriptor = font.get("/FontDescriptor") if font is not None else None
    if descriptor is None:
        return False
    return not isinstance(descriptor, Dictionary) or any(
        key in descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3")
    )
