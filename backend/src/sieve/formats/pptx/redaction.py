"""The redacted edition of a presentation: a new package with what a reader sees, and markers for what is classified.

Invariant: nothing is kept unchecked. Slides, notes, layouts and masters are rebuilt from their trees, with only the
elements of known namespaces; pictures only if every byte is known, and without their metadata. Always removed: hidden
slides and shapes, comments, links, animations, alternative texts, names of shapes, properties, films, sounds. A marker
replaces a chart, a diagram and any other drawing that is not kept. Measures that depend on withheld text are removed.

A text that is marked in one place is withheld wherever it occurs, if it is distinctive enough; see `phrases`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.office.kept_pictures import KeptPictures
from sieve.formats.office.package_writer import OFFICE, OFFICE_STRICT, PackageWriter
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.xml_scrubber import XmlScrubber, rebuilt, redacted, remove, unwrap
from sieve.formats.office.xml_source import attributes, local, space_of
from sieve.formats.pptx import measures
from sieve.formats.pptx.paragraphs import (
    A_SPACES,
    COMPATIBILITY,
    P_SPACES,
    PARAGRAPH,
    R_SPACES,
    TEXT,
    a,
    is_hidden,
    p,
    pieces,
)
from sieve.formats.pptx.reading import TABLE_URI, PptxReading, reference, shows_itself
from sieve.formats.pptx.theme import plain_theme
from sieve.formats.text_ranges import pieces_with_markers, united, with_markers

_TYPE: Final = "application/vnd.openxmlformats-officedocument.presentationml."
_THEME_TYPE: Final = "application/vnd.openxmlformats-officedocument.theme+xml"
_MAIN: Final = "ppt/presentation.xml"
_REMOVED: Final = frozenset(
    {
        *("extLst", "custDataLst", "controls", "timing", "transition", "hlinkClick", "hlinkHover", "hlinkMouseOver"),
        *("buBlip", "snd", "bldLst", "custShowLst", "modifyVerifier", "photoAlbum", "kinsoku"),
    }
)
_OF_A_GROUP: Final = p("nvGrpSpPr", "grpSpPr")
_TEXTS: Final = frozenset({"t", "tableStyleId"})
_TABLE_STYLE: Final = re.compile(r"\{[0-9A-Fa-f-]{36}\}")
_SHAPES: Final = p("sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart")
_FRAMES: Final = p("graphicFrame", "contentPart")
_PICTURE: Final = p("pic")
_BLIP: Final = a("blip")
_NAMED: Final = p("cNvPr")
_FIRST_ID: Final = 2_147_483_648
"""Masters and layouts have ids from here on."""


def redact_pptx(reading: PptxReading, marks: Sequence[Mark]) -> bytes:
    """A new presentation with what a reader sees and nothing that is classified.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return redacted(reading, marks, lambda marked: _Edition(reading, marked).to_bytes())


class _Edition:
    def __init__(self, reading: PptxReading, marked: ResolvedMarks) -> None:
        self._reading = reading
        self._marked = marked
        self._scrubber = XmlScrubber.of(reading, marked)
        shown = (part for part in reading.shown_pictures() if part not in marked.parts)
        self._pictures = KeptPictures(reading.container, shown, self._scrubber, "ppt/media")
        strict = space_of(str(reading.presentation.tag)) == P_SPACES[1]
        self._p, self._a = P_SPACES[strict], A_SPACES[strict]
        self._r = OFFICE_STRICT if strict else OFFICE
        self._prefixes = {"p": self._p, "a": self._a, "r": self._r}
        self._writer = PackageWriter(self._r)
        self._names: dict[str, str] = {}
        self._ids = iter(range(_FIRST_ID, _FIRST_ID + 1_000_000))

    # The package.

    def to_bytes(self) -> bytes:
        reading, writer = self._reading, self._writer
        writer.relate("", "officeDocument", _MAIN)
        main = etree.Element(f"{{{self._p}}}presentation", nsmap=self._prefixes)
        masters = [*self._listed(reading.main, reading.presentation, "sldMasterId", "slideMaster")]
        listed = etree.SubElement(main, f"{{{self._p}}}sldMasterIdLst")
        for master in masters:
            self._refer(
                etree.SubElement(listed, f"{{{self._p}}}sldMasterId", id=str(next(self._ids))),
                _MAIN,
                "slideMaster",
                self._name(master, "slideMaster"),
            )
            for layout in self._listed(master, reading.tree(master), "sldLayoutId", "slideLayout"):
                self._name(layout, "slideLayout")
            self._master(master, "slideMaster")
        self._notes_master(main)
        self._slides(main)
        for name in ("sldSz", "notesSz", "defaultTextStyle"):
            for element in reading.presentation.iterchildren(*p(name)):
                main.append(self._cleaned(element))
        writer.add(_MAIN, f"{_TYPE}presentation.main+xml", main)
        for name, (kind, data) in self._pictures.named.items():
            writer.add(name, kind, data)
        return writer.to_bytes()

    def _notes_master(self, main: etree._Element) -> None:
        related = (r.part for r in self._reading.relationships(self._reading.main) if r.kind == "notesMaster")
        # Not every program lists it, too.
        for part in (one for one in related if one in self._reading.stories):
            listed = etree.SubElement(main, f"{{{self._p}}}notesMasterIdLst")
            name = self._name(part, "notesMaster")
            self._refer(etree.SubElement(listed, f"{{{self._p}}}notesMasterId"), _MAIN, "notesMaster", name)
            self._master(part, "notesMaster")
            return

    def _slides(self, main: etree._Element) -> None:
        listed = etree.SubElement(main, f"{{{self._p}}}sldIdLst")
        shown = [slide for slide in self._reading.slides if not slide.is_hidden]
        for number, slide in enumerate(shown, 256):
            name = self._name(slide.part, "slide")
            self._refer(etree.SubElement(listed, f"{{{self._p}}}sldId", id=str(number)), _MAIN, "slide", name)
            if slide.notes:
                self._writer.relate(name, "notesSlide", self._name(slide.notes, "notesSlide"))
                self._writer.relate(self._names[slide.notes], "slide", name)
                self._part(slide.notes, "notesSlide", "notesMaster")
            self._part(slide.part, "slide", "slideLayout")
        for part in [part for part, name in self._names.items() if name.startswith("ppt/slideLayouts/")]:
            self._part(part, "slideLayout", "slideMaster")

    def _listed(self, part: str, root: etree._Element, name: str, kind: str) -> Iterator[str]:
        """The parts that elements of this name refer to, each once."""
        related = {r.id: r.part for r in self._reading.relationships(part) if r.kind == kind}
        found = (related.get(reference(element), "") for element in root.iter(*p(name)))
        yield from dict.fromkeys(one for one in found if one in self._reading.stories)

    def _name(self, part: str, kind: str) -> str:
        if part not in self._names:
            taken = sum(1 for name in self._names.values() if name.startswith(f"ppt/{kind}s/"))
            self._names[part] = f"ppt/{kind}s/{kind}{taken + 1}.xml"
        return self._names[part]

    def _refer(self, element: etree._Element, source: str, kind: str, part: str) -> None:
        element.set(f"{{{self._r}}}id", self._writer.relate(source, kind, part))

    def _part(self, part: str, kind: str, above: str) -> None:
        """Adds a part; `above`: what it inherits from."""
        for related in self._reading.relationships(part):
            if related.kind == above and related.part in self._names:
                self._writer.relate(self._names[part], above, self._names[related.part])
                break
        self._writer.add(self._names[part], f"{_TYPE}{kind}+xml", rebuilt(self._tree(part), self._prefixes))

    def _master(self, part: str, kind: str) -> None:
        root, name = self._tree(part), self._names[part]
        for listed in root.iter(*p("sldLayoutIdLst")):
            for element in list(listed):
                listed.remove(element)
            for layout in self._listed(part, self._reading.tree(part), "sldLayoutId", "slideLayout"):
                element = etree.SubElement(listed, f"{{{self._p}}}sldLayoutId", id=str(next(self._ids)))
                self._refer(element, name, "slideLayout", self._names[layout])
        theme = f"ppt/theme/theme{sum(1 for one in self._names.values() if one.startswith('ppt/theme/')) + 1}.xml"
        self._names[f"theme of {part}"] = theme
        self._writer.relate(name, "theme", theme)
        self._writer.add(theme, _THEME_TYPE, self._theme(part))
        self._writer.add(name, f"{_TYPE}{kind}+xml", rebuilt(root, self._prefixes))

    def _theme(self, master: str) -> bytes | etree._Element:
        related = (r.part for r in self._reading.relationships(master) if r.kind == "theme")
        part = next((one for one in related if one in self._reading.container.entries), "")
        if not part or part in self._marked.parts:
            return plain_theme(self._a)
        return self._cleaned(self._reading.tree(part))

    def _cleaned(self, root: etree._Element) -> etree._Element:
        """Formatting without any text."""
        self._replace_fills(root, {}, "")
        self._scrubber.clean(root, {self._p, self._a}, removed=_REMOVED)
        return rebuilt(root, self._prefixes)

    # The parts.

    def _tree(self, part: str) -> etree._Element:
        root = self._reading.tree(part)
        place = self._reading.place_of(part)
        if self._marked.covers(place):
            self._empty(root)
        else:
            self._mark_name(place, root)
            measures.forget(self._mark_paragraphs(place, root))
        self._flatten(root)
        related = {r.id: r.part for r in self._reading.relationships(part)}
        self._replace_drawings(root, related, self._names[part])
        self._replace_fills(root, related, self._names[part])
        for element in root.iter(*_NAMED):
            number = measures.number(element.get("id", ""))
            element.attrib.clear()
            element.set("id", str(number))
            element.set("name", "")
        self._scrubber.clean(root, {self._p, self._a, self._r}, texts=_TEXTS, removed=_REMOVED)
        return root

    def _empty(self, root: etree._Element) -> None:
        """A marker in place of all of it."""
        for content in root.iterchildren(*p("cSld")):
            content.attrib.clear()
            for child in list(content):
                if local(child.tag) != "spTree":
                    content.remove(child)
            for tree in content.iterchildren(*p("spTree")):
                for shape in list(tree):
                    if shape.tag not in _OF_A_GROUP:
                        tree.remove(shape)
                tree.append(self._marker_shape([], None, 2))

    def _mark_name(self, place: str, root: etree._Element) -> None:
        for content in root.iterchildren(*p("cSld")):
            if name := content.get("name"):
                ranges = united([*self._marked.ranges.get(place, []), *self._scrubber.ranges(name)])
                content.set("name", with_markers(name, ranges))

    def _mark_paragraphs(self, place: str, root: etree._Element) -> set[etree._Element]:
        """Returns the paragraphs in which something is withheld."""
        changed: set[etree._Element] = set()
        for number, paragraph in enumerate(list(root.iter(*PARAGRAPH)), 1):
            found = [*pieces(paragraph)]
            text = "".join(piece.text for piece in found)
            ranges = united([*self._marked.ranges.get(f"{place}/p{number}", []), *self._scrubber.ranges(text)])
            if not ranges:
                continue
            changed.add(paragraph)
            kept = pieces_with_markers([piece.text for piece in found], ranges)
            for piece, text_kept in zip(found, kept, strict=True):
                if text_kept is not None:
                    self._rewrite(piece.element, text_kept)
            if not found:
                self._append_run(paragraph, MARKER)
        return changed

    def _rewrite(self, element: etree._Element, text: str) -> None:
        if element.tag in TEXT:
            for child in list(element):
                element.remove(child)
            element.text = text
            return
        # A break is removed, and text may replace it.
        parent = element.getparent()
        if parent is not None:
            if text:
                parent.replace(element, self._run(text))
            else:
                remove(element)

    def _run(self, text: str) -> etree._Element:
        run = etree.Element(f"{{{self._a}}}r")
        etree.SubElement(run, f"{{{self._a}}}t").text = text
        return run

    def _append_run(self, paragraph: etree._Element, text: str) -> None:
        last = next(paragraph.iterchildren(*a("endParaRPr")), None)
        paragraph.insert(len(paragraph) if last is None else paragraph.index(last), self._run(text))

    def _flatten(self, root: etree._Element) -> None:
        """Takes the newest form of what is there in several, and turns fields and formulas into text."""
        for element in list(root.iter(f"{{{COMPATIBILITY}}}AlternateContent")):
            choice = next((child for child in element if local(child.tag) == "Choice"), None)
            for child in list(element):
                if child is not choice:
                    element.remove(child)
            if choice is not None:
                unwrap(choice)
            unwrap(element)
        for formula in [
            one for one in root.iter(etree.Element) if local(one.tag) == "m" and one.getparent() is not None
        ]:
            parent = formula.getparent()
            if parent is not None and parent.tag in a("p"):
                parent.replace(formula, self._run("".join(map(str, formula.itertext()))))
        for field in list(root.iter(*a("fld"))):
            for child in list(field):
                if local(child.tag) == "pPr":
                    field.remove(child)
            field.tag = f"{{{self._a}}}r"
            field.attrib.clear()
        for style in list(root.iter(*a("tableStyleId"))):
            if not _TABLE_STYLE.fullmatch(style.text or ""):
                remove(style)

    def _replace_drawings(self, root: etree._Element, related: dict[str, str], name: str) -> None:
        for shape in list(root.iter(*_SHAPES)):
            if is_hidden(shape):
                remove(shape)
            elif shape.tag in _FRAMES:
                held = next(shape.iter(*a("graphicData")), None)
                if held is None or not held.get("uri", "").endswith(TABLE_URI):
                    self._replace(shape)
            elif shape.tag in _PICTURE:
                for properties in shape.iter(*p("nvPr")):
                    for child in list(properties):
                        if local(child.tag) != "ph":
                            properties.remove(child)
        for picture in list(root.iter(*_PICTURE)):
            blip = next(picture.iter(*_BLIP), None)
            part = "" if blip is None else related.get(reference(blip), "")
            if blip is None or part not in self._pictures or not shows_itself(blip):
                self._replace(picture)

    def _replace(self, shape: etree._Element) -> None:
        """Puts a marker in place of a drawing."""
        parent = shape.getparent()
        if parent is None:
            return
        transform = next((one for one in shape.iter(etree.Element) if local(one.tag) == "xfrm"), None)
        number = next((measures.number(one.get("id", "")) for one in shape.iter(*_NAMED)), 2)
        shape.tail = None
        parent.replace(shape, self._marker_shape([*shape.iter(*p("ph"))][:1], transform, number))

    def _marker_shape(
        self, placeholders: list[etree._Element], transform: etree._Element | None, number: int
    ) -> etree._Element:
        shape = etree.Element(f"{{{self._p}}}sp")
        what = etree.SubElement(shape, f"{{{self._p}}}nvSpPr")
        etree.SubElement(what, f"{{{self._p}}}cNvPr", id=str(number), name="")
        etree.SubElement(what, f"{{{self._p}}}cNvSpPr")
        etree.SubElement(what, f"{{{self._p}}}nvPr").extend(placeholders)
        properties = etree.SubElement(shape, f"{{{self._p}}}spPr")
        copied = etree.SubElement(properties, f"{{{self._a}}}xfrm")
        for name, keys, other in (("off", ("x", "y"), 0), ("ext", ("cx", "cy"), measures.WIDTH)):
            old = None if transform is None else next(transform.iterchildren(*a(name)), None)
            place = etree.SubElement(copied, f"{{{self._a}}}{name}")
            for key in keys:
                place.set(key, str(other if old is None else measures.number(old.get(key, ""))))
        if placeholders and transform is None:
            properties.remove(copied)
        etree.SubElement(properties, f"{{{self._a}}}prstGeom", prst="rect")
        body = etree.SubElement(shape, f"{{{self._p}}}txBody")
        etree.SubElement(body, f"{{{self._a}}}bodyPr")
        etree.SubElement(body, f"{{{self._a}}}p").append(self._run(MARKER))
        return shape

    # Pictures.

    def _replace_fills(self, root: etree._Element, related: dict[str, str], name: str) -> None:
        """Relates pictures that are kept; a grey surface replaces others."""
        for element in list(root.iter(etree.Element)):
            target = related.get(reference(element), "")
            is_shown = element.tag in _BLIP and target in self._pictures and shows_itself(element)
            for key, _ in attributes(element):
                if space_of(key) in R_SPACES:
                    del element.attrib[key]
            if is_shown:
                element.set(f"{{{self._r}}}embed", self._writer.relate(name, "image", self._pictures.name(target)))
        for fill in list(root.iter(*a("blipFill"))):
            parent = fill.getparent()
            blip = next(fill.iterchildren(*_BLIP), None)
            if parent is not None and (blip is None or not reference(blip)):
                grey = etree.Element(f"{{{self._a}}}solidFill")
                etree.SubElement(grey, f"{{{self._a}}}srgbClr", val="808080")
                parent.replace(fill, grey)
