"""Whether the order of the bodies in a PDF may depend on what its named destinations are called.

Programs that rewrite a PDF often write the catalog first, and then the objects that it refers to. They reach a page by
its first named destination, in alphabetical order, before they reach it by the page tree. Such a name often repeats a
heading, so that the heading of a classified page decides where its objects follow, and those that it shares.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Object

from sieve.formats.pdf.object_graph import TooManySteps

MAX_DESTINATIONS: Final = 200_000
"""Nodes and destinations that are visited."""


def follows_names(pdf: pikepdf.Pdf, pages: Sequence[Object]) -> bool:
    """Whether the order of bodies may depend on names that lead to one of the `pages`.

    Raises:
        TooManySteps: there are too many names.
    """
    keys = {page.objgen for page in pages}
    return _starts_with_catalog(pdf) and any(target.objgen in keys for target in _targets(pdf))


def _starts_with_catalog(pdf: pikepdf.Pdf) -> bool:
    """Whether the catalog is before the first content of a page."""
    table = pdf.get_xref_table()

    def position(item: Object) -> int:
        entry = table.get(item.objgen)
        if entry is not None and entry.obj_stream_number:
            entry = table.get((entry.obj_stream_number, 0))
        return (entry.offset or 0) if entry is not None else 0

    contents = (page.obj.get("/Contents") for page in pdf.pages)
    listed = (part for item in contents for part in ([*item] if isinstance(item, Array) else [item]))
    return position(pdf.Root) <= min((position(part) for part in listed if isinstance(part, Object)), default=0)


def _targets(pdf: pikepdf.Pdf) -> Iterator[Object]:
    """The pages that named destinations lead to."""
    names = pdf.Root.get("/Names")
    waiting: list[object] = [names.get("/Dests") if isinstance(names, Dictionary) else None]
    old = pdf.Root.get("/Dests")
    found = [*old.values()] if isinstance(old, Dictionary) else []
    left = MAX_DESTINATIONS - len(found)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Dictionary):
            continue
        for key in ("/Kids", "/Names"):
            listed = node.get(key)
            items = [*listed] if isinstance(listed, Array) else []
            left -= 1 + len(items)
            if left < 0:
                raise TooManySteps
            (waiting if key == "/Kids" else found).extend(items)
    for item in found:
        place = item.get("/D") if isinstance(item, Dictionary) else item
        if isinstance(place, Array) and len(place) and isinstance(place[0], Dictionary):
            yield place[0]
