"""The questions that a reading process answers about the file that it holds.

Each question is a method: the members of the request's head and its parts are the arguments, and the answer has a head
and parts again. Answers for the web interface are JSON.

Invariant: every answer is bounded; what does not fit is on the next page.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeVar

from sieve import marks_file
from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.hidden_phrases import hidden_phrase
from sieve.core.sentence import Sentence, said_of
from sieve.core.units import Mark, Unit
from sieve.formats.errors import FormatError, Unsupported
from sieve.formats.images.reading import ImageReading
from sieve.formats.pdf import PdfReading
from sieve.formats.pdf.words import words
from sieve.formats.reading import Reading, highlight, read_as, redact
from sieve.formats.sheets.grid import SheetGrid
from sieve.formats.sheets.workbook import Workbook
from sieve.formats.tables.grid import Grid, Line
from sieve.formats.tables.reading import TableReading
from sieve.formats.why_classified import why_classified
from sieve.gateway.reading.decoded_text import DecodedText
from sieve.gateway.reading.excerpts import Excerpt, RecentUnits, excerpt_of
from sieve.gateway.reading.open_file import open_file
from sieve.gateway.reading.policy_cache import PolicyCache
from sieve.gateway.reading.received_marks import received_marks, withheld_marks
from sieve.gateway.reading.unit_pages import UnitPages
from sieve.gateway.reading.unmarked_text import unmarked_text
from sieve.marking import apply_policy, leaks
from sieve.marking.apply_policy import marks_at
from sieve.marking.cell_selectors import Columns, Where
from sieve.marking.leaks.finding import LIMIT, NAME_ADDRESS, SENT, Finding
from sieve.marking.leaks.report import Excerpts
from sieve.marking.marked_text import marked_text
from sieve.marking.missing_columns import Missing, columns_count, missing_columns
from sieve.marking.policy import Rule

T = TypeVar("T")

_MOST_MISSING: Final = 100
"""Rules without a column that are reported with hits."""


class Answer(NamedTuple):
    """Head and parts of an answer."""

    head: dict[str, Any]
    parts: Sequence[bytes] = ()


class Reader:
    """Holds one file at a time."""

    def __init__(self) -> None:
        self._reading: Reading | None = None
        self._policies = PolicyCache()
        self._data, self._size, self._encoding = b"", 0, "utf-8"
        self._table: str | None = None
        self._forget()

    def _forget(self) -> None:
        self._pages: UnitPages | None = None
        self._grids: dict[str, Grid | SheetGrid] = {}
        self._redacted: tuple[bytes, bytes] | None = None
        self._in_redacted: Reader | None = None

    def answer(self, head: Mapping[str, Any], parts: Sequence[bytes]) -> Answer:
        """The answer to one question.

        Raises:
            SieveError: with a sentence about the file, the marks or the policy.
        """
        arguments = dict(head)
        answer: Callable[..., Answer] = _ANSWERS[arguments.pop("do")]
        return answer(self, *parts, **arguments)

    @property
    def reading(self) -> Reading:
        """The file that is held."""
        if self._reading is None:
            raise ValueError("no file was read")
        return self._reading

    def read(
        self, data: bytes = b"", *, name: str, media_type: str | None, size: int, format_name: str | None
    ) -> Answer:
        """Reads a file; see `open_file`."""
        self._reading = None
        self._forget()
        self._reading, self._encoding, self._table = open_file(
            data, name=name, media_type=media_type, size=size, format_name=format_name
        )
        self._data, self._size = data if self._reading.name == "text" else b"", size
        self._pages = UnitPages(self._reading)
        return Answer({"format": self._reading.name})

    def units(self, *, after: int, limit: int) -> Answer:
        """One page of units."""
        pages = self._pages or UnitPages(self.reading)
        units, following = pages.page(after, limit)
        next_page = None if following is None else str(following)
        return _shown({"format": self.reading.name, "units": [_shown_unit(unit) for unit in units], "next": next_page})

    def outline(self) -> Answer:
        """The parts of the file, in numbers and names."""
        reading = self.reading
        outline: dict[str, Any] = dict.fromkeys(("pages", "page_sizes", "columns", "rows", "sheets"))
        outline |= {"format": reading.name, "note": ""}
        if isinstance(reading, PdfReading | ImageReading):
            outline["pages"], outline["note"] = reading.pages, reading.note
            outline["page_sizes"] = [reading.page_size(number) for number in range(1, reading.pages + 1)]
        elif isinstance(reading, TableReading):
            grid = self._grid(None)
            outline["columns"], outline["rows"] = grid.columns, grid.count
        elif isinstance(reading, Workbook):
            outline["sheets"] = [
                {
                    "name": sheet.name,
                    "hidden": sheet.hidden,
                    "columns": self._grid(sheet.name).columns,
                    "rows": self._grid(sheet.name).count,
                }
                for sheet in reading.sheets
            ]
        return _shown(outline)

    def rows(self, *, first: int, count: int, sheet: str | None) -> Answer:
        """Rows of a table, or of a sheet; the first sheet if none is named."""
        grid = self._grid(sheet)
        lines: list[Line] = grid.lines(first, count)
        return _shown({"columns": grid.columns, "from": first, "rows": lines})

    def _grid(self, sheet: str | None) -> Grid | SheetGrid:
        reading = self.reading
        if sheet is None and isinstance(reading, Workbook) and reading.sheets:
            sheet = reading.sheets[0].name
        if (key := sheet or "") not in self._grids:
            if isinstance(reading, TableReading) and sheet is None:
                self._grids[key] = Grid(reading.rows)
            elif isinstance(reading, Workbook):
                named = [one for one in reading.sheets if one.name == sheet]
                if not named:
                    raise Unsupported("the workbook has no such sheet; the outline names them")
                self._grids[key] = SheetGrid(reading, named[0])
            else:
                raise Unsupported("only tables have rows, and only workbooks have sheets")
        return self._grids[key]

    def picture(self, *, page: int, width: int) -> Answer:
        """A page as PNG, `width` pixels wide."""
        reading = self._paged()
        return Answer({}, [reading.page_image(page, width / reading.page_size(page)[0])])

    def words(self, *, page: int) -> Answer:
        """The text of a page and the positions of its words, as fractions of the page."""
        reading = self._paged()
        if isinstance(reading, ImageReading):
            reading.page_size(page)
            return _shown({"text": "", "words": []})
        width, height = reading.page_size(page)
        text, boxes = reading.page_boxes(page)
        placed = [
            {
                "start": word.start,
                "end": word.end,
                "x": round(word.box.left / width, 5),
                "y": round(word.box.top / height, 5),
                "w": round((word.box.right - word.box.left) / width, 5),
                "h": round((word.box.bottom - word.box.top) / height, 5),
            }
            for word in words(text, boxes)
        ]
        return _shown({"text": text, "words": placed})

    def _paged(self) -> PdfReading | ImageReading:
        if not isinstance(self.reading, PdfReading | ImageReading):
            raise Unsupported("only PDF files and pictures have pages")
        return self.reading

    def initial_marks(self) -> Answer:
        """The marks that a new draft of the file begins with."""
        marks = self.reading.initial_marks if isinstance(self.reading, ImageReading) else []
        return Answer({}, [b'{"marks":' + marks_file.print_marks(marks) + b"}"])

    def mark(self, given: bytes) -> Answer:
        """The spans of the marks in a request, and the same marks as they are stored."""
        marks = marks_file.read_marks(_list_in(given))
        spans = self.reading.spans(marks)
        return Answer({"marks": len(marks)}, [spans.to_bytes(), marks_file.print_marks(marks)])

    def why_classified(self, marks: bytes) -> Answer:
        """What travels classified with these marks, by kind."""
        found = why_classified(self.reading, _marks(marks))
        listed = [{"why": one.why.to_json(), "bytes": one.size, "largest": one.largest} for one in found]
        return _shown({"classified": listed})

    def marks_of(self, spans: bytes) -> Answer:
        """The marks that have the given spans, in a text or in bytes. In any other file spans do not show what is
        marked: it counts as unmarked, unless they cover all of it.
        """
        places = Spans.from_bytes(spans)
        if isinstance(self.reading, DecodedText) and places.classified_size == self._size:
            marks = [Mark(unit.address) for unit in self.reading.units()]
        elif self.reading.name == "text":
            _, marks = marked_text(self._data, places, self._encoding)
        elif self.reading.name == "bytes":
            marks = [Mark(f"bytes/{start}-{end}") for start, end in places]
        else:
            marks = (
                [Mark(unit.address) for unit in self.reading.units()] if places.classified_size == self._size else []
            )
        return Answer({"marks": len(marks)}, [marks_file.print_marks(marks)])

    def received_marks(self, spans: bytes, edition: bytes, sent: bytes) -> Answer:
        """What is classified in a received document with these spans, this redacted edition and these marks; both may
        be empty."""
        places = Spans.from_bytes(spans)
        if self.reading.name in ("text", "bytes"):
            return Answer({}, [b'{"basis":"spans","marks":' + self.marks_of(spans).parts[0] + b"}"])
        marks, basis = received_marks(self.reading, places, self._size, edition, sent)
        return Answer({}, [b'{"basis":"%b","marks":%b}' % (basis.encode(), marks_file.print_marks(marks))])

    def withheld_marks(self) -> Answer:
        """The places of a redacted edition at which something is withheld."""
        return Answer({}, [marks_file.print_marks(withheld_marks(self.reading))])

    def redacted(self, marks: bytes) -> Answer:
        """The redacted edition."""
        if self._redacted is None or self._redacted[0] != marks:
            self._redacted = self._in_redacted = None
            # Kept, since the caller often views it next.
            self._redacted = marks, redact(self.reading, _marks(marks))
        return Answer({}, [self._redacted[1]])

    def highlighted(self, marks: bytes) -> Answer:
        """The file with these marks highlighted."""
        return Answer({}, [highlight(self.reading, _marks(marks))])

    def in_redacted(self, marks: bytes, *, question: Mapping[str, Any]) -> Answer:
        """The answer to a question about the redacted edition, which is read like any file."""
        (data,) = self.redacted(marks).parts
        if self._in_redacted is None:
            edition = Reader()
            edition.read(data, name="", media_type=None, size=len(data), format_name=self.reading.name)
            self._in_redacted = edition
        return self._in_redacted.answer(question, ())

    def hits(self, policies: bytes, *, limit: int) -> Answer:
        """The hits of policies, each as a mark with its text, and the tables that have no column for a rule."""
        searched = RecentUnits(self.reading.units())
        found: list[tuple[dict[str, Any], Excerpt]] = []
        for address, together in apply_policy.by_address(apply_policy.all_hits(self._rules(policies), searched)):
            text = searched.text(address)  # Before the next hit is read, which may be far away.
            first = islice(marks_at([*together]), limit + 1 - len(found))
            found += [(asdict(mark), excerpt_of(text, mark)) for mark in first]
            if len(found) > limit:
                break
        tables = self.reading.units() if isinstance(self.reading, TableReading | Workbook) else ()
        missing = missing_columns(self._rules(policies), tables)
        shown = [one.sentence for one in islice(missing, _MOST_MISSING)]
        return _shown({"hits": found[:limit], "more": len(found) > limit, "missing": shown})

    def _rules(self, policies: bytes) -> list[Rule]:
        return [rule for policy in self._policies.of(policies) for rule in policy.rules]

    def _in_cells(self, rules: Sequence[Rule], table: Reading) -> Iterator[Mark]:
        """The hits of rules for columns and rows in a text whose name claims a table, as marks of the text; and the
        rows that do not fit the header.
        """
        in_cells = [rule for rule in rules if isinstance(rule.selector, Columns | Where)]
        for rule in in_cells:
            spans = table.spans([*apply_policy.marks([rule], table.units())])
            for hit in marked_text(self._data, spans)[1]:
                yield replace(hit, label=rule.label, rule=rule.id, reason=rule.reason)
        for row in table.irregular() if isinstance(table, TableReading) else ():
            for hit in marked_text(self._data, Spans([row.start, row.end]))[1]:
                yield replace(hit, rule=in_cells[0].id, reason=f"the row {row.why}")

    def findings(self, marks: bytes, policies: bytes, *earlier: bytes, name: str, same: Sequence[bool]) -> Answer:
        """The findings of the leak scanner. `earlier`: for each earlier transfer its marks if `same`, that is if it
        sent the same bytes; otherwise its plain text.
        """
        units = [*self.reading.units()]
        rules = self._rules(policies)
        given = _marks(marks)
        chosen, implied = self._resolved(given)
        # A text whose name claims a table is checked as a table, too, if there are rules for columns.
        table = self._table if columns_count(rules, ()) else None
        in_cells, missing, faults = self._in_table(rules, table) if table else ((), missing_columns(rules, units), [])
        found = leaks.check(
            units,
            chosen,
            name=name,
            rules=rules,
            policy=in_cells,
            earlier=(
                unmarked_text(units, chain(*self._resolved(_marks(sent))))
                if is_same
                else sent.decode(self._encoding, "replace")
                for sent, is_same in zip(earlier, same, strict=True)
            ),
            may_be_plain=self.reading.plain_places(given),
            plain_with=self.reading.plain_places,
            implied=implied,
            missing=missing,
            irregular=self.reading.irregular_places()
            if isinstance(self.reading, TableReading) and columns_count(rules, chosen)
            else (),
        )
        # In addition to the findings in the text, which is checked although it is no table.
        limits = [
            Finding(
                LIMIT,
                "",
                None,
                None,
                Sentence("leak-no-table", "Rules for columns or rows could not check it: {why}", why=why),
            )
            for why in faults
        ]
        excerpts = Excerpts(units, name)
        in_plain_stream = self.reading.in_plain_stream(given)

        def travels_plain(one: Finding) -> bool:
            # The name does, and what was sent plain did.
            return one.address in {NAME_ADDRESS, ""} or one.kind == SENT or in_plain_stream(one.address)

        return _shown(
            {"findings": [(one.to_json(), excerpts.of(one), travels_plain(one)) for one in [*found, *limits[:1]]]}
        )

    def _in_table(self, rules: Sequence[Rule], format_name: str) -> tuple[Iterator[Mark], Iterator[Missing], list[str]]:
        """The hits of rules for columns and rows in a text whose name claims a table, and the rules without a column.
        The list says why it is no table, after both iterators were read.
        """
        try:
            table = read_as(format_name, self._data)
        except (FormatError, NotUtf8) as fault:
            return iter(()), iter(()), [str(fault)]
        faults: list[str] = []

        def as_far_as_it_goes(found: Iterator[T]) -> Iterator[T]:
            try:
                yield from found
            except FormatError as fault:
                faults.append(str(fault))

        in_cells = as_far_as_it_goes(self._in_cells(rules, table))
        return in_cells, as_far_as_it_goes(missing_columns(rules, table.units())), faults

    def _resolved(self, marks: list[Mark]) -> tuple[list[Mark], list[Mark]]:
        """The marks, with those that they imply, and what they classify in addition."""
        reading = self.reading
        return (reading.chosen(marks), reading.implied(marks)) if isinstance(reading, TableReading) else (marks, [])


_ANSWERS: Final[Mapping[str, Callable[..., Answer]]] = {
    "read": Reader.read,
    "units": Reader.units,
    "outline": Reader.outline,
    "rows": Reader.rows,
    "picture": Reader.picture,
    "words": Reader.words,
    "initial_marks": Reader.initial_marks,
    "mark": Reader.mark,
    "why_classified": Reader.why_classified,
    "marks_of": Reader.marks_of,
    "received_marks": Reader.received_marks,
    "withheld_marks": Reader.withheld_marks,
    "redacted": Reader.redacted,
    "highlighted": Reader.highlighted,
    "in_redacted": Reader.in_redacted,
    "hits": Reader.hits,
    "findings": Reader.findings,
}


def _shown_unit(unit: Unit) -> dict[str, Any]:
    return {**asdict(unit), "hidden_said": said_of(hidden_phrase(unit.hidden))}


def _shown(value: dict[str, Any]) -> Answer:
    # A hostile file may contain lone surrogates, which UTF-8 cannot encode.
    return Answer({}, [json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")])


def _marks(kept: bytes) -> list[Mark]:
    return marks_file.read_marks(json.loads(kept))


def _list_in(given: bytes) -> Any:
    """The list of marks in the body of a request."""
    try:
        body = json.loads(given)
    except (ValueError, RecursionError):
        # Without the cause: a JSON error holds the text.
        raise marks_file.MarksFileError('write the marks as JSON: {"marks": [...]}') from None
    if not isinstance(body, dict) or body.keys() != {"marks"}:
        raise marks_file.MarksFileError('write the marks as JSON: {"marks": [...]}')
    return body["marks"]
