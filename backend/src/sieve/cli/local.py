"""Commands that need no gateway."""

from pathlib import Path
from typing import Annotated

import typer

from sieve import separated_folder


def separate(
    marked: Annotated[str, typer.Argument(metavar="MARKED", help="A marked text; - is stdin.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write into; made if need be.")],
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text.")] = False,
) -> None:
    """Separate a marked text into secure.bin, plain.bin and manifest.json."""
    separated_folder.write(marked, out, unmarked=unmarked)


def integrate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `separate` wrote.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is stdout.")],
    content: Annotated[bool, typer.Option("--content", help="Leave the tags out.")] = False,
) -> None:
    """Put a separated document together again: the very file that was given."""
    separated_folder.write_target(out, separated_folder.read(folder, content=content))
