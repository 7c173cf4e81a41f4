"""How a document of any format appears to authors: pieces of text, each at an address.

Invariant: a mark names characters of a unit, never bytes of a file. The format alone decides which bytes these are, and
may add more, since a file can contain the same text twice.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table in a text. `table`: the number of the table in its part, from 1. `row` and `column` are the
    first that the cell covers, from 0; `rows` and `columns` are how many. `header`: its row repeats on each page.
    """

    table: int
    row: int
    column: int
    rows: int
    columns: int
    header: bool


@dataclass(frozen=True, slots=True, repr=False)
class Unit:
    """A continuous piece of text: a text, a paragraph, a page, a cell.

    `kind`: its name for people. `hidden`: empty for text that every reader of the document sees, otherwise how it is
    hidden, as a noun phrase: "a comment", "deleted text". `cells`: the cells that contain a paragraph, the outermost
    first, so that the tables of a text can be drawn.
    """

    address: str
    text: str
    kind: str
    hidden: str = ""
    cells: tuple[Cell, ...] = ()

    def __repr__(self) -> str:
        return f"<Unit: {self.kind}, {len(self.text)} characters>"


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """Something classified: code points `start` to `end`, without `end`, of the unit at `address`; everything
    at the address if both are None. `rule`: the rule of a policy that made it; `reason`: why; `label`: its level.
    """

    address: str
    start: int | None = None
    end: int | None = None
    label: str = ""
    rule: str = ""
    reason: str = ""

    def __repr__(self) -> str:
        return "<Mark>"
