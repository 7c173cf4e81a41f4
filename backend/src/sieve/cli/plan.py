"""`sieve plan`: how a document would be sent to a peer now, how long that would take, and why. Sends nothing."""

from typing import Annotated

import typer

from sieve.cli.api import Api, show_json
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url
from sieve.core import markup
from sieve.separated_folder import read_source


def plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The document, a marked text; - is stdin.")],
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway it would go to.")],
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text: nothing is classified.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Say how a document would be sent, and how long that would take."""
    data = read_source(file)
    if unmarked:
        size, classified = len(data), 0
    else:
        document = markup.parse(data)
        size, classified = document.size, document.classified_size
    with Api(url, token_file) as api:
        found = api.call("GET", f"/peers/{peer}/plan", params={"bytes": size, "classified": classified})
    if as_json:
        show_json(found)
    else:
        print(found["reason"])
