"""Workbooks of any format: sheets, and their cells."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Sheet(NamedTuple):
    """A sheet of the workbook, and its part."""

    name: str
    part: str
    hidden: bool


class Cell(NamedTuple):
    """A cell. `text`: what it shows; if a formula has no stored value, the formula. `raw`: a number as it is stored.
    `computed`: its value comes from a formula, or from a list elsewhere, such as pictures in cells.
    """

    place: str
    text: str
    raw: str
    kind: str
    style: str
    formula: str
    phonetic: str
    computed: bool
    hidden: str


class Workbook(ABC):
    """A file of sheets, read."""

    sheets: Sequence[Sheet]
    """In order, hidden ones too."""

    @abstractmethod
    def cells(self, sheet: Sheet) -> Iterator[Cell]:
        """The cells of a sheet, in order, without empty ones. Raises Damaged."""
