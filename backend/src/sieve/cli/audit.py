"""`sieve audit`: whether the audit log is what was written into it. For admins."""

from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import Failed
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

audit = typer.Typer(help="The audit log, for admins.", no_args_is_help=True, rich_markup_mode=None)


@audit.callback()
def commands() -> None:
    """One command is a group, too: there may be others."""


@audit.command()
def verify(
    head: Annotated[
        list[str] | None,
        typer.Option("--head", metavar="HEAD", help="One that a receipt or a log told; may be given often."),
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Look through the whole log: nothing changed, taken out or cut off. The exit status is 1 if something was."""
    with Api(url, token_file) as api:
        seen = api.call("GET", "/audit/chain", params={"head": head or []})
    if as_json:
        show_json(seen)
    else:
        rows = [["entries", f"{seen['entries']:,}"], ["head", seen["head"]]]
        table.show(["", ""], rows + [["problem", problem] for problem in seen["problems"]])
    if seen["problems"]:
        raise Failed("the audit log is not what was written into it")
