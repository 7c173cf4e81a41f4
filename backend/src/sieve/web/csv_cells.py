"""Values as cells of a CSV file for spreadsheets."""

import re
from datetime import UTC, datetime
from typing import Any, Final

# Where a semicolon or a tab separates cells, a spreadsheet makes several of one. With the apostrophes that are there
# already: so what is read again is what was written.
_FORMULA: Final = re.compile(r"((?:^|[;\t\r\n])[ \"]*'*)(?=[=+\-@＝＋－＠])")  # noqa: RUF001: spreadsheets take them
_GUARDED: Final = re.compile(r"((?:^|[;\t\r\n])[ \"]*'*)'(?=[=+\-@＝＋－＠])")  # noqa: RUF001: spreadsheets take them


def cell(value: Any) -> Any:
    """One value. What a spreadsheet would run as a formula gets an apostrophe: other gateways and authors chose some
    texts.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str():
            return _FORMULA.sub(r"\1'", value)
        case _:
            return value


def text_of(written: str) -> str:
    """The text of which `cell` made this."""
    return _GUARDED.sub(r"\1", written)
