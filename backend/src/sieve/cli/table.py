"""Tables for people: aligned on a terminal, with tabs between the columns in a pipe.

Others chose many of the names that are shown, and a terminal obeys control characters, so these become spaces.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from sieve.cli.api import show_json


def show(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints the rows; on a terminal also the heading."""
    cells = [[visible(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in cells:
            print("\t".join(row))
        return
    widths = [max(len(row[column]) for row in (heading, *cells)) for column in range(len(heading))]
    for line in (heading, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def show_list(found: Any, as_json: bool, heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints an API's list: as it is in JSON, or the rows made of it."""
    if as_json:
        show_json(found)
    else:
        show(heading, rows)


def show_facts(facts: Mapping[str, str]) -> None:
    """Prints each name and its value in a line."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        print(f"{name.ljust(width)}  {visible(value)}")


_UNITS: Final = ("KB", "MB", "GB", "TB")


def size(count: int) -> str:
    """A number of bytes for people, in powers of 1000, as the web interface writes it: `1 byte`, `41.3 KB`, `10 MB`."""
    if count < 1000:
        return "1 byte" if count == 1 else f"{count} bytes"
    value, power = count / 1000, 0
    # 999.5 KB would be written 1000 KB, so it becomes 1 MB.
    while value >= 999.5 and power < len(_UNITS) - 1:
        value, power = value / 1000, power + 1
    # Halves are rounded up, as JavaScript does.
    rounded = Decimal(value).quantize(Decimal(1 if value >= 99.95 else "0.1"), ROUND_HALF_UP)
    return f"{rounded:,} {_UNITS[power]}".replace(".0 ", " ")


def when(time: str) -> str:
    """A time of the API, to the minute, in the local time zone."""
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def clock(time: str) -> str:
    """A time of the API, to the minute, in the local time zone; without the date if it is today's."""
    at = datetime.fromisoformat(time).astimezone()
    return f"{at:%H:%M}" if at.date() == datetime.now().astimezone().date() else when(time)


def visible(text: str) -> str:
    """`text` as one line without control characters."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
