"""`sieve people`: accounts, for admins."""

import sys
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to, show_change
from sieve.cli.errors import BadInput
from sieve.cli.files import STANDARD_STREAM, read_source, write_target
from sieve.cli.options import DEFAULT_URL, Json, OutFile, TokenFile, Url, examples, group
from sieve.cli.tokens import DEFAULT_DAYS, Days, Scopes, token_request
from sieve.cli.written_file import check_target, show_written

people = group("People with an account, for admins.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The login.")]
ApprovalId = Annotated[str, typer.Argument(metavar="ID", help="The id in `sieve people waiting`.")]
_WAITS = {"clearance": "earlier documents", "reset": "reset account", "admin": "admin role"}
_ROLES = ("author", "recipient", "admin")


@people.command("list", epilog=examples("sieve people list", "sieve people list --json"))
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List all people."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/people")
    rows = ([p["name"], p["display_name"], p["unit"] or "", ", ".join(_roles(p))] for p in found)
    table.show_list(found, as_json, ["login", "name", "unit", "roles"], rows)


@people.command(
    epilog=examples(
        "sieve people add anna --display-name 'Anna Berg' --author", "sieve people add scanner --service --author"
    )
)
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
    service: Annotated[
        bool, typer.Option("--service", help="A program's account: it has no password; admins make its tokens.")
    ] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Add a person, or a service account."""
    roles = {"is_author": author, "is_recipient": recipient, "is_admin": admin, "cleared": cleared}
    with Api(url, token_file) as api:
        asked = {"name": name, "display_name": display_name or name, "unit": unit, "is_service": service, **roles}
        show_change(api.call("POST", "/people", json=asked), as_json=as_json)


@people.command(epilog=examples("sieve people change bruno --cleared", "sieve people change bruno --disable"))
def change(
    name: Name,
    display_name: Annotated[str | None, typer.Option("--display-name")] = None,
    unit: Annotated[str | None, typer.Option("--unit", help="Their department; an empty text removes it.")] = None,
    author: Annotated[bool | None, typer.Option("--author/--no-author")] = None,
    recipient: Annotated[bool | None, typer.Option("--recipient/--no-recipient")] = None,
    admin: Annotated[bool | None, typer.Option("--admin/--no-admin")] = None,
    cleared: Annotated[bool | None, typer.Option("--cleared/--not-cleared")] = None,
    disabled: Annotated[bool | None, typer.Option("--disable/--enable")] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Change the roles, clearance, name or unit of a person, or disable their account.

    Clearance counts for documents that arrive later; for earlier ones once a second admin agrees.
    """
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
        show_change(api.call("PATCH", f"/people/{person_id(api, name)}", json=changes), as_json=as_json)


@people.command(epilog=examples("sieve people token scanner --label 'scan room' --scope send"))
def token(
    name: Name,
    label: Annotated[str, typer.Option("--label", help="The token's purpose.")] = "made by an admin",
    days: Days = DEFAULT_DAYS,
    scopes: Scopes = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Create a token for a service account, and print it. People make their own: sieve token new.

    What the account received before is locked until a second admin agrees.
    """
    with Api(url, token_file) as api:
        asked = token_request(label, days, scopes)
        made = api.call("POST", f"/people/{person_id(api, name)}/tokens", json=asked)
    show_change(made, made["token"], as_json=as_json)


@people.command(epilog=examples("sieve people waiting"))
def waiting(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List what waits for a second admin."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/approvals")["waiting"]
    rows = (
        [each["id"], each["person"], _WAITS[each["kind"]], each["asked_by"] or "", each["asked_at"]] for each in found
    )
    table.show_list(found, as_json, ["id", "login", "for", "asked by", "since"], rows)


@people.command(epilog=examples("sieve people agree 5f0c"))
def agree(approval_id: ApprovalId, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Agree, as the second admin, to what another admin did."""
    with Api(url, token_file) as api:
        api.call("POST", path_to("approvals", approval_id, "agree"))
    show_change({"id": approval_id, "answer": "agree"}, as_json=as_json)


@people.command(epilog=examples("sieve people refuse 5f0c"))
def refuse(
    approval_id: ApprovalId, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Refuse what another admin did, or withdraw what you asked for. For a reset, this also ends the account's sessions
    and tokens.
    """
    with Api(url, token_file) as api:
        api.call("POST", path_to("approvals", approval_id, "refuse"))
    show_change({"id": approval_id, "answer": "refuse"}, as_json=as_json)


@people.command("import", epilog=examples("sieve people import people.csv --dry-run"))
def import_people(
    file: Annotated[str, typer.Argument(metavar="FILE.csv", help="The people; - is stdin.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Add and change people from a CSV file: all rows or, if one is refused, none.

    The first row names the columns: login, and any of name, unit, mail, roles, cleared and disabled. Roles are author,
    recipient and admin, with blanks between. What a missing column says stays unchanged. Prints the link with which
    each new person sets a password; it is shown only once.
    """
    data = read_source(file)
    with Api(url, token_file) as api:
        found = api.call("POST", "/people/import", params={"preview": dry_run}, content=data)
    rows = found["rows"]
    if dry_run:
        shown = ([str(row["line"]), row["login"], row["outcome"], _what(row)] for row in rows)
        table.show_list(found, as_json, ["line", "login", "outcome", "change"], shown)
        if refused := sum(row["outcome"] == "refused" for row in rows):
            raise BadInput(f"{refused} of {len(rows)} rows are refused; nothing can be imported until they are correct")
        return
    links = ([link["name"], link["display_name"], api.url + link["url"]] for link in found["links"])
    table.show_list(found, as_json, ["login", "name", "link"], links)
    counts = (
        f"{sum(row['outcome'] == outcome for row in rows)} {outcome}" for outcome in ("new", "changed", "unchanged")
    )
    print(", ".join(counts), file=sys.stderr)


@people.command("export", epilog=examples("sieve people export --out people.csv"))
def export_people(
    out: OutFile = STANDARD_STREAM, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Write all people as a CSV file, which `sieve people import` reads."""
    check_target(out, as_json=as_json)
    with Api(url, token_file) as api:
        data = api.text("/people/export")
    write_target(out, data)
    show_written(out, as_json=as_json, bytes=len(data))


def _what(row: dict[str, Any]) -> str:
    if row["reason"]:
        return str(row["reason"])
    before, after = row["before"], row["after"]
    return ", ".join(f"{column}: {before[column]} -> {text}" for column, text in after.items()) if before else ""


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
    kind = ["service account"] if person["is_service"] else []
    return [*kind, *roles, *(["cleared"] if person["cleared"] else [])]
