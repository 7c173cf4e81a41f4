"""Sizes that programs derive from text: a redacted edition must not have those of text that is withheld.

A box that grows with its text keeps the edge or the centre that its author chose, and gets a constant size. Rows of
tables get a constant height. The scale by which text was made to fit is left out.
"""

from typing import Final

from lxml import etree

from sieve.formats.office.xml_source import local
from sieve.formats.pptx.paragraphs import a, p

WIDTH: Final = 3_600_000
HEIGHT: Final = 400_000
"""In EMU, 360,000 to a centimetre."""
_BODY: Final = a("bodyPr")
_GROWS: Final = a("spAutoFit")
_FITS: Final = a("normAutofit")
_SHAPE: Final = p("sp", "cxnSp")
_FRAME: Final = p("graphicFrame")
_ROW: Final = a("tr")
_PROPERTIES: Final = a("pPr")
_TRANSFORM: Final = a("xfrm")
_MOST_DIGITS: Final = 12


def forget(holders: set[etree._Element]) -> None:
    """Makes the sizes of shapes and rows of tables independent of the text in `holders`, their paragraphs."""
    frames: set[etree._Element] = set()
    shapes: set[etree._Element] = set()
    for holder in holders:
        row = next(holder.iterancestors(*_ROW), None)
        if row is not None:
            row.set("h", str(HEIGHT))
            frames.update(holder.iterancestors(*_FRAME))
        else:
            shapes.update(holder.iterancestors(*_SHAPE))
    for shape in shapes:
        _forget_size(shape)
    for frame in frames:
        heights = [number(row.get("h", "")) for row in frame.iter(*_ROW)]
        for size in _sizes(frame):
            size.set("cy", str(sum(heights)))


def _forget_size(shape: etree._Element) -> None:
    body = next(shape.iter(*_BODY), None)
    if body is None:
        return
    for fits in body.iterchildren(*_FITS):
        fits.attrib.clear()
    is_wide = body.get("wrap") == "none"
    is_high = any(True for _ in body.iterchildren(*_GROWS))
    aligned = next((one.get("algn", "") for one in shape.iter(*_PROPERTIES)), "")
    for transform in shape.iter(*_TRANSFORM):
        place, size = (next(transform.iterchildren(*a(name)), None) for name in ("off", "ext"))
        if place is not None and size is not None:
            if is_wide:
                _resize(place, size, "x", WIDTH, {"ctr": 2, "r": 1}.get(aligned, 0))
            if is_high:
                _resize(place, size, "y", HEIGHT, {"ctr": 2, "b": 1}.get(body.get("anchor", ""), 0))


def _resize(place: etree._Element, size: etree._Element, axis: str, constant: int, part: int) -> None:
    """`part`: by which part of the difference the place moves: 0 for none, 1 for all, 2 for a half."""
    if part:
        place.set(axis, str(number(place.get(axis, "")) + (number(size.get(f"c{axis}", "")) - constant) // part))
    size.set(f"c{axis}", str(constant))


def _sizes(frame: etree._Element) -> list[etree._Element]:
    return [size for child in frame if local(child.tag) == "xfrm" for size in child.iterchildren(*a("ext"))]


def number(said: str) -> int:
    """A measure of the file; 0 if it is none."""
    digits = said.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(said) if is_number else 0
