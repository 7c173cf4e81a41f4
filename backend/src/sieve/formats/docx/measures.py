"""Sizes that Word derives from text: a redacted edition must not have those of text that is withheld.

Word fits the columns of a table to their text, unless its layout is fixed, and writes their widths into the file. Text
boxes can grow with their text, too.
"""

from collections.abc import Iterable
from typing import Final

from lxml import etree

from sieve.formats.docx.paragraphs import w
from sieve.formats.office.xml_source import attributes, local

COLUMN: Final = 2_000
"""In twentieths of a point."""
WIDTH: Final = 3_600_000
HEIGHT: Final = 400_000
"""In EMU, 360,000 to a centimetre."""
_TABLE: Final = w("tbl")
_DRAWING: Final = w("drawing")


def forget(holders: Iterable[etree._Element]) -> set[etree._Element]:
    """Makes the sizes of tables and text boxes independent of the text in `holders`, their paragraphs.

    Returns the drawings that group such a text box with others: the size of a group follows from all that is in it.
    """
    tables: set[etree._Element] = set()
    shapes: set[etree._Element] = set()
    for holder in holders:
        for above in holder.iterancestors():
            # All of them: a table in a cell determines widths of the table around it.
            if above.tag in _TABLE:
                tables.add(above)
            elif local(above.tag) == "wsp":
                shapes.add(above)
    for table in tables:
        _forget_widths(table)
    return {drawing for shape in shapes if (drawing := _forget_size(shape)) is not None}


def _forget_widths(table: etree._Element) -> None:
    if any(_value(layout, "type") == "fixed" for layout in table.iterfind("{*}tblPr/{*}tblLayout")):
        return
    for column in table.iterfind("{*}tblGrid/{*}gridCol"):
        _set(column, "w", str(COLUMN))
    for width in table.iterfind("{*}tr/{*}tc/{*}tcPr/{*}tcW"):
        _set(width, "w", "0")
        _set(width, "type", "auto")


def _forget_size(shape: etree._Element) -> etree._Element | None:
    """The drawing, if the shape grows with its text and is in a group."""
    body = next((child for child in shape if local(child.tag) == "bodyPr"), None)
    if body is None:
        return None
    for fits in body.iterchildren("{*}normAutofit"):
        fits.attrib.clear()
    constants = {}
    if body.get("wrap") == "none":
        constants["cx"] = WIDTH
    if any(True for _ in body.iterchildren("{*}spAutoFit")):
        constants["cy"] = HEIGHT
    if not constants:
        return None
    drawing = next(shape.iterancestors(*_DRAWING), None)
    if any(local(above.tag) in ("wgp", "wpc") for above in shape.iterancestors()):
        return drawing
    sizes = list(shape.iterfind("{*}spPr/{*}xfrm/{*}ext"))
    if drawing is not None:
        sizes += drawing.iterfind("{*}inline/{*}extent")
        sizes += drawing.iterfind("{*}anchor/{*}extent")
    for size in sizes:
        for key, constant in constants.items():
            size.set(key, str(constant))
    return None


def _value(element: etree._Element, name: str) -> str:
    return next((value for key, value in attributes(element) if local(key) == name), "")


def _set(element: etree._Element, name: str, value: str) -> None:
    """Sets the attribute in the namespace that it has; leaves it out if the element does not have it."""
    for key, _ in attributes(element):
        if local(key) == name:
            element.set(key, value)
