"""Areas of pages, as marks name them: page/1/area/LEFT,TOP-RIGHT,BOTTOM, in whole numbers from the upper left corner of
the page as it is shown, without the right column and the lower row. A picture counts pixels, a PDF points.
"""

import re
from typing import Final, NamedTuple

from sieve.core.units import Mark
from sieve.formats.errors import UnknownPlace

_AREA: Final = re.compile(
    r"page/([1-9][0-9]{0,5})/area/([0-9]{1,5}),([0-9]{1,5})-([0-9]{1,5}),([0-9]{1,5})",
)


class Area(NamedTuple):
    """A rectangle with at least one pixel or point."""

    left: int
    top: int
    right: int
    bottom: int


def marked_area(mark: Mark) -> tuple[int, Area] | None:
    """The number of the page, from 1, and the area that the mark names; None if its address is none of an area."""
    found = _AREA.fullmatch(mark.address)
    return found and (int(found[1]), Area(*map(int, found.groups()[1:])))


def check_area(mark: Mark, area: Area, width: int, height: int, unit: str) -> None:
    """Checks a mark of an area on a page of that size. `unit`: what is counted, in plural.

    Raises:
        UnknownPlace: the area has nothing or is not within the page, or the mark names characters.
    """
    if mark.start is not None or mark.end is not None:
        raise UnknownPlace(mark.address, "an area has no characters; mark all of it")
    if not (area.left < area.right <= width and area.top < area.bottom <= height):
        raise UnknownPlace(mark.address, f"the page has {width} x {height} {unit}, and an area at least one")
