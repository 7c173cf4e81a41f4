"""`--json` of the commands that write a file: it says what was written."""

from pathlib import Path
from typing import Any

from sieve.cli.api import show_json
from sieve.cli.errors import BadInput
from sieve.cli.files import STANDARD_STREAM


def check_target(out: str | Path | None, *, as_json: bool) -> None:
    """Raises BadInput if the file and the JSON would both go to standard output."""
    if as_json and str(out) == STANDARD_STREAM:
        raise BadInput("--json says what was written, and --out - writes the document there; name a file with --out")


def show_written(out: str | Path, *, as_json: bool, **more: Any) -> None:
    """Prints the name of the file, and `more` about it, if JSON is wanted."""
    if as_json:
        show_json({"file": str(out), **more})
