"""`sieve redact`: a file of the same format with nothing in it of what is classified."""

from pathlib import Path
from typing import Annotated

import typer

from sieve.cli.told_by_name import told_by_name
from sieve.separated_folder import write_target


def redact(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of any format that has such an edition; - is stdin.")
    ],
    marks: Annotated[Path, typer.Option("--marks", metavar="MARKS.json", help="The marks, as `mark` wrote them.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is stdout.")],
) -> None:
    """Write the redacted edition of a file: markers stand in it for what is classified."""
    from sieve.cli.marked_file import read_marked
    from sieve.formats import registry

    with told_by_name(file, marks):
        given = read_marked(file, marks)
        edition = registry.redact(given.reading, given.marks)
    write_target(out, edition)
