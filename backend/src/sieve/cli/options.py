"""Options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

Url = Annotated[
    str, typer.Option("--url", envvar="SIEVE_URL", metavar="URL", help="The gateway's web address.", show_default=True)
]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help="The file with your API token; else SIEVE_TOKEN holds it."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

DEFAULT_URL = "http://127.0.0.1:8080"
