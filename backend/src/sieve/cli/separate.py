"""Commands that need no gateway."""

from pathlib import Path
from typing import Annotated

import typer

from sieve import separated_folder
from sieve.cli.told_by_name import told_by_name
from sieve.core.errors import NotUtf8

# What reads formats is imported where it is needed: the other commands start without it.


def separate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A marked text, or with --marks a file of any format; - is stdin.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write into; made if need be.")],
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text.")] = False,
    marks: Annotated[
        Path | None, typer.Option("--marks", metavar="MARKS.json", help="What is classified, as `mark` wrote it.")
    ] = None,
) -> None:
    """Separate a document into secure.bin, plain.bin and manifest.json."""
    if marks is None:
        with told_by_name(file):
            try:
                separated_folder.write(file, out, unmarked=unmarked)
            except NotUtf8 as error:
                hint = "a file that is no text goes with --marks, which `sieve mark` writes"
                raise NotUtf8(error.line, error.column, f"{error.reason}; {hint}") from None
        return
    from sieve.cli.marked_file import read_marked

    with told_by_name(file, marks):
        document = read_marked(file, marks).document
    separated_folder.write_document(document, out)


def integrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `separate` wrote.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is stdout.")],
    content: Annotated[bool, typer.Option("--content", help="Leave the tags out.")] = False,
) -> None:
    """Put a separated document together again: the very file that was given."""
    separated_folder.write_target(out, separated_folder.read(folder, content=content))
