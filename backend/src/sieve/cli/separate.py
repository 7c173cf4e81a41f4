"""`sieve separate` and `sieve integrate`, which need no gateway."""

from pathlib import Path
from typing import Annotated

import typer

from sieve.cli import separated_folder
from sieve.cli.file_errors import naming
from sieve.cli.files import write_target
from sieve.cli.options import MarkedSource, Marks, OutFile, Unmarked
from sieve.core.errors import NotUtf8


def separate(
    file: MarkedSource,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write; it is created if needed.")],
    unmarked: Unmarked = False,
    marks: Marks = None,
) -> None:
    """Separate a document into its two streams. DIR gets secure.bin, plain.bin and manifest.json."""
    if marks is None:
        with naming(file):
            try:
                separated_folder.write(file, out, unmarked=unmarked)
            except NotUtf8 as error:
                hint = "for a file that is not a text, write marks with `sieve mark` and name them with --marks"
                raise NotUtf8(error.line, error.column, f"{error.reason}; {hint}") from None
        return
    # Imported here, so that other commands start without the format readers.
    from sieve.cli.marked_file import read_marked

    with naming(file, marks):
        document = read_marked(file, marks).document
    separated_folder.write_document(document, out)


def integrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `sieve separate` wrote.")],
    out: OutFile,
    content: Annotated[bool, typer.Option("--content", help="Leave out the tags.")] = False,
) -> None:
    """Restore the file that was separated into a folder."""
    write_target(out, separated_folder.read(folder, content=content))
