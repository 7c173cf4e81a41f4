"""What an import of people would do, row by row, before anything is done. Pure functions.

An account is compared as the cells of a file (`csv_file.cells_of`). A column that the file does not have leaves that
part of an account unchanged; an empty cell removes a unit or an address, and means no elsewhere.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from sieve.store.models import User
from sieve.web.notifications.schemas import Email
from sieve.web.people.csv_file import ROLES, CsvRow, cells_of, roles_of, yes_or_no
from sieve.web.people.schemas import DisplayName, Unit
from sieve.web.person import Login

Outcome: TypeAlias = Literal["new", "changed", "unchanged", "refused"]

_NEW: Final = {"unit": "", "mail": "", "roles": "", "cleared": "no", "disabled": "no"}


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """`before`, `after`: the cells of the account that differ; `before` is empty for a new person. `reason`: why the
    row is refused.
    """

    line: int
    login: str
    outcome: Outcome
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What becomes of each row."""

    rows: Sequence[PlannedRow]

    @property
    def refused(self) -> Sequence[PlannedRow]:
        """The rows because of which nothing may be imported."""
        return [row for row in self.rows if row.outcome == "refused"]

    @property
    def changes(self) -> Sequence[PlannedRow]:
        """The rows that add or change a person."""
        return [row for row in self.rows if row.outcome in ("new", "changed")]

    @property
    def digest(self) -> str:
        """Changes if the file or the accounts that it names change."""
        rows = [(row.login, row.outcome, dict(row.before), dict(row.after)) for row in self.rows]
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()


def plan(rows: Sequence[CsvRow], people: Sequence[User]) -> ImportPlan:
    """What the rows would do to these people: all there are."""
    now = {person.name: cells_of(person) for person in people}
    lines: dict[str, int] = {}
    planned: list[PlannedRow] = []
    for row in rows:
        login = row.cells.get("login", "").lower()
        try:
            if row.fault:
                raise ValueError(row.fault)
            cells = _checked(row.cells)
            if login in lines:
                raise ValueError(f"line {lines[login]} has this login, too")
            planned.append(_compared(row.line, cells, now.get(login)))
        except ValueError as error:
            planned.append(PlannedRow(row.line, login[:63], "refused", reason=str(error)))
        lines.setdefault(login, row.line)
    return ImportPlan(_with_an_admin(planned, now))


def values_of(cells: Mapping[str, str], now_ns: int) -> dict[str, Any]:
    """The columns of an account that these cells set."""
    values: dict[str, Any] = {}
    for column, text in cells.items():
        match column:
            case "login":
                values["name"] = text
            case "name":
                values["display_name"] = text
            case "unit":
                values["unit"] = text or None
            case "mail":
                values["email"] = text or None
            case "roles":
                values |= {f"is_{role}": has for role, has in roles_of(text).items()}
            case "cleared":
                values["cleared"] = yes_or_no(text)
            case "disabled":
                values["disabled_at_ns"] = now_ns if yes_or_no(text) else None
    return values


def _compared(line: int, cells: Mapping[str, str], account: Mapping[str, str] | None) -> PlannedRow:
    login = cells["login"]
    if account is None:
        cells = {"login": login, "name": login, **_NEW, **cells}
        _require_role(cells)
        return PlannedRow(line, login, "new", {}, cells)
    after = {column: text for column, text in cells.items() if account[column] != text}
    if not after:
        return PlannedRow(line, login, "unchanged")
    if "roles" in after:
        _require_role(after)
    return PlannedRow(line, login, "changed", {column: account[column] for column in after}, after)


def _with_an_admin(planned: list[PlannedRow], now: Mapping[str, Mapping[str, str]]) -> list[PlannedRow]:
    """The rows; if no admin would be left, those that take the role are refused."""
    then = {login: dict(cells) for login, cells in now.items()}
    for row in planned:
        then.setdefault(row.login, {}).update(row.after)
    if any(_is_admin(cells) for cells in then.values()):
        return planned
    reason = "this is the only admin; make another person an admin first"
    return [
        PlannedRow(row.line, row.login, "refused", reason=reason) if _is_admin(now.get(row.login, {})) else row
        for row in planned
    ]


def _is_admin(cells: Mapping[str, str]) -> bool:
    return "admin" in cells.get("roles", "").split() and cells.get("disabled") == "no"


def _require_role(cells: Mapping[str, str]) -> None:
    if not cells["roles"]:
        raise ValueError("roles: name at least one of author, recipient and admin")


def _validated(kind: Any, says: str | None = None) -> Callable[[str], str]:
    adapter = TypeAdapter[str](kind)

    def validate(text: str) -> str:
        try:
            return adapter.validate_python(text)
        except ValidationError as error:
            [first, *_] = error.errors()
            raise ValueError(says or str(first["ctx"]["error"])) from None

    return validate


_EMAIL: Final = _validated(Email)
_CHECKS: Final[Mapping[str, Callable[[str], str]]] = {
    "login": _validated(Login, "write 1 to 63 of a-z, 0-9 and . _ @ - between them"),
    "name": _validated(DisplayName, "write 1 to 200 visible characters"),
    "unit": _validated(Unit, "write at most 100 characters"),
    "mail": lambda text: _EMAIL(text) if text else "",
    "roles": lambda text: " ".join(role for role in ROLES if roles_of(text)[role]),
    "cleared": lambda text: "yes" if yes_or_no(text) else "no",
    "disabled": lambda text: "yes" if yes_or_no(text) else "no",
}


def _checked(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells in canonical form. Raises ValueError, with the column, if one is not valid."""
    checked: dict[str, str] = {}
    for column, text in cells.items():
        try:
            checked[column] = _CHECKS[column](text)
        except ValueError as error:
            raise ValueError(f"{column}: {error}") from None
    return checked
