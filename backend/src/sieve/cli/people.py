"""`sieve people`: accounts, for admins."""

from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

people = typer.Typer(help="People with an account, for admins.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The login.")]
_ROLES = ("author", "recipient", "admin")


@people.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List everybody."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/people")
    if as_json:
        show_json(found)
        return
    table.show(["login", "name", "may"], [[p["name"], p["display_name"], ", ".join(_may(p))] for p in found])


@people.command()
def add(
    name: Name,
    display_name: Annotated[str | None, typer.Option("--display-name", help="Instead of the login.")] = None,
    author: Annotated[bool, typer.Option("--author", help="May send.")] = False,
    recipient: Annotated[bool, typer.Option("--recipient", help="May receive.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="May administer; this alone lets nobody read.")] = False,
    cleared: Annotated[bool, typer.Option("--cleared", help="May read what is classified.")] = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Add a person."""
    roles = {"is_author": author, "is_recipient": recipient, "is_admin": admin, "cleared": cleared}
    with Api(url, token_file) as api:
        api.call("POST", "/people", json={"name": name, "display_name": display_name or name, **roles})


@people.command()
def change(
    name: Name,
    display_name: Annotated[str | None, typer.Option("--display-name")] = None,
    author: Annotated[bool | None, typer.Option("--author/--no-author")] = None,
    recipient: Annotated[bool | None, typer.Option("--recipient/--no-recipient")] = None,
    admin: Annotated[bool | None, typer.Option("--admin/--no-admin")] = None,
    cleared: Annotated[bool | None, typer.Option("--cleared/--not-cleared")] = None,
    disabled: Annotated[bool | None, typer.Option("--disable/--enable")] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Change roles, clearance or the name of a person, or disable them."""
    asked = {
        "display_name": display_name,
        "is_author": author,
        "is_recipient": recipient,
        "is_admin": admin,
        "cleared": cleared,
        "disabled": disabled,
    }
    changes = {field: value for field, value in asked.items() if value is not None}
    if not changes:
        raise BadInput("say what is to change, such as --cleared; --help lists what can")
    with Api(url, token_file) as api:
        api.call("PATCH", f"/people/{_id(api, name)}", json=changes)


@people.command()
def token(
    name: Name,
    label: Annotated[str, typer.Option("--label", help="What it is for.")] = "made by an admin",
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Make a token for a person, and print it."""
    with Api(url, token_file) as api:
        print(api.call("POST", f"/people/{_id(api, name)}/tokens", json={"label": label})["token"])


def _id(api: Api, name: str) -> str:
    for person in api.call("GET", "/people"):
        if person["name"] == name.lower():
            return str(person["id"])
    raise BadInput(f"there is nobody named {name}")


def _may(person: dict[str, Any]) -> list[str]:
    if person["disabled_at"]:
        return ["disabled"]
    roles = [role for role in _ROLES if person[f"is_{role}"]]
    return [*roles, *(["cleared"] if person["cleared"] else [])]
