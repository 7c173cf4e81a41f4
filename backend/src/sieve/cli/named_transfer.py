"""Finds the transfer that an argument names: by its id, by an unambiguous start of it, or by its document's name."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import typer

from sieve.cli.api import Api, path_to
from sieve.cli.errors import BadInput

Transfer = Annotated[
    str,
    typer.Argument(metavar="TRANSFER", help="Its id, the start of its id, or the name of its document."),
]
List = Literal["drafts", "inbox", "transfers"]

_WHOLE_ID: Final = re.compile("[0-9a-f]{32}")
_WHERE: Final[dict[List, tuple[str, str]]] = {
    "drafts": ("among your documents", "the web interface"),
    "inbox": ("in your inbox", "`sieve inbox`"),
    "transfers": ("among the transfers that you sent", "`sieve sent`"),
}


def path_of(api: Api, of: List, given: str, **wanted: Any) -> str:
    """The API's path of the transfer that `given` names in the inbox or among those sent. `wanted`: parameters of the
    list.

    Raises:
        BadInput: none has that name, or several have.
    """
    if _WHOLE_ID.fullmatch(given):
        return path_to(of, given)
    return path_to(of, found(list(api.pages(f"/{of}", **wanted)), of, given)["id"])


def found(items: Sequence[dict[str, Any]], of: List, given: str) -> dict[str, Any]:
    """The item that `given` names.

    Raises:
        BadInput: none has that name, or several have.
    """
    where, command = _WHERE[of]
    matching = [
        item
        for item in items
        if given == item["name"] or (given and item.get("transfer_id", item["id"]).startswith(given))
    ]
    if not matching:
        raise BadInput(f"nothing {where} has the id or the name {given!r}; {command} lists them")
    if len(matching) > 1:
        raise BadInput(f"{len(matching)} {where} have {given!r} as their name or the start of their id; give an id")
    return matching[0]
