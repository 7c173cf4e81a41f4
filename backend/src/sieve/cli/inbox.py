"""`sieve inbox` and `sieve delete`: documents that were delivered to you."""

import sys
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api
from sieve.cli.errors import BadInput
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


def inbox(
    unread: Annotated[bool, typer.Option("--unread", help="Only documents that you have not opened yet.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """List documents that were delivered to you, the latest first."""
    with Api(url, token_file) as api:
        entries = [entry for entry in api.pages("/inbox") if not (unread and entry["read_at"])]
    rows = (
        [
            e["transfer_id"],
            table.when(e["received_at"]),
            "" if e["read_at"] else "unread",
            e["peer"],
            e["sender"],
            _size(e),
            e["name"],
        ]
        for e in entries
    )
    table.show_list(entries, as_json, ["transfer", "received", "", "from", "sender", "size", "document"], rows)


def _size(entry: dict[str, Any]) -> str:
    """Without clearance, the size of the plain part."""
    if entry["document_bytes"] is None:
        return f"{table.size(entry['plain_bytes'])} plain"
    return table.size(entry["document_bytes"])


def delete(
    transfer: Transfer,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Delete a document from your inbox."""
    with Api(url, token_file) as api:
        path = path_of(api, "inbox", transfer)
        if not yes:
            entry = api.call("GET", path)
            if not sys.stdin.isatty():
                raise BadInput("deleting cannot be undone; confirm it with --yes")
            typer.confirm(table.visible(f"Delete {entry['name']} from your inbox? This cannot be undone."), abort=True)
        api.call("DELETE", path)
