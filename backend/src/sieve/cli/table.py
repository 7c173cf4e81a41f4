"""Rows for people: aligned on a terminal, with tabs between the columns in a pipe."""

import sys
from collections.abc import Sequence


def show(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints the rows; the heading, too, on a terminal."""
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row))
        return
    widths = [max(len(row[column]) for row in (heading, *rows)) for column in range(len(heading))]
    for row in (heading, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
