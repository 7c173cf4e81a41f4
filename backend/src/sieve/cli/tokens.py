"""`sieve token`: your API tokens."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to, show_change
from sieve.cli.errors import BadInput, Failed
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group

tokens = group("Your API tokens.")

DEFAULT_DAYS = 90
_CHOICES = (7, 30, 90, 365)


def _one_of_the_choices(days: int) -> int:
    if days not in _CHOICES:
        raise typer.BadParameter(f"choose one of {', '.join(map(str, _CHOICES))}")
    return days


Days = Annotated[
    int,
    typer.Option("--days", callback=_one_of_the_choices, help="The token expires after 7, 30, 90 or 365 days."),
]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", metavar="SCOPE", help="send, read or admin; repeat it. By default, all of the roles."),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="The password; by default the command asks for it."),
]
Login = Annotated[
    str | None,
    typer.Option("--login", metavar="NAME", help="Sign in with login and password, if you have no token yet."),
]


def token_request(label: str, days: int, scopes: list[str] | None) -> dict[str, Any]:
    """The body that asks for a token."""
    return {"label": label, "expires_in_days": days, "scopes": scopes or None}


@tokens.command("list", epilog=examples("sieve token list"))
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List your tokens."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/tokens")
    rows = (
        [
            *(t["id"], t["label"], " ".join(t["scopes"])),
            *(t["created_at"], t["last_used_at"] or "never", t["expires_at"] or "never"),
        ]
        for t in found
    )
    table.show_list(found, as_json, ["id", "label", "scopes", "created", "last used", "expires"], rows)


@tokens.command(epilog=examples("sieve token new laptop --login anna > token"))
def new(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="The token's purpose.")],
    days: Days = DEFAULT_DAYS,
    scopes: Scopes = None,
    password_file: PasswordFile = None,
    login: Login = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Create a token, and print it. It cannot be shown again. You confirm it with your password, and with a code if you
    have a second factor.
    """
    if login is None:
        with Api(url, token_file) as api:
            me = api.call("GET", "/me")
        if me["is_service"]:
            raise BadInput("admins create the tokens of service accounts: sieve people token")
        login = str(me["name"])
    with Api(url, None, login=(login, _password(password_file))) as api:
        try:
            if (step := api.next_step) is not None:
                api.call("POST", "/session/factor", json=_factor(step))
            made = api.call("POST", "/tokens", json=token_request(label, days, scopes))
            show_change(made, made["token"], as_json=as_json)
        finally:
            api.call("DELETE", "/session")


@tokens.command(epilog=examples("sieve token revoke 3f1c"))
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id in `sieve token list`.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Revoke a token at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("tokens", token_id))
    show_change({"revoked": token_id}, as_json=as_json)


def _password(file: Path | None) -> str:
    """From the file, or typed; never from an argument, which other users of the machine can see."""
    if file is None:
        if not os.isatty(0):
            raise BadInput("there is no terminal to ask for the password; name a file with --password-file")
        return str(typer.prompt("Password", hide_input=True, err=True))
    try:
        return file.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the password from {file}: {error}") from None


def _factor(step: Mapping[str, Any]) -> dict[str, str]:
    """The body that finishes a sign-in, with a code that the person types."""
    methods = step["methods"]
    if step["needs"] != "factor":
        raise Failed("this gateway requires a second factor of you; sign in in a browser and add one first")
    if not methods["app"] and not methods["recovery_code"]:
        raise Failed("your second factor is a passkey, which works in a browser only; create the token there")
    if not os.isatty(0):
        raise BadInput("there is no terminal to ask for the code of your second factor; run the command in one")
    asked = "Code of your authenticator app, or a recovery code" if methods["app"] else "Recovery code"
    typed = str(typer.prompt(asked, hide_input=True, err=True))
    is_code = methods["app"] and "".join(typed.split()).isdecimal()
    return {"code" if is_code else "recovery_code": typed}
