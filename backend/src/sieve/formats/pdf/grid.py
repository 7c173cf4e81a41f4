"""Places of letters that reveal where a line continues after a bar, but not more exactly than to a quarter of a point.

To round each letter is not enough: many letters, each rounded by itself, reveal the place of all of them to a hundredth
of a point. So only the first letter of a run is rounded. The others follow it at the widths of the letters between
them, and what their producer adds to these widths is rounded, too.
"""

from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

from sieve.formats.pdf.bars import is_drawn
from sieve.formats.pdf.rendering import NOWHERE, Box

GRID: Final = 0.25
"""Points. The distance of two words with a bar between them is a multiple of it."""
_BLANK: Final = 0.2
"""The width of a blank beside a bar, as a part of the height of the letters beside it."""
_DECIMALS: Final = 2
"""Of the widths of letters: pdfium calculates them from places on the page, which leave traces in further ones."""


class Placed(NamedTuple):
    """A letter on the grid."""

    box: Box
    is_vertical: bool
    """Whether its line runs up or down."""


def snapped(value: float) -> float:
    """The nearest multiple of GRID."""
    return round(value / GRID) * GRID


def placed(text: str, boxes: Sequence[Box], marked: Set[int]) -> list[Placed]:
    """Each code point of a page's `text` on the grid. `marked`: those that a bar replaces, which end a run."""
    found = [Placed(Box(*map(snapped, box)), False) for box in boxes]
    letters: set[int] = set()
    level: set[int] = set()
    for run in _runs(text, boxes, marked):
        first, last = boxes[run[0]], boxes[run[-1]]
        across = last.left + last.right - first.left - first.right
        down = last.top + last.bottom - first.top - first.bottom
        is_vertical = abs(down) > abs(across)
        backwards = (down if is_vertical else across) < 0
        letters.update(run)
        if not is_vertical and not backwards:
            level.update(run)
        edges = [_along(boxes[at], is_vertical, backwards) for at in run]
        for at, (start, end) in zip(run, _even(edges), strict=True):
            low, high = (-end, -start) if backwards else (start, end)
            box = found[at].box
            placed_box = Box(box.left, low, box.right, high) if is_vertical else Box(low, box.top, high, box.bottom)
            found[at] = Placed(placed_box, is_vertical)
    for at, character in enumerate(text):
        if at not in letters and at not in marked and character != "\n":
            before, after = (found[beside].box if beside in level else None for beside in (at - 1, at + 1))
            found[at] = Placed(_blank(before, after), False)
    return found


def _blank(before: Box | None, after: Box | None) -> Box:
    """The place of a blank between these letters of a line from left to right: its own edges may reveal where the text
    under a bar ends.
    """
    if before is not None and after is not None:
        return Box(before.right, before.top, max(before.right, after.left), before.bottom)
    if before is not None:
        return Box(before.right, before.top, before.right + (before.bottom - before.top) * _BLANK, before.bottom)
    if after is not None:
        return Box(after.left - (after.bottom - after.top) * _BLANK, after.top, after.left, after.bottom)
    return NOWHERE


def _runs(text: str, boxes: Sequence[Box], marked: Set[int]) -> Iterator[list[int]]:
    """The characters between bars and ends of lines that have a place."""
    run: list[int] = []
    for at, box in enumerate(boxes):
        if text[at] == "\n" or at in marked:
            if run:
                yield run
            run = []
        elif is_drawn(text[at], box):
            run.append(at)
    if run:
        yield run


def _along(box: Box, is_vertical: bool, backwards: bool) -> tuple[float, float]:
    """Where a letter starts and ends, in the direction of its line."""
    low, high = (box.top, box.bottom) if is_vertical else (box.left, box.right)
    return (-high, -low) if backwards else (low, high)


def _even(edges: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The letters of a line, each after the widths of those before it and rounded gaps."""
    origin, advanced = edges[0][0], 0.0
    for start, end in edges:
        width = round(end - start, _DECIMALS)
        at = round(snapped(origin) + advanced + snapped(start - origin - advanced), _DECIMALS)
        yield at, round(at + width, _DECIMALS)
        advanced += width
