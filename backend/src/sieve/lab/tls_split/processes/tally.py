"""Figures that all processes share: a row for each process in memory without a file. Only its process writes a row."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

FIGURES: Final = ("pid", "full", "full_s", "resumed", "resumed_s", "sealings", "sealing_s")
ROWS: Final = 64
_SIZE: Final = ROWS * len(FIGURES) * 8


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over processes: how many full and resumed handshakes and sealed answers, and how long they took together."""

    full: float = 0
    full_s: float = 0
    resumed: float = 0
    resumed_s: float = 0
    sealings: float = 0
    sealing_s: float = 0

    def since(self, before: Totals) -> Totals:
        """What was added after `before`."""
        return Totals(*(getattr(self, name) - getattr(before, name) for name in FIGURES[1:]))


class Tally:
    """The table; `descriptor` is inherited by the processes."""

    def __init__(self, descriptor: int | None = None) -> None:
        self.descriptor = os.memfd_create("tally") if descriptor is None else descriptor
        os.ftruncate(self.descriptor, _SIZE)
        self._mapped = mmap.mmap(self.descriptor, _SIZE)
        self._cells: memoryview[float] = memoryview(self._mapped).cast("d")

    def row(self, slot: int) -> Row:
        """The row of a process. It continues with the figures of one that it replaces."""
        return Row(self._cells[slot * len(FIGURES) : (slot + 1) * len(FIGURES)])

    def pids(self, slots: Iterable[int]) -> list[int]:
        """The processes that write these rows."""
        return [int(self._cells[slot * len(FIGURES)]) for slot in slots]

    def handshakes(self, slot: int) -> int:
        """Full and resumed ones of a process."""
        at = slot * len(FIGURES)
        return int(self._cells[at + 1] + self._cells[at + 3])

    def totals(self) -> Totals:
        """The sums over all rows."""
        width = len(FIGURES)
        return Totals(*(sum(self._cells[at::width]) for at in range(1, width)))

    def close(self) -> None:
        """Frees the memory of this process's view."""
        self._cells.release()
        self._mapped.close()
        os.close(self.descriptor)


class Row:
    """The figures of one process."""

    def __init__(self, cells: memoryview[float]) -> None:
        self._cells = cells

    def belongs_to(self, pid: int) -> None:
        """Names the process of this row."""
        self._cells[0] = pid

    def handshake(self, is_resumed: bool, seconds: float) -> None:
        """Counts a handshake."""
        at = 3 if is_resumed else 1
        self._cells[at] += 1
        self._cells[at + 1] += seconds

    def sealing(self, seconds: float) -> None:
        """Counts an answer that was made into records."""
        self._cells[5] += 1
        self._cells[6] += seconds
