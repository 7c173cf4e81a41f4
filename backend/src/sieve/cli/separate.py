"""`sieve separate` and `sieve integrate`, which need no gateway."""

from pathlib import Path
from typing import Annotated

import typer

from sieve.cli import separated_folder
from sieve.cli.api import show_change
from sieve.cli.errors import BadInput
from sieve.cli.file_errors import naming
from sieve.cli.files import write_target
from sieve.cli.options import Json, MarkedSource, Marks, OutFile, Unmarked
from sieve.cli.text_encoding import EncodingOption
from sieve.cli.written_file import check_target, show_written
from sieve.core.errors import NotUtf8


def separate(
    file: MarkedSource,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write; it is created if needed.")],
    unmarked: Unmarked = False,
    marks: Marks = None,
    encoding: EncodingOption = None,
    as_json: Json = False,
) -> None:
    """Separate a document into its two streams. DIR gets secure.bin, plain.bin and manifest.json."""
    if marks is None and encoding is not None:
        raise BadInput("--encoding needs --marks: a text that carries its marks itself is in UTF-8")
    if marks is None:
        with naming(file):
            try:
                document = separated_folder.write(file, out, unmarked=unmarked)
            except NotUtf8 as error:
                hint = "for a file that is not a text, write marks with `sieve mark` and name them with --marks"
                raise NotUtf8(error.line, error.column, f"{error.reason}; {hint}") from None
    else:
        # Imported here, so that other commands start without the format readers.
        from sieve.cli.marked_file import read_marked

        with naming(file, marks):
            document = read_marked(file, marks, encoding).document
        separated_folder.write_document(document, out)
    classified = document.classified_size
    sizes = {"bytes": document.size, "classified_bytes": classified, "plain_bytes": document.size - classified}
    show_change({"folder": str(out), **sizes}, as_json=as_json)


def integrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `sieve separate` wrote.")],
    out: OutFile,
    content: Annotated[bool, typer.Option("--content", help="Leave out the tags.")] = False,
    as_json: Json = False,
) -> None:
    """Restore the file that was separated into a folder."""
    check_target(out, as_json=as_json)
    data = separated_folder.read(folder, content=content)
    write_target(out, data)
    show_written(out, as_json=as_json, bytes=len(data))
