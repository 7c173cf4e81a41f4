"""`sieve inbox`, `sieve delete` and `sieve undelete`: documents that were delivered to you."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_change
from sieve.cli.errors import BadInput
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


class Sort(StrEnum):
    """What the inbox is sorted by."""

    received = "received"
    sender = "sender"
    name = "name"
    size = "size"


def inbox(
    unread: Annotated[bool, typer.Option("--unread", help="Only documents that you have not opened yet.")] = False,
    sort: Annotated[Sort, typer.Option("--sort", help="What the list is sorted by.")] = Sort.received,
    search: Annotated[str, typer.Option("--search", help="A part of the document's name, sender or gateway.")] = "",
    deleted: Annotated[bool, typer.Option("--deleted", help="Documents that `sieve undelete` can restore.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """List documents that were delivered to you: the latest or largest first, names and senders from A to Z."""
    wanted = {
        "unread": unread,
        "deleted": deleted,
        "search": search,
        "sort": "time" if sort is Sort.received else sort.value,
        "descending": sort in (Sort.received, Sort.size),
    }
    with Api(url, token_file) as api:
        entries = list(api.pages("/inbox", **wanted))
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
    forever: Annotated[bool, typer.Option("--forever", help="Delete it now, so that it cannot be restored.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --forever: do not ask.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Delete a document from your inbox; `sieve undelete` restores it for some days."""
    with Api(url, token_file) as api:
        path = _path_of_any(api, transfer) if forever else path_of(api, "inbox", transfer)
        if forever and not yes:
            if not sys.stdin.isatty():
                raise BadInput("deleting forever cannot be undone; confirm it with --yes")
            typer.confirm(table.visible(f"Delete {transfer} forever? This cannot be undone."), abort=True)
        api.call("DELETE", path, params={"forever": forever})
    show_change({"deleted": path.rsplit("/", 1)[1], "forever": forever}, as_json=as_json)


def undelete(transfer: Transfer, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Restore a document that you deleted from your inbox."""
    with Api(url, token_file) as api:
        restored = api.call("POST", f"{path_of(api, 'inbox', transfer, deleted=True)}/restore")
    show_change(restored, as_json=as_json)


def _path_of_any(api: Api, transfer: str) -> str:
    """Of a document in the inbox or among those deleted."""
    try:
        return path_of(api, "inbox", transfer)
    except BadInput:
        return path_of(api, "inbox", transfer, deleted=True)
