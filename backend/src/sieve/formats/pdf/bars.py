"""Where the bars of a redacted page are.

A bar covers the marked characters of one line. Invariant: its ends follow from what stays on the page, not from what is
removed. It reaches from the unmarked text before it to the unmarked text after it. Where a line has no such text, it
reaches to the margin of the unmarked text, or to the edge of the page. So a bar between two words tells the width
of what it replaces, as the gap between these words does, and a bar at the end of a line does not. Its height is that of
its line.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from sieve.formats.pdf.rendering import Box
from sieve.formats.pdf.words import around, share_line

_GAP: Final = 0.12
"""The part of a bar's height that stays free between it and its neighbours."""
_SLACK: Final = 1.0
"""Points by which a line may begin before the others, or end after them."""
_SHARED: Final = 0.25
"""The part of the height that a character needs to share with a bar to be its neighbour."""


class Bar(NamedTuple):
    """A bar and the code points that it replaces, in order."""

    box: Box
    replaced: tuple[int, ...]


def bars(text: str, boxes: Sequence[Box], ranges: Iterable[tuple[int, int]], size: tuple[float, float]) -> list[Bar]:
    """The bars over the `ranges` of a page's `text`. `boxes`: of each code point. `size`: width and height of the page.

    Marked characters without a place on the page are in no bar.
    """
    marked = {at for start, end in ranges for at in range(start, end)}
    kept = [box for at, box in enumerate(boxes) if at not in marked and is_drawn(text[at], box)]
    found: list[Bar] = []
    for run in _runs(text, boxes, marked):
        box = _heightened(run, text, boxes)
        if _is_vertical(run, boxes):
            box = _turned(_widened(_turned(box), [*map(_turned, kept)], size[::-1]))
        else:
            box = _widened(box, kept, size)
        # Two marks with nothing but blanks between them are one bar.
        replaced = found.pop().replaced + run.replaced if found and found[-1].box == box else run.replaced
        found.append(Bar(box, replaced))
    return found


def is_drawn(character: str, box: Box) -> bool:
    """Whether it is visible in the box, and no blank."""
    return box.right > box.left and not character.isspace()


def _runs(text: str, boxes: Sequence[Box], marked: set[int]) -> Iterator[Bar]:
    """The marked characters that follow each other on one line, and the box around them."""
    held: Box | None = None
    replaced: list[int] = []
    last, tallest = -1, 0.0
    for at in sorted(marked):
        box = boxes[at]
        visible = is_drawn(text[at], box)
        ends = at != last + 1 or text[at] == "\n" or (visible and held is not None and not _goes_on(held, box, tallest))
        if held is not None and ends:
            yield Bar(held, tuple(replaced))
            held, replaced, tallest = None, [], 0.0
        last = at
        if visible:
            held = box if held is None else around(held, box)
            tallest = max(tallest, box.bottom - box.top)
            replaced.append(at)
    if held is not None:
        yield Bar(held, tuple(replaced))


def _goes_on(held: Box, box: Box, tallest: float) -> bool:
    whole = around(held, box)
    is_slope = whole.bottom - whole.top > 1.6 * tallest and whole.right - whole.left > 2 * (box.right - box.left)
    return share_line(held, box) and not is_slope


def _is_vertical(run: Bar, boxes: Sequence[Box]) -> bool:
    """Whether the text runs up or down."""
    first, last = boxes[run.replaced[0]], boxes[run.replaced[-1]]
    across = abs(last.left + last.right - first.left - first.right)
    return abs(last.top + last.bottom - first.top - first.bottom) > across


def _turned(box: Box) -> Box:
    return Box(box.top, box.left, box.bottom, box.right)


def _heightened(bar: Bar, text: str, boxes: Sequence[Box]) -> Box:
    """The bar as high as its line: as the letters before and after it that have about its size."""
    own = bar.box.bottom - bar.box.top
    top, bottom = bar.box.top, bar.box.bottom
    for step, start in ((-1, bar.replaced[0]), (1, bar.replaced[-1])):
        at = start + step
        while 0 <= at < len(text) and text[at] != "\n":
            box = boxes[at]
            at += step
            height = box.bottom - box.top
            if box.right <= box.left:
                continue
            if min(bar.box.bottom, box.bottom) - max(bar.box.top, box.top) < 0.5 * min(own, height):
                break
            if height <= 1.5 * own:
                top, bottom = min(top, box.top), max(bottom, box.bottom)
    return Box(bar.box.left, top, bar.box.right, bottom)


def _widened(run: Box, kept: Sequence[Box], size: tuple[float, float]) -> Box:
    """`run` from its neighbour on the left to that on the right. `kept`: the unmarked characters of the page."""
    left, top, right, bottom = run
    height = bottom - top
    beside = [
        box for box in kept if min(bottom, box.bottom) - max(top, box.top) > _SHARED * min(height, box.bottom - box.top)
    ]
    before = max((box.right for box in beside if box.left + box.right <= left + right), default=None)
    after = min((box.left for box in beside if box.left + box.right > left + right), default=None)
    margin = min((box.left for box in kept), default=0.0)
    edge = max([size[0] - margin, *(box.right for box in kept)])
    gap = _GAP * height
    start = margin if left >= margin - _SLACK else 0.0
    if before is not None:
        start = before + gap if before + gap <= left else before
    end = edge if right <= edge + _SLACK else size[0]
    if after is not None:
        end = after - gap if after - gap >= right else after
    return Box(max(0.0, start), top, min(size[0], max(start, end)), bottom)
