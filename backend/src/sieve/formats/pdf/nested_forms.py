"""Bounds how often a PDF draws forms within forms.

pdfium reads a form again each time that it is drawn: a file of 2 KB whose forms each draw the next three times, 14
deep, keeps it busy for minutes, and no limit of the process names the reason. So this counts before pdfium draws.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from sieve.formats.errors import TooLarge
from sieve.formats.pdf.object_graph import ObjGen
from sieve.formats.pdf.opening import FAULTS, instructions

MAX_ON_A_PAGE: Final = 5_000
"""Forms that the forms of a page may draw, each as often as it is drawn."""
MAX_IN_ALL: Final = 200_000
_ADVICE: Final = "print it to a new PDF, or classify the whole file"


def check_nested_forms(pdf: pikepdf.Pdf) -> None:
    """Raises TooLarge: the forms of a page, or of all pages, draw too many forms."""
    drawings, left = _Drawings(), MAX_IN_ALL
    for number, page in enumerate(pdf.pages, 1):
        try:
            on_page = sum(1 for _ in islice(drawings.within_forms(page.obj), MAX_ON_A_PAGE + 1))
        except FAULTS:
            continue
        if on_page > MAX_ON_A_PAGE:
            raise TooLarge(f"page/{number} draws forms within forms more than {MAX_ON_A_PAGE:,} times; {_ADVICE}")
        left -= on_page
        if left < 0:
            raise TooLarge(f"this PDF draws forms within forms more than {MAX_IN_ALL:,} times; {_ADVICE}")


class _Drawings:
    def __init__(self) -> None:
        self._names: dict[ObjGen, Sequence[str]] = {}

    def within_forms(self, page: Object) -> Iterator[None]:
        """One for each time that a form of `page` draws a form."""
        resources = _resources(page)
        if not any(_may_draw(form) for form in _forms(resources).values()):
            return
        # Of each form that is being drawn: its number, and what it still draws. A form within itself is not drawn.
        path: set[ObjGen] = set()
        open_forms = [((0, 0), self._drawn_by(page, resources))]
        while open_forms:
            number, rest = open_forms[-1]
            drawn = next(rest, None)
            if drawn is None:
                open_forms.pop()
                path.discard(number)
                continue
            form, inherited = drawn
            if len(open_forms) > 1:
                yield
            if form.objgen not in path:
                path.add(form.objgen)
                open_forms.append((form.objgen, self._drawn_by(form, _resources(form, inherited))))

    def _drawn_by(self, scope: Object, resources: Object | None) -> Iterator[tuple[Object, Object | None]]:
        """The forms that a page or form draws, in order, and the resources that they inherit."""
        names = self._names.get(scope.objgen)
        if names is None:
            names = self._names[scope.objgen] = _drawn_names(scope)
        forms = _forms(resources) if names else {}
        return ((forms[name], resources) for name in names if name in forms)


def _drawn_names(scope: Object) -> Sequence[str]:
    try:
        return [str(each.operands[-1]) for each in instructions(scope, "Do") if len(each.operands)]
    except FAULTS:
        return ()


def _resources(scope: Object, inherited: Object | None = None) -> Object | None:
    resources = scope.get("/Resources")
    return resources if isinstance(resources, Dictionary) else inherited


def _forms(resources: Object | None) -> dict[str, Object]:
    listed = resources.get("/XObject") if resources is not None else None
    if not isinstance(listed, Dictionary):
        return {}
    return {
        name: value
        for name, value in listed.items()
        if isinstance(value, Stream) and value.get("/Subtype") == Name.Form
    }


def _may_draw(form: Object) -> bool:
    own = form.get("/Resources")
    return not isinstance(own, Dictionary) or bool(_forms(own))
