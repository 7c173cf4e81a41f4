"""Rows for people: aligned on a terminal, with tabs between the columns in a pipe.

Much of what is shown was named by somebody else, and a terminal obeys control characters: none gets through.
"""

import sys
from collections.abc import Sequence


def show(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints the rows; the heading, too, on a terminal."""
    rows = [[visible(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return
    widths = [max(len(row[column]) for row in (heading, *rows)) for column in range(len(heading))]
    for row in (heading, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def visible(text: str) -> str:
    """`text` as one line that a terminal only shows."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
