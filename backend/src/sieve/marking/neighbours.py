"""Which units are neighbours, so that a hit may go on from one to the next: paragraphs of a story, pages, and cells of
a column. The lines of a private key may be a unit each.

Invariant: units are processed as a stream. A batch grows beyond its size only while a private key is open in it, and
never beyond `LONGEST`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sieve.core.units import Unit
from sieve.marking.detectors.credentials import MAX_PRIVATE_KEY, keys_left_open
from sieve.marking.detectors.registry import Detector
from sieve.marking.ranges import Range

LONGEST: Final = 1 << 20
"""Characters of a batch in which private keys begin without an end."""

_LINE_END: Final = "\n"
_ROW: Final = re.compile(r"(.*\brow/)[0-9]+(/.*)", re.DOTALL)
DIGITS: Final = "0123456789"


def batches(units: Iterable[Unit], size: int) -> Iterator[list[Unit]]:
    """The units in lists of a little more than `size` characters, and more where a private key goes on."""
    batch: list[Unit] = []
    length = open_keys = until = 0
    for unit in units:
        batch.append(unit)
        length += len(unit.text) + 1
        if more := keys_left_open(unit.text):
            open_keys = max(0, open_keys + more)
            if more > 0:
                until = min(length + MAX_PRIVATE_KEY, LONGEST)
        if length > size and (not open_keys or length > until):
            yield batch
            batch, length, open_keys = [], 0, 0
    if batch:
        yield batch


def across_units(detector: Detector, batch: Sequence[Unit]) -> Iterator[tuple[int, Range]]:
    """The hits that may go on in the next unit, as parts of units: the index in `batch` and the range."""
    lanes: dict[object, list[int]] = {}
    for index, unit in enumerate(batch):
        lanes.setdefault(lane(unit), []).append(index)
    for indices in lanes.values():
        places = iter(detector.find_across(_LINE_END.join(batch[index].text for index in indices)))
        place = next(places, None)
        start = 0
        for index in indices:
            end = start + len(batch[index].text)
            while place and place[0] < end:
                if place[1] > start:
                    yield index, (max(place[0], start) - start, min(place[1], end) - start)
                if place[1] > end:
                    break
                place = next(places, None)
            start = end + len(_LINE_END)


def lane(unit: Unit) -> tuple[object, ...]:
    """What neighbours have in common: the address without their number, and the columns of tables around them."""
    if row := _ROW.fullmatch(unit.address):
        return row.groups()
    return unit.address.rstrip(DIGITS), tuple((cell.table, cell.column) for cell in unit.cells)
