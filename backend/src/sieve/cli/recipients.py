"""Recipients on the command line: `GATEWAY/LOGIN`, or a saved group of them."""

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api, Refused, path_to, show_change
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group

AtPeer = Annotated[
    str | None,
    typer.Option("--peer", metavar="NAME", help="The gateway of recipients who are named by login alone."),
]
To = Annotated[
    list[str] | None,
    typer.Option(
        "--to",
        metavar="[GATEWAY/]LOGIN",
        help="A recipient, at any gateway that `sieve recipients` lists; may be repeated.",
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", metavar="NAME", help="A saved group of recipients; may be repeated."),
]

groups = group("Your saved groups of recipients, at one or several gateways.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The group's name.")]
Members = Annotated[
    list[str], typer.Argument(metavar="GATEWAY/LOGIN...", help="People, each by their gateway and their login there.")
]


def recipients(
    peer: Annotated[
        str | None,
        typer.Option("--peer", metavar="NAME", help="Only people at this gateway; it may be your own."),
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """List the people whom you can send to: at your own gateway first, then at its peers."""
    with Api(url, token_file) as api:
        gateways = [each["name"] for each in api.call("GET", "/recipients/gateways")] if peer is None else [peer]
        found = [one for gateway in gateways for one in _at(api, gateway, only=peer is not None)]
    rows = (
        [r["gateway"], r["name"], r["display_name"], r["unit"] or "", "cleared" if r["cleared"] else "not cleared"]
        for r in found
    )
    table.show_list(found, as_json, ["gateway", "login", "name", "unit", "clearance"], rows)


def _at(api: Api, gateway: str, *, only: bool) -> list[dict[str, Any]]:
    """The people at a gateway. If it does not answer and never did, the others are still listed."""
    try:
        directory = api.call("GET", f"{path_to('peers', gateway)}/recipients")
    except Refused as refused:
        if only:
            raise
        print(table.visible(f"{gateway}: {refused}"), file=sys.stderr)
        return []
    if directory["as_of"] is not None:
        note = f"{gateway} does not answer. Its list is from {table.when(directory['as_of'])}."
        print(table.visible(note), file=sys.stderr)
    return [{"gateway": gateway, **one} for one in directory["recipients"]]


def members_of(given: Iterable[str], peer: str | None = None) -> list[dict[str, str]]:
    """The recipients that these arguments name. `peer`: the gateway of those that name none.

    Raises:
        BadInput: one of them names no gateway, or no login.
    """
    return [_member(text, peer) for text in given]


def _member(text: str, peer: str | None) -> dict[str, str]:
    gateway, slash, login = text.strip().partition("/")
    if not slash:
        gateway, login = peer or "", gateway
    if not gateway or not login:
        raise BadInput(f"{text!r} names no gateway or no login; write GATEWAY/LOGIN, such as bravo/{login or 'bruno'}")
    return {"peer": gateway, "name": login.lower()}


def with_groups(api: Api, named: Iterable[dict[str, str]], groups: Iterable[str] | None) -> list[dict[str, str]]:
    """These recipients and the members of these groups.

    Raises:
        BadInput: there is no group of that name.
    """
    return [*named, *(member for name in groups or () for member in group_named(api, name)["members"])]


def group_named(api: Api, name: str) -> dict[str, Any]:
    """The group of that name.

    Raises:
        BadInput: there is none.
    """
    for one in api.call("GET", "/recipient-groups"):
        if one["name"] == name:
            found: dict[str, Any] = one
            return found
    raise BadInput(f"you have no group named {name!r}; `sieve groups list` lists them")


@groups.command("list", epilog=examples("sieve groups list"))
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List your groups."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/recipient-groups")
    rows = ([one["name"], ", ".join(map(_text, one["members"]))] for one in found)
    table.show_list(found, as_json, ["group", "members"], rows)


@groups.command(epilog=examples("sieve groups show 'Crisis team'"))
def show(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the members of a group."""
    with Api(url, token_file) as api:
        found = group_named(api, name)
    table.show_list(found, as_json, ["member"], ([_text(one)] for one in found["members"]))


@groups.command(epilog=examples("sieve groups create 'Crisis team' alpha/anna bravo/bruno"))
def create(
    name: Name, members: Members, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Create a group."""
    with Api(url, token_file) as api:
        made = api.call("POST", "/recipient-groups", json={"name": name, "members": members_of(members)})
    _changed(made, as_json=as_json)


@groups.command(epilog=examples("sieve groups add 'Crisis team' bravo/rosa"))
def add(
    name: Name, members: Members, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Add people to a group."""
    more = members_of(members)
    with Api(url, token_file) as api:
        found = group_named(api, name)
        _changed(_replace(api, found, [*found["members"], *more]), as_json=as_json)


@groups.command(epilog=examples("sieve groups remove 'Crisis team' bravo/rosa"))
def remove(
    name: Name, members: Members, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Remove people from a group."""
    fewer = members_of(members)
    with Api(url, token_file) as api:
        found = group_named(api, name)
        strangers = [_text(one) for one in fewer if one not in found["members"]]
        if strangers:
            raise BadInput(f"{', '.join(strangers)} is not in the group {name!r}")
        left = [one for one in found["members"] if one not in fewer]
        if not left:
            raise BadInput(f"nobody would be left in the group {name!r}; delete it with `sieve groups delete`")
        _changed(_replace(api, found, left), as_json=as_json)


@groups.command(epilog=examples("sieve groups delete 'Crisis team'"))
def delete(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Delete a group. Documents that were sent to its members are not affected."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("recipient-groups", group_named(api, name)["id"]))
    show_change({"deleted": name}, as_json=as_json)


def _replace(api: Api, found: dict[str, Any], members: Sequence[dict[str, str]]) -> Any:
    return api.call("PATCH", path_to("recipient-groups", found["id"]), json={"members": list(members)})


def _changed(made: dict[str, Any], *, as_json: bool) -> None:
    table.show_list(made, as_json, ["member"], ([_text(one)] for one in made["members"]))


def _text(member: dict[str, str]) -> str:
    return f"{member['peer']}/{member['name']}"
