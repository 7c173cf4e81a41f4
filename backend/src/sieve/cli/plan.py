"""`sieve plan`: how documents would be sent now, how long that would take, and why. It sends nothing."""

from typing import Annotated, Any

import typer

from sieve.cli.api import Api, path_to, show_json
from sieve.cli.options import (
    DEFAULT_URL,
    Documents,
    Json,
    Marks,
    Mode,
    PlainChannels,
    SecureChannels,
    TokenFile,
    Unmarked,
    Url,
    Whole,
)
from sieve.cli.upload import UploadOptions, sizes


def plan(
    files: Documents,
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway to send to.")],
    mode: Mode = "auto",
    unmarked: Unmarked = False,
    marks: Marks = None,
    whole: Whole = False,
    secure: SecureChannels = None,
    plain: PlainChannels = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Show how documents would be sent, and how long that would take."""
    given = UploadOptions(unmarked=unmarked, marks=marks, whole=whole)
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
        estimate = api.call("GET", f"{path_to('peers', peer)}/plan", params=params)
    if as_json:
        show_json(estimate)
    else:
        print(estimate["reason"])
