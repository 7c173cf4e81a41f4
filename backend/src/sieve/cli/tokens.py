"""`sieve token`: your API tokens."""

from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, group

tokens = group("Your API tokens.")

DAY_S = 24 * 3600


@tokens.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List your tokens."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/tokens")
    rows = (
        [t["id"], t["label"], t["created_at"], t["last_used_at"] or "never", t["expires_at"] or "never"] for t in found
    )
    table.show_list(found, as_json, ["id", "label", "created", "last used", "expires"], rows)


@tokens.command()
def new(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="The token's purpose.")],
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=3660, help="The token expires after DAYS days.")
    ] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Create a token, and print it. It cannot be shown again."""
    with Api(url, token_file) as api:
        asked = {"label": label, "expires_in_s": days * DAY_S if days else None}
        print(api.call("POST", "/tokens", json=asked)["token"])


@tokens.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id in `sieve token list`.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Revoke a token at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("tokens", token_id))
