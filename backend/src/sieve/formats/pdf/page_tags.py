"""Which pages of a tagged PDF have text that is in no paragraph, heading, cell or the like.

Typst writes the language of a text into the drawing instructions where it is not the one of the element around it. For
text outside of such elements that is the language of the document, which a classified page may decide.
"""

from functools import cached_property
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Object

from sieve.formats.pdf.object_graph import ObjGen
from sieve.formats.pdf.opening import FAULTS

_WITH_TEXT: Final = frozenset(
    {"/P", "/H1", "/H2", "/H3", "/H4", "/H5", "/H6", "/Lbl", "/LBody", "/TD", "/TH", "/Caption"}
)
_MAX_DEPTH: Final = 32


class PageTags:
    """The tags of the pages of one PDF."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._root = pdf.Root.get("/StructTreeRoot")
        self._has_text: dict[ObjGen, bool] = {}

    def have_loose_text(self, page: Object) -> bool:
        """Whether `page` may show text outside of paragraphs and the like. False for a page without tags."""
        number = page.get("/StructParents")
        if number is None:
            return False
        try:
            return not all(map(self._is_in_text, self._elements[int(number)]))
        except FAULTS:
            return True

    @cached_property
    def _elements(self) -> dict[int, Array]:
        """The elements of the marked content of each page, by the number of the page among those with tags."""
        tree = self._root.get("/ParentTree") if isinstance(self._root, Dictionary) else None
        numbers = tree.get("/Nums") if isinstance(tree, Dictionary) else None
        pairs = [*numbers] if isinstance(numbers, Array) else []
        return {int(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True) if isinstance(value, Array)}

    def _is_in_text(self, element: Object) -> bool:
        if not element.is_indirect:
            return False
        if element.objgen not in self._has_text:
            self._has_text[element.objgen] = any(str(above.S) in _WITH_TEXT for above in _path(element))
        return self._has_text[element.objgen]


def _path(element: Object) -> list[Object]:
    """The element, and those that it is in, up to the root of the tags."""
    found: list[Object] = []
    above: Object | None = element
    while len(found) < _MAX_DEPTH and isinstance(above, Dictionary) and "/S" in above:
        found.append(above)
        above = above.get("/P")
    return found
