"""Values as cells of a CSV file for spreadsheets."""

import re
from datetime import UTC, datetime
from typing import Any, Final

# With apostrophes before it: so what is read again is what was written.
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")


def cell(value: Any) -> Any:
    """One value. Text that a spreadsheet would run as a formula gets an apostrophe: other gateways chose some names."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str() if _FORMULA.match(value):
            return f"'{value}"
        case _:
            return value


def text_of(written: str) -> str:
    """The text of which `cell` made this."""
    return written[1:] if written.startswith("'") and _FORMULA.match(written[1:]) else written
