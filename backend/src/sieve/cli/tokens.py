"""`sieve token`: one's own API tokens."""

from typing import Annotated
from urllib.parse import quote

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

tokens = typer.Typer(help="Your own API tokens.", no_args_is_help=True, rich_markup_mode=None)

DAY_S = 24 * 3600


@tokens.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List your tokens."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/tokens")
    if as_json:
        show_json(found)
        return
    rows = [
        [t["id"], t["label"], t["created_at"], t["last_used_at"] or "never", t["expires_at"] or "never"] for t in found
    ]
    table.show(["id", "label", "made", "used", "expires"], rows)


@tokens.command()
def new(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="What it is for.")],
    days: Annotated[int | None, typer.Option("--days", min=1, max=3660, help="Expires after so many days.")] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Make a token, and print it: it is told this once."""
    with Api(url, token_file) as api:
        asked = {"label": label, "expires_in_s": days * DAY_S if days else None}
        print(api.call("POST", "/tokens", json=asked)["token"])


@tokens.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="As `sieve token list` shows it.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """End a token, at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", f"/tokens/{quote(token_id, safe='')}")
