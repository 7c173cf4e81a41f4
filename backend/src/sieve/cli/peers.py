"""`sieve peers`: pairing with other gateways, for admins."""

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import BadInput
from sieve.cli.files import STANDARD_STREAM
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

peers = typer.Typer(
    help="The gateways that yours is paired with, for admins.", no_args_is_help=True, rich_markup_mode=None
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The peer's name.")]
Invitation = Annotated[
    str,
    typer.Argument(metavar="INVITATION", help="The other admin's invitation, a file that holds it, or - for stdin."),
]


@peers.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the peers."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/peers")
    if as_json:
        show_json(found)
        return
    table.show(
        ["peer", "state", "secure", "plain"], [[p["name"], p["state"], p["secure_url"], p["plain_url"]] for p in found]
    )


@peers.command()
def invitation(url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Print your gateway's invitation, to give to the other admin."""
    with Api(url, token_file) as api:
        print(api.call("GET", "/peers/invitation")["invitation"])


@peers.command()
def add(given: Invitation, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Take another gateway's invitation, and print the code to compare."""
    with Api(url, token_file) as api:
        print(api.call("POST", "/peers", json={"invitation": _text(given)})["code"])


@peers.command()
def confirm(
    name: Name,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code that the other admin sees.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Confirm a peer, once both codes are the same."""
    with Api(url, token_file) as api:
        api.call("POST", f"{_path(name)}/confirm", json={"code": code})


@peers.command()
def renew(
    name: Name,
    given: Invitation,
    code: Annotated[
        str | None, typer.Option(help="The code that the other admin sees; without it, ours is shown.")
    ] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Take a peer's new invitation, once both codes are the same; its old key counts until it is retired."""
    with Api(url, token_file) as api:
        invitation = _text(given)
        if code is None:
            typer.echo(api.call("POST", f"{_path(name)}/renewal-code", json={"invitation": invitation})["code"])
        else:
            api.call("POST", f"{_path(name)}/renew", json={"invitation": invitation, "code": code})


@peers.command()
def retire(
    name: Name,
    pin: Annotated[str, typer.Argument(metavar="PIN", help="The key that counts no more.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """End one of a peer's two keys."""
    with Api(url, token_file) as api:
        api.call("DELETE", f"{_path(name)}/pins/{quote(pin, safe='')}")


@peers.command()
def remove(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """End a peering, at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", _path(name))


@peers.command()
def test(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Ask a peer for a sign of life, and print how many milliseconds it took."""
    with Api(url, token_file) as api:
        print(api.call("POST", f"{_path(name)}/test")["latency_ms"])


def _path(name: str) -> str:
    return f"/peers/{quote(name, safe='')}"


def _text(given: str) -> str:
    if given == STANDARD_STREAM:
        return sys.stdin.read()
    if given.startswith("sieve-invitation"):
        return given
    try:
        return Path(given).read_text("utf-8")
    except OSError as error:
        raise BadInput(f"cannot read the invitation from {given}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BadInput(f"{given} holds no invitation") from None
