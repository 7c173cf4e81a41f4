"""The text that the drawing instructions of a page show: each string with its font, in the order of drawing.

Beside it, the names of resources that they use. It is a second opinion beside pdfium, and the base of every proof about
the codes of fonts. Invariant: it is complete or missing. Where a page shows text in a way that is not followed here,
the page has no shown text at all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pikepdf import Array, Dictionary, Name, Object, Stream, String

from sieve.formats.pdf.object_graph import ObjGen
from sieve.formats.pdf.opening import FAULTS, instructions

MAX_INSTRUCTIONS: Final = 500_000
"""Instructions that are followed in one PDF; pages after that have no shown text."""
MAX_CONTENT: Final = 32 << 20
"""Unpacked bytes of content that are followed in one PDF."""
_MAX_DEPTH: Final = 16
_CATEGORIES: Final = {
    **{"Tf": "/Font", "gs": "/ExtGState", "Do": "/XObject", "cs": "/ColorSpace", "CS": "/ColorSpace"},
    **{"scn": "/Pattern", "SCN": "/Pattern", "sh": "/Shading", "BDC": "/Properties", "DP": "/Properties"},
    "ID": "/ColorSpace",
}
"""Where operators have the names that they use. ID comes after the keys and values of an inline image."""
_SPACE: Final = 200
"""Thousandths of the size of a font. Narrow spaces take as much, and kerning takes less."""
_UNCOUNTED: Final = frozenset({"scn", "SCN", "sh", "BMC", "BDC", "EMC", "DP", "ID"})
"""Operators that no text, font or image depends on. They do not count as instructions: a tagged page, or one with many
colours, must not use up what other pages need for their second opinion. `MAX_CONTENT` bounds them."""
_FOLLOWED: Final = "q Q BT ET Tf Td TD Tm T* Tj TJ ' \" gs Do cs CS " + " ".join(_UNCOUNTED)


class Shown(NamedTuple):
    """A string that a page shows."""

    font: ObjGen
    """(0, 0) for a font that is a direct object, or is missing."""
    codes: bytes
    starts: bool
    """Whether it may begin a new word, since it is placed by itself."""
    has_gap: bool
    """Whether a gap before it may be a space."""
    in_form: bool
    """Whether a form of the page shows it."""
    has_text: bool
    """Whether the instructions give its text (`ActualText`), since its codes alone would say another one."""


class ResourceName(NamedTuple):
    """A name of a resource that drawing instructions use, and what it stands for."""

    category: str
    name: str
    """Empty if it cannot be read."""
    value: ObjGen | bytes
    """Bytes for a direct object."""


class Cost(NamedTuple):
    """What following pages takes."""

    instructions: int
    content: int
    """Unpacked bytes."""


class NotFollowed(Exception):
    """A page shows text in a way that is not followed."""


class TooMuchText(NotFollowed):
    """The pages have more content than is followed."""


class ShownText:
    """Reads the text that pages show."""

    def __init__(self) -> None:
        self._instructions = MAX_INSTRUCTIONS
        self._content = MAX_CONTENT
        self.forms: set[ObjGen] = set()
        """Forms that the last page draws."""
        self.drawn: set[ObjGen] = set()
        """These forms, images, and what colour spaces refer to: what the page surely needs, and not only names."""
        self.names: set[ResourceName] = set()
        """What the instructions of the last page, and of these forms, name. A name within a text does not count."""

    @property
    def cost(self) -> Cost:
        """Of everything that was followed."""
        return Cost(MAX_INSTRUCTIONS - self._instructions, MAX_CONTENT - self._content)

    def of_page(self, page: Object) -> list[Shown]:
        """What `page` shows, and the forms that it draws.

        Raises:
            NotFollowed: it cannot be read with certainty, or there is too much of it.
        """
        self.forms, self.drawn, self.names = set(), set(), set()
        return self._all_of(page)

    def of_form(self, form: Object) -> list[Shown]:
        """What `form` shows by itself.

        Raises:
            NotFollowed: as for a page.
        """
        return self._all_of(form)

    def _all_of(self, scope: Object) -> list[Shown]:
        try:
            return list(self._of(scope, scope.get("/Resources"), 0))
        except (IndexError, *FAULTS):
            raise NotFollowed from None

    def _of(self, scope: Object, resources: object, depth: int, font: ObjGen = (0, 0)) -> Iterator[Shown]:
        """`font`: that of its caller, which a form keeps until it chooses another one."""
        if depth > _MAX_DEPTH:
            raise NotFollowed
        contents = scope if isinstance(scope, Stream) else scope.get("/Contents")
        for stream in contents if isinstance(contents, Array) else [contents]:
            self._content -= len(stream.read_bytes()) if isinstance(stream, Stream) else 0
        if self._content < 0:
            raise TooMuchText
        kept: list[ObjGen] = []
        has_text: list[bool] = []
        texts = 0
        seen: set[tuple[str, str]] = set()
        starts = True
        for instruction in instructions(scope, _FOLLOWED):
            # Operators take their operands from the end: pdfium ignores what is before these.
            operator, operands = str(instruction.operator), [*instruction.operands]
            if operator in _CATEGORIES:
                self.names.update(_names(resources, operator, operands, seen))
            self._instructions -= operator not in _UNCOUNTED
            if self._instructions < 0:
                raise TooMuchText
            match operator:
                case "q":
                    kept.append(font)
                case "Q":
                    font = kept.pop() if kept else font
                case "Tf":
                    font = _objgen(_entry(resources, "/Font", operands[-2]))
                case "gs":
                    chosen = _dictionary(_entry(resources, "/ExtGState", operands[-1])).get("/Font")
                    font = _objgen(chosen[0]) if isinstance(chosen, Array) else font
                case "Do":
                    form = _entry(resources, "/XObject", operands[-1])
                    self.drawn.add(_objgen(form))
                    if isinstance(form, Stream) and form.get("/Subtype") == Name.Form:
                        self.forms.add(form.objgen)
                        yield from self._of(form, form.get("/Resources", resources), depth + 1, font)
                    starts = True
                case "cs" | "CS":
                    space = _entry(resources, "/ColorSpace", operands[-1])
                    self.drawn.update(_objgen(part) for part in ([*space] if isinstance(space, Array) else ()))
                case "Tj" | "'" | '"':
                    yield Shown(font, _codes(operands[-1]), starts or operator != "Tj", False, depth > 0, texts > 0)
                    starts = False
                case "TJ":
                    gap = 0.0
                    for item in operands[-1]:
                        if isinstance(item, String):
                            yield Shown(font, bytes(item), starts, gap >= _SPACE, depth > 0, texts > 0)
                            starts, gap = False, 0.0
                        else:
                            gap -= float(item)
                case "Td" | "TD" | "Tm" | "T*" | "BT" | "ET":
                    starts = True
                case "BMC" | "BDC":
                    has_text.append(operator == "BDC" and _has_text(resources, operands[-1]))
                    texts += has_text[-1]
                case "EMC":
                    texts -= has_text.pop() if has_text else 0


def _has_text(resources: object, properties: object) -> bool:
    """Whether the `properties` of marked content may give the text of what it shows."""
    if isinstance(properties, Name):
        try:
            properties = _entry(resources, "/Properties", properties)
        except ValueError:  # the name is not in UTF-8
            return True
    return "/ActualText" in _dictionary(properties)


def _codes(value: object) -> bytes:
    if not isinstance(value, String):
        raise NotFollowed
    return bytes(value)


def _names(
    resources: object, operator: str, operands: Sequence[object], seen: set[tuple[str, str]]
) -> Iterator[ResourceName]:
    """The names of resources among the operands, without those in `seen`, to which it adds them: to compare a resource
    takes as long as it is large. Of other names, such as /DeviceRGB, there is no resource."""
    category = _CATEGORIES[operator]
    # The first operand of BDC is a tag, the second one of Tf a size.
    named = operands if operator == "ID" else operands[-2:-1] if operator == "Tf" else operands[-1:]
    for operand in named:
        if not isinstance(operand, Name):
            continue
        try:
            if (category, str(operand)) in seen:
                continue
            seen.add((category, str(operand)))
            value = _entry(resources, category, operand)
            if value is not None:
                yield ResourceName(category, str(operand), _identity(value))
        except ValueError:  # it is not in UTF-8
            yield ResourceName(category, "", b"")


def _identity(value: object) -> ObjGen | bytes:
    if not isinstance(value, Object):
        return repr(value).encode()
    return value.objgen if value.is_indirect else value.unparse()


def _entry(resources: object, category: str, name: object) -> object:
    return _dictionary(_dictionary(resources).get(category)).get(str(name))


def _dictionary(value: object) -> Object:
    return value if isinstance(value, (Dictionary, Stream)) else Dictionary()


def _objgen(value: object) -> ObjGen:
    return value.objgen if isinstance(value, Object) else (0, 0)
