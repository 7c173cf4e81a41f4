"""Parts of a file, as the API shows them. Positions count code points."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field, WithJsonSchema

from sieve.formats.registry import FORMATS
from sieve.web.schemas import RequestBody, SaidShown

FileFormat: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "enum": [*FORMATS]})]


class TableCellShown(BaseModel):
    """A cell of a table in a text. `table`: the number of the table in its part. `row` and `column` are the first that
    the cell covers, from 0; `rows` and `columns` are how many. `header`: its row is a heading."""

    table: int
    row: int
    column: int
    rows: int
    columns: int
    header: bool


class UnitShown(BaseModel):
    """A piece of text. `hidden`: how it hides, as a noun phrase; empty for what every reader sees. `hidden_said`: the
    phrase with a code; null if it has none. `cells`: the cells of tables that contain it, the outermost first."""

    address: str
    text: str
    kind: str
    hidden: str
    hidden_said: SaidShown | None = None
    cells: list[TableCellShown]


class UnitsShown(BaseModel):
    """`next`: give it as `after` to go on; null on the last page."""

    format: FileFormat
    units: list[UnitShown]
    next: str | None


class SheetShown(BaseModel):
    """`columns`: their letters."""

    name: str
    hidden: bool
    columns: list[str]
    rows: int


class OutlineShown(BaseModel):
    """What the format has; null for what it has not. `page_sizes`: width and height of each page in points. `note`: why
    any mark makes all of the file classified; empty if it does not."""

    format: FileFormat
    pages: int | None
    page_sizes: list[tuple[float, float]] | None
    columns: list[str] | None
    rows: int | None
    sheets: list[SheetShown] | None
    note: str


class RowsShown(BaseModel):
    """`from`: the number of the first row. A row ends with its last cell; null where it has no such cell."""

    columns: list[str]
    first: Annotated[int, Field(alias="from")]
    rows: list[list[str | None]]


class WordShown(BaseModel):
    """Code points of the page's text, and what holds them: fractions of the page's width and height from its upper
    left corner."""

    start: int
    end: int
    x: float
    y: float
    w: float
    h: float


class WordsShown(BaseModel):
    """`text`: that of the unit of the page."""

    text: str
    words: list[WordShown]


class MarkShown(RequestBody):
    """Code points `start` to `end`, without `end`, of the unit at `address`; both null for the whole unit."""

    address: str
    start: int | None = None
    end: int | None = None
    label: str = ""
    rule: str = ""
    reason: str = ""


class MarksShown(BaseModel):
    """The marks of a document, and the classified byte `ranges` that follow from them, each without its end."""

    marks: list[MarkShown]
    ranges: list[tuple[int, int]]
    classified_bytes: int
    plain_bytes: int


class DraftMarksShown(MarksShown):
    """The marks of the save `revision` of a draft."""

    revision: int


class ClassifiedShown(BaseModel):
    """Content of one kind that travels classified. `why`: a noun phrase; `largest`: names of its largest parts, such as
    fonts, or their addresses."""

    why: SaidShown
    bytes: int
    largest: list[str]


class AllClassifiedShown(BaseModel):
    """At most six kinds, the largest first; none if nothing is marked, and for texts, tables, pictures, web
    pages and RTF documents."""

    classified: list[ClassifiedShown]
