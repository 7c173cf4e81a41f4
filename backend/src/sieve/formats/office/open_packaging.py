"""Open Packaging, the container of Word and Excel: the types of its parts and their relationships."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from lxml import etree

from sieve.formats.errors import Damaged
from sieve.formats.office import text_attributes
from sieve.formats.office.reading import OfficeReading
from sieve.formats.office.shown_parts import with_attribute
from sieve.formats.office.text_attributes import is_of_office, is_of_old_drawings, text_in_attributes
from sieve.formats.office.xml_source import attributes, local

CONTENT_TYPES: Final = "[Content_Types].xml"
_STRUCTURES: Final = (
    "officedocument.theme+xml",
    "wordprocessingml.styles+xml",
    "wordprocessingml.fontTable+xml",
    "wordprocessingml.webSettings+xml",
    "wordprocessingml.numbering+xml",
    "ms-word.stylesWithEffects+xml",
    "spreadsheetml.styles+xml",
)
"""Parts in which authors write nothing but names."""
_KEPT: Final = ("wordprocessingml.styles+xml", "wordprocessingml.numbering+xml", "spreadsheetml.styles+xml")
"""Those of them that a redacted edition keeps with their names."""
_OBJECT_TYPE: Final = re.compile("image/|audio/|video/|drawing|chart|diagram|inkml|activex|oleobject", re.IGNORECASE)
_OBJECT_FOLDER: Final = re.compile("(?:^|/)(?:media|embeddings)/")
_DESCRIPTIONS: Final = frozenset({"docPr", "cNvPr"})
"""Elements with the name and the description of the drawing that they are in."""
_STYLES: Final = ("wordprocessingml.styles+xml", "spreadsheetml.styles+xml")
"""Those of which all names of a kind are one unit: programs add a hundred names that nobody chose."""


@dataclass(frozen=True, slots=True, repr=False)
class Relationship:
    """From one part to another, or to a target outside the file, with an empty `part`."""

    id: str
    kind: str
    part: str
    target: str


class OpenPackagingReading(OfficeReading):
    """A Word or Excel file, read."""

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected or too large."""
        super().__init__(data)
        self._types: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._read_types()

    def main_part(self, kind: str | tuple[str, ...], what: str) -> str:
        """The part that the document begins with, whose type ends in `kind`, or one of several.

        Raises:
            Damaged: there is none, or several; so this is no `what`, in a person's words.
        """
        main = [r.part for r in self.relationships("") if r.kind == "officeDocument"]
        if len(main) != 1 or main[0] not in self.container.entries or not self.type_of(main[0]).endswith(kind):
            raise Damaged(f"this is no {what}: its main part is missing; save it again as .{self.name}")
        return main[0]

    def known(self, part: str) -> Callable[[str], bool]:
        """Returns whether a namespace is known: its attributes that contain text are listed for this part."""
        return is_of_old_drawings if self.type_of(part).endswith("vmlDrawing") else is_of_office

    def is_structure(self, part: str) -> bool:
        """Themes, styles, fonts, numberings and web settings."""
        return self.type_of(part).endswith(_STRUCTURES)

    def is_kept_structure(self, part: str) -> bool:
        """Styles and numberings."""
        return self.type_of(part).endswith(_KEPT)

    def has_lists(self, part: str) -> bool:
        """Styles."""
        return self.type_of(part).endswith(_STYLES)

    def is_directory(self, part: str) -> bool:
        """The types and the relationships."""
        return part == CONTENT_TYPES or part.endswith(".rels")

    def is_xml(self, part: str) -> bool:
        """Whether the part claims to be XML."""
        kind = self.type_of(part)
        return part == CONTENT_TYPES or kind.endswith(("+xml", "/xml", "vmlDrawing")) or part.endswith(".rels")

    def named_attributes(self, part: str, root: etree._Element) -> Iterator[tuple[str, str]]:
        """Kind and text of each attribute of the part that contains text; of relationships, the targets outside."""
        if part.endswith(".rels"):
            external = (r for r in root.iter(etree.Element) if r.get("TargetMode") == "External")
            return (("link target", r.get("Target", "")) for r in external)
        return text_in_attributes(root, known=self.known(part))

    def named_texts(self, source: str) -> Iterator[str]:
        """What people wrote into attributes and comments of well-formed XML."""
        return text_attributes.named_texts(source)

    def is_stock_text(self, element: etree._Element, text: str) -> bool:
        """Whether the program itself wrote the text in this element."""
        return text_attributes.is_stock_text(element, text)

    def checked_attributes(self, part: str, source: str) -> Iterator[str]:
        """All but those of a sheet, which contain only positions, such as AB12, and ids of styles."""
        is_sheet = self.type_of(part).endswith("spreadsheetml.worksheet+xml")
        return iter(()) if is_sheet else super().checked_attributes(part, source)

    def hides(self, part: str, outside: str) -> str:
        """How the text of a part without units of its own is hidden; `outside` if it is XML like any other."""
        if part.endswith(".rels"):
            return "a link"
        if "media/" in part:
            return ""
        return outside if self.is_xml(part) else "an embedded part"

    def type_of(self, part: str) -> str:
        """The content type of the part; empty if the file does not say."""
        return self._types.get(part.casefold()) or self._defaults.get(part.rpartition(".")[2].casefold(), "")

    def parts_of_type(self, *endings: str) -> list[str]:
        """The parts whose content type ends like that, in the order of their names, 2 before 10."""
        return sorted((part for part in self.parts if self.type_of(part).endswith(endings)), key=_natural)

    def relationships(self, part: str) -> list[Relationship]:
        """The relationships of a part, or of the file for an empty name."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        if source not in self.container.entries:
            return []
        found: list[Relationship] = []
        for element in self.tree(source).iterchildren(etree.Element):
            target, kind = element.get("Target", ""), element.get("Type", "")
            inside = element.get("TargetMode") != "External"
            part_name = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/") if inside else ""
            found.append(Relationship(element.get("Id", ""), kind.rpartition("/")[2], part_name, target))
        return found

    def is_shown(self, part: str) -> bool:
        """Whether a part may be shown within another, such as a picture, a chart or an embedded object; what people
        read by itself, and formatting, is not.
        """
        return part in self.container.entries and not self.is_structure(part)

    def is_object(self, part: str) -> bool:
        """Also the drawing that has them. Not settings, data, tables and comments, which are related to a text, too."""
        return _OBJECT_FOLDER.search(part) is not None or _OBJECT_TYPE.search(self.type_of(part)) is not None

    def shown_from(self, parts: Iterable[str]) -> set[str]:
        """What these parts show, and what that shows in turn."""
        found: set[str] = set()
        pending = list(parts)
        while pending:
            for related in self.relationships(pending.pop()):
                if related.part not in found and self.is_shown(related.part):
                    found.add(related.part)
                    pending.append(related.part)
        return found

    def shown_below(self, part: str, elements: Iterable[etree._Element]) -> set[str]:
        """What elements of a part show, and what that shows in turn."""
        ids = {value for element in elements for key, value in attributes(element) if "/relationships}" in key}
        direct = {r.part for r in self.relationships(part) if r.id in ids and self.is_shown(r.part)}
        return direct | self.shown_from(direct)

    def shown_with_attributes(self, part: str, texts: Set[str]) -> set[str]:
        """What drawings and links with one of these texts in an attribute show, such as the description of a picture
        or a tooltip.
        """
        drawings = dict.fromkeys(map(_drawing, with_attribute(self.tree(part), texts))) if texts else ()
        return self.shown_below(part, (below for drawing in drawings for below in drawing.iter(etree.Element)))

    def _read_types(self) -> None:
        if CONTENT_TYPES not in self.container.entries:
            raise Damaged("this is not a Word or Excel file: it does not list the types of its parts; save it again")
        for element in self.tree(CONTENT_TYPES).iterchildren(etree.Element):
            kind = element.get("ContentType", "")
            if local(element.tag) == "Override":
                self._types[element.get("PartName", "").lstrip("/").casefold()] = kind
            else:
                self._defaults[element.get("Extension", "").casefold()] = kind


def _drawing(element: etree._Element) -> etree._Element:
    """The drawing whose name and description, or what is in them, the element has; any other element itself."""
    for above in (element, *element.iterancestors()):
        if local(above.tag) in _DESCRIPTIONS:
            drawing = above.getparent()
            if drawing is not None and local(drawing.tag).startswith("nv"):
                drawing = drawing.getparent()
            return above if drawing is None else drawing
    return element


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(step), "") if step.isdigit() and step.isascii() else (0, step) for step in re.split(r"(\d+)", name)]
