"""`sieve people`: accounts, for admins."""

from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, group

people = group("People with an account, for admins.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The login.")]
_ROLES = ("author", "recipient", "admin")


@people.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List all people."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/people")
    rows = ([p["name"], p["display_name"], p["unit"] or "", ", ".join(_roles(p))] for p in found)
    table.show_list(found, as_json, ["login", "name", "unit", "roles"], rows)


@people.command()
def add(
    name: Name,
    display_name: Annotated[
        str | None, typer.Option("--display-name", help="The name to show; by default the login.")
    ] = None,
    unit: Annotated[str | None, typer.Option("--unit", help="Their department, which peer gateways see, too.")] = None,
    author: Annotated[bool, typer.Option("--author", help="May send.")] = False,
    recipient: Annotated[bool, typer.Option("--recipient", help="May receive.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="May administer; this alone does not allow reading.")] = False,
    cleared: Annotated[bool, typer.Option("--cleared", help="May read classified content.")] = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Add a person."""
    roles = {"is_author": author, "is_recipient": recipient, "is_admin": admin, "cleared": cleared}
    with Api(url, token_file) as api:
        asked = {"name": name, "display_name": display_name or name, "unit": unit, **roles}
        api.call("POST", "/people", json=asked)


@people.command()
def change(
    name: Name,
    display_name: Annotated[str | None, typer.Option("--display-name")] = None,
    unit: Annotated[str | None, typer.Option("--unit", help="Their department; an empty text removes it.")] = None,
    author: Annotated[bool | None, typer.Option("--author/--no-author")] = None,
    recipient: Annotated[bool | None, typer.Option("--recipient/--no-recipient")] = None,
    admin: Annotated[bool | None, typer.Option("--admin/--no-admin")] = None,
    cleared: Annotated[bool | None, typer.Option("--cleared/--not-cleared")] = None,
    disabled: Annotated[bool | None, typer.Option("--disable/--enable")] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Change the roles, clearance, name or unit of a person, or disable their account."""
    asked = {
        "display_name": display_name,
        "unit": unit,
        "is_author": author,
        "is_recipient": recipient,
        "is_admin": admin,
        "cleared": cleared,
        "disabled": disabled,
    }
    changes = {field: value for field, value in asked.items() if value is not None}
    if not changes:
        raise BadInput("nothing to change; add an option such as --cleared (see --help)")
    with Api(url, token_file) as api:
        api.call("PATCH", f"/people/{person_id(api, name)}", json=changes)


@people.command()
def token(
    name: Name,
    label: Annotated[str, typer.Option("--label", help="The token's purpose.")] = "made by an admin",
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Create a token for a person, and print it."""
    with Api(url, token_file) as api:
        print(api.call("POST", f"/people/{person_id(api, name)}/tokens", json={"label": label})["token"])


def person_id(api: Api, name: str) -> str:
    """The id of the person with that login."""
    for person in api.call("GET", "/people"):
        if person["name"] == name.lower():
            return str(person["id"])
    raise BadInput(f"no person has the login {name}")


def _roles(person: dict[str, Any]) -> list[str]:
    if person["disabled_at"]:
        return ["disabled"]
    roles = [role for role in _ROLES if person[f"is_{role}"]]
    return [*roles, *(["cleared"] if person["cleared"] else [])]
