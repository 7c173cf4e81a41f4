"""Finds rules for columns and rows that match no column of a table, and so mark nothing in it, whatever it contains.

Invariant: a rule that could not check a table is reported. A misread header, a title above it or a renamed column must
not look like a table without secrets.

Every table counts: a file, and each sheet of a workbook. A table without rows of data has nothing to mark. A rule with
several names needs one of them; a rule for rows that differ (`!=`) marks rows without the column, and so misses none.
What a rule misses is reported once for all tables.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.marking.cell_selectors import Cells, Columns, Where
from sieve.marking.policy import Rule

_TABLE: Final = "row/"
_COLUMN: Final = "column/"
_SHEET: Final = "sheet/"
_MOST_NAMES: Final = 5
_MOST_TABLES: Final = 10


class Missing(NamedTuple):
    """A rule and the tables without a column for it, at least one: addresses of sheets, or an empty address for a table
    that is the whole file.
    """

    rule: Rule
    tables: tuple[str, ...]

    @property
    def sentence(self) -> Sentence:
        """What is missing and where, for people who may see the policy."""
        rule, reason = self.rule.id, f" ({self.rule.reason})" if self.rule.reason else ""
        columns = _listed(_asked(self.rule), _MOST_NAMES)
        sheets = _listed([table.removeprefix(_SHEET) for table in self.tables], _MOST_TABLES)
        if self.tables == ("",):
            return Sentence(
                "rule-without-column",
                "Rule {rule} of the policy looks for a column called {columns}, but this table has none, so it marks "
                "nothing there{reason}: check that the first row is the header, and the name of the column",
                rule=rule,
                columns=columns,
                reason=reason,
            )
        return Sentence(
            "rule-without-column-in-sheets",
            "Rule {rule} of the policy looks for a column called {columns}, but the sheets {sheets} have none, so it "
            "marks nothing there{reason}: check that the first row is the header, and the name of the column",
            one="Rule {rule} of the policy looks for a column called {columns}, but the sheet {sheets} has none, so it "
            "marks nothing there{reason}: check that the first row is the header, and the name of the column",
            rule=rule,
            columns=columns,
            sheets=sheets,
            count=len(self.tables),
            reason=reason,
        )


def missing_columns(rules: Sequence[Rule], units: Iterable[Unit]) -> Iterator[Missing]:
    """The rules without a column in a document's tables, rule by rule. Units must come in reading order."""
    wanting = [rule for rule in rules if _asked(rule)]
    tables: dict[int, list[str]] = {}
    for number, table in _without(wanting, units) if wanting else ():
        tables.setdefault(number, []).append(table)
    for number in sorted(tables):
        yield Missing(wanting[number], tuple(tables[number]))


def sheet_of_cell(address: str) -> str:
    """The sheet that contains an address; empty for any other address, and for a sheet itself."""
    return (_table_of(address) or "") if address.count("/") > 1 else ""


def _listed(names: Sequence[str], most: int) -> str:
    quoted = [f"“{name}”" for name in names[:most]]
    return ", ".join(quoted + [f"… (+{len(names) - most:,})"] * (len(names) > most))


def _without(wanting: Sequence[Rule], units: Iterable[Unit]) -> Iterator[tuple[int, str]]:
    """The number of each rule with each table without a column for it."""
    all_of_them = list(enumerate(wanting))
    cells = Cells()
    table: str | None = None
    there: set[str] = set()
    still, has_data = all_of_them, False
    for unit in units:
        found = _table_of(unit.address)
        if found is None:
            continue
        if found != table:
            if table is not None and has_data:
                yield from ((number, table) for number, _ in still)
            table, there, still, has_data = found, set(), all_of_them, False
        cell = cells.cell(unit)
        has_data = has_data or cell is not None
        name = _heading(unit) if cell is None else cell.column
        if name not in there:
            there.add(name)
            still = [(number, rule) for number, rule in still if not _meets(rule, name)]
            if not still and not table:
                return  # the file has no other table
    if table is not None and has_data:
        yield from ((number, table) for number, _ in still)


def columns_count(rules: Sequence[Rule], marks: Iterable[Mark]) -> bool:
    """Whether it matters which column a cell is in: a rule selects by column, or a column is marked."""
    if any(isinstance(rule.selector, Columns | Where) for rule in rules):
        return True
    return any(mark.address.startswith(_COLUMN) for mark in marks)


def _asked(rule: Rule) -> tuple[str, ...]:
    """The names of columns of which the rule needs one."""
    return rule.selector.asked if isinstance(rule.selector, Columns | Where) else ()


def _meets(rule: Rule, name: str) -> bool:
    return isinstance(rule.selector, Columns | Where) and rule.selector.asks_for(name)


def _table_of(address: str) -> str | None:
    """The table that contains a unit; None if none does."""
    if address.startswith(_TABLE):
        return ""
    if address.startswith(_SHEET):
        cut = address.find("/", len(_SHEET))
        return address if cut < 0 else address[:cut]
    return None


def _heading(unit: Unit) -> str:
    """The name of a column in a unit that is no cell of data: from its address in a table, its text in a sheet."""
    _, _, place = unit.address.partition("/")
    _, _, place = place.partition("/")
    if unit.address.startswith(_TABLE):
        return place
    # Not the sheet's own name, and not a unit below a cell.
    return unit.text if unit.kind == "cell" else ""
