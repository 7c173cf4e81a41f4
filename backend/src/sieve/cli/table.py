"""Tables for people: aligned on a terminal, with tabs between the columns in a pipe.

Others chose many of the names that are shown, and a terminal obeys control characters, so these become spaces.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
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


_UNITS: Final = ("B", "kB", "MB", "GB")


def size(count: int) -> str:
    """A number of bytes with three significant digits, such as `1.25 MB`; decimal, as in the thesis."""
    for power, unit in enumerate(_UNITS):
        scaled = count / 1000**power
        if scaled < 999.5 or unit == _UNITS[-1]:
            return f"{count} {unit}" if power == 0 else f"{scaled:.3g} {unit}"
    raise AssertionError


def when(time: str) -> str:
    """A time of the API, to the minute, in the local time zone."""
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def visible(text: str) -> str:
    """`text` as one line without control characters."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
