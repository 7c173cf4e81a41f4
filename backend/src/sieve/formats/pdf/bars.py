"""Where the bars of a redacted page are.

A bar covers the marked characters of one line. Invariant: its ends follow from what stays on the page, not from what is
removed. It reaches from the unmarked text before it to the unmarked text after it. Where a line has no such text, it
reaches to the margin of the unmarked text, or to the edge of the page. So a bar between two words reveals the width
of what it replaces, as the gap between these words does, and a bar at the end of a line does not. Its height is that of
the unmarked letters beside it, or of the largest marked ones.
"""

from collections import defaultdict
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
_LIKE: Final = (0.85, 1.5)
"""How high a letter is, as a part of the height of a bar, to belong to the bar's line; raised digits do not."""
_STRIPS: Final = 128
"""Into which a page is cut, so that the neighbours of a bar are looked up among few letters."""


class Bar(NamedTuple):
    """A bar and the code points that it replaces, in order."""

    box: Box
    replaced: tuple[int, ...]
    is_vertical: bool = False
    """Whether its text runs up or down."""


def bars(text: str, boxes: Sequence[Box], ranges: Iterable[tuple[int, int]], size: tuple[float, float]) -> list[Bar]:
    """The bars over the `ranges` of a page's `text`. `boxes`: of each code point. `size`: width and height of the page.

    Marked characters without a place on the page are in no bar.
    """
    marked = {at for start, end in ranges for at in range(start, end)}
    turned = [*map(_turned, boxes)]
    stays = [at for at, box in enumerate(boxes) if at not in marked and is_drawn(text[at], box)]
    across, down = _Letters([boxes[at] for at in stays], size), _Letters([turned[at] for at in stays], size[::-1])
    found: list[Bar] = []
    for run in _runs(text, boxes, marked):
        if run.is_vertical:
            box = _turned(down.widened(_at_height(run.replaced, text, turned, marked)))
        else:
            box = across.widened(_at_height(run.replaced, text, boxes, marked))
        # Two marks with nothing but blanks between them are one bar.
        replaced = found.pop().replaced + run.replaced if found and found[-1].box == box else run.replaced
        found.append(Bar(box, replaced, run.is_vertical))
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
            yield _run(held, replaced, boxes)
            held, replaced, tallest = None, [], 0.0
        last = at
        if visible:
            held = box if held is None else around(held, box)
            tallest = max(tallest, box.bottom - box.top)
            replaced.append(at)
    if held is not None:
        yield _run(held, replaced, boxes)


def _run(box: Box, replaced: Sequence[int], boxes: Sequence[Box]) -> Bar:
    first, last = boxes[replaced[0]], boxes[replaced[-1]]
    across = abs(last.left + last.right - first.left - first.right)
    return Bar(box, tuple(replaced), abs(last.top + last.bottom - first.top - first.bottom) > across)


def _goes_on(held: Box, box: Box, tallest: float) -> bool:
    whole = around(held, box)
    is_slope = whole.bottom - whole.top > 1.6 * tallest and whole.right - whole.left > 2 * (box.right - box.left)
    return share_line(held, box) and not is_slope


def _turned(box: Box) -> Box:
    return Box(box.top, box.left, box.bottom, box.right)


def _at_height(replaced: Sequence[int], text: str, boxes: Sequence[Box], marked: set[int]) -> Box:
    """The box around the marked letters, as high as the nearest unmarked letters of the line, or as the largest marked
    ones: marked letters that are smaller, raised or lowered must not show.
    """
    own = [boxes[at] for at in replaced]
    whole = Box(*(edge(edges) for edge, edges in zip((min, min, max, max), zip(*own, strict=True), strict=True)))
    tallest = max(box.bottom - box.top for box in own)
    large = [box for box in own if box.bottom - box.top >= _LIKE[0] * tallest]
    beside = [_nearest(range(replaced[0] - 1, -1, -1), text, boxes, marked, large[0])]
    beside.append(_nearest(range(replaced[-1] + 1, len(text)), text, boxes, marked, large[-1]))
    line = [box for box in beside if box is not None] or large
    return Box(whole.left, min(box.top for box in line), whole.right, max(box.bottom for box in line))


def _nearest(places: range, text: str, boxes: Sequence[Box], marked: set[int], own: Box) -> Box | None:
    """The first unmarked letter at the `places`, before the line ends, that is about as high as `own` and beside it."""
    height = own.bottom - own.top
    for at in places:
        if text[at] == "\n":
            return None
        box = boxes[at]
        if at in marked or not is_drawn(text[at], box):
            continue
        if _shared(own, box) < 0.5 * min(height, box.bottom - box.top):
            return None
        if _LIKE[0] * height <= box.bottom - box.top <= _LIKE[1] * height:
            return box
    return None


def _shared(one: Box, other: Box) -> float:
    """How much of their height two boxes have in common; negative if none."""
    return min(one.bottom, other.bottom) - max(one.top, other.top)


class _Letters:
    """The unmarked characters of a page, by strips of it."""

    def __init__(self, kept: Sequence[Box], size: tuple[float, float]) -> None:
        self._width, self._strip = size[0], size[1] / _STRIPS
        self._margin = min((box.left for box in kept), default=0.0)
        self._edge = max([size[0] - self._margin, *(box.right for box in kept)])
        self._strips: defaultdict[int, list[Box]] = defaultdict(list)
        for box in kept:
            for strip in self._over(box):
                self._strips[strip].append(box)

    def widened(self, run: Box) -> Box:
        """`run` from its neighbour on the left to that on the right."""
        left, top, right, bottom = run
        height = bottom - top
        beside = [
            box
            for strip in self._over(run)
            for box in self._strips[strip]
            if _shared(run, box) > _SHARED * min(height, box.bottom - box.top)
        ]
        before = max((box.right for box in beside if box.left + box.right <= left + right), default=None)
        after = min((box.left for box in beside if box.left + box.right > left + right), default=None)
        gap = _GAP * height
        start = self._margin if left >= self._margin - _SLACK else 0.0
        if before is not None:
            start = before + gap if before + gap <= left else before
        end = self._edge if right <= self._edge + _SLACK else self._width
        if after is not None:
            end = after - gap if after - gap >= right else after
        return Box(max(0.0, start), top, min(self._width, max(start, end)), bottom)

    def _over(self, box: Box) -> range:
        """The strips that a box touches; the first and the last one go on beyond the page."""
        first, last = (int(min(max(0.0, edge / self._strip), _STRIPS - 1)) for edge in (box.top, box.bottom))
        return range(first, last + 1)
