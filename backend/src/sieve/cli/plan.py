"""`sieve plan`: how documents would be sent to a peer now, how long that would take, and why. Sends nothing."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sieve.cli.api import Api, show_json
from sieve.cli.handing_in import Given, sizes
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


def plan(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The document, a marked text unless an option says otherwise; - is stdin. Several would go together.",
        ),
    ],
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway it would go to.")],
    mode: Annotated[
        Literal["auto", "sieve", "secure-only"], typer.Option("--mode", help="What is not left to the planner.")
    ] = "auto",
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text: nothing is classified.")] = False,
    marks: Annotated[
        Path | None, typer.Option("--marks", metavar="MARKS.json", help="What is classified, as `mark` wrote it.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="All of it is classified.")] = False,
    secure: Annotated[
        int | None, typer.Option("--secure", metavar="N", min=1, help="Secure channels; else the planner's choice.")
    ] = None,
    plain: Annotated[
        int | None, typer.Option("--plain", metavar="M", min=1, help="Plain channels; else the planner's choice.")
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Say how documents would be sent, and how long that would take."""
    given = Given(unmarked=unmarked, marks=marks, whole=whole)
    given.check(files)
    found = [sizes(file, given) for file in files]
    asked: dict[str, Any] = {
        "bytes": sum(size for size, _ in found),
        "classified": sum(classified for _, classified in found),
        "documents": len(files),
        "mode": mode,
        "secure_channels": secure,
        "plain_channels": plain,
    }
    with Api(url, token_file) as api:
        params = {name: value for name, value in asked.items() if value is not None}
        said = api.call("GET", f"/peers/{peer}/plan", params=params)
    if as_json:
        show_json(said)
    else:
        print(said["reason"])
