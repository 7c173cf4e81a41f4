"""Values as cells of a CSV file for spreadsheets."""

from datetime import UTC, datetime
from typing import Any, Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> Any:
    """One value. Text that a spreadsheet would run as a formula gets an apostrophe: other gateways chose some names."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value
