"""`sieve audit`: whether the audit log is what was written into it, and how it goes on where it is not. For admins."""

from typing import Annotated, Any, Final

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import Failed
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

_MEMBERS: Final = {"known": "known", "problem": "problems"}

audit = typer.Typer(help="The audit log, for admins.", no_args_is_help=True, rich_markup_mode=None)


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
    _show(seen, as_json)


@audit.command("continue")
def continue_(
    head: Annotated[str, typer.Option("--head", metavar="HEAD", help="Where `verify` says that the log ends.")],
    reason: Annotated[str, typer.Option("--reason", help="Why it goes on; an entry of the log, for admins.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Begin a new part of a log that `verify` finds fault with, and that no backup mends. Nothing is removed: what is
    wrong stays, and is known from then on; the new part's heads are signed again.
    """
    with Api(url, token_file) as api:
        seen = api.call("POST", "/audit/chain", json={"head": head, "reason": reason})
    _show(seen, as_json)


def _show(seen: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(seen)
    else:
        rows = [["entries", f"{seen['entries']:,}"], ["head", seen["head"]]]
        table.show(["", ""], rows + [[kind, one] for kind in ("known", "problem") for one in seen[_MEMBERS[kind]]])
    if seen["problems"]:
        raise Failed("the audit log is not what was written into it")
