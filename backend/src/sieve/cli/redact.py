"""`sieve redact`: a file of the same format without its classified content."""

from pathlib import Path
from typing import Annotated

import typer

from sieve.cli.file_errors import naming
from sieve.cli.files import write_target
from sieve.cli.options import Json, OutFile
from sieve.cli.text_encoding import EncodingOption
from sieve.cli.written_file import check_target, show_written


def redact(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of a format that can be redacted; - is stdin.")],
    marks: Annotated[
        Path, typer.Option("--marks", metavar="MARKS.json", help="The file's marks, as `sieve mark` writes them.")
    ],
    out: OutFile,
    encoding: EncodingOption = None,
    as_json: Json = False,
) -> None:
    """Write the redacted edition of a file. Markers replace its classified content."""
    from sieve.cli.marked_file import read_marked
    from sieve.formats import reading

    check_target(out, as_json=as_json)
    with naming(file, marks):
        given = read_marked(file, marks, encoding)
        edition = reading.redact(given.reading, given.marks)
    write_target(out, edition)
    show_written(out, as_json=as_json, format=given.reading.name, bytes=len(edition))
