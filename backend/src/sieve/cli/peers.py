"""`sieve peers`: pairing with other gateways, for admins."""

from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to
from sieve.cli.errors import BadInput
from sieve.cli.files import read_source
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, group

peers = group("The gateways that yours is paired with, for admins.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The peer's name.")]
Invitation = Annotated[
    str,
    typer.Argument(metavar="INVITATION", help="The other admin's invitation, a file with it, or - for stdin."),
]


@peers.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the peers."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/peers")
    rows = ([p["name"], p["state"], p["secure_url"], p["plain_url"]] for p in found)
    table.show_list(found, as_json, ["peer", "state", "secure", "plain"], rows)


@peers.command()
def invitation(url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Print your gateway's invitation, for the other admin."""
    with Api(url, token_file) as api:
        print(api.call("GET", "/peers/invitation")["invitation"])


@peers.command()
def add(given: Invitation, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Add a gateway by its invitation. Print your code, to read out to the other admin."""
    with Api(url, token_file) as api:
        print(api.call("POST", "/peers", json={"invitation": _text(given)})["code"])


@peers.command()
def code(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Print your gateway's code for a peer, to read out to the peer's admin."""
    with Api(url, token_file) as api:
        print(api.call("GET", f"{path_to('peers', name)}/code")["code"])


@peers.command()
def confirm(
    name: Name,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code that the other admin reads out.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Confirm a peer with the code that its admin reads out to you."""
    with Api(url, token_file) as api:
        api.call("POST", f"{path_to('peers', name)}/confirm", json={"code": code})


@peers.command()
def renew(
    name: Name,
    given: Invitation,
    code: Annotated[
        str | None, typer.Option(help="The code that the other admin reads out; without it, yours is printed.")
    ] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Accept a peer's new invitation, with the code that its admin reads out. Its old key counts until retired."""
    with Api(url, token_file) as api:
        invitation = _text(given)
        if code is None:
            typer.echo(
                api.call("POST", f"{path_to('peers', name)}/renewal-code", json={"invitation": invitation})["code"]
            )
        else:
            api.call("POST", f"{path_to('peers', name)}/renew", json={"invitation": invitation, "code": code})


@peers.command()
def retire(
    name: Name,
    pin: Annotated[str, typer.Argument(metavar="PIN", help="The pin of the key to end.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """End the validity of one of a peer's two keys."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("peers", name, "pins", pin))


@peers.command()
def remove(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Remove a peer at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("peers", name))


@peers.command()
def test(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Check that a peer answers, and print the time in milliseconds."""
    with Api(url, token_file) as api:
        print(api.call("POST", f"{path_to('peers', name)}/test")["latency_ms"])


def _text(given: str) -> str:
    if given.startswith("sieve-invitation"):
        return given
    try:
        return read_source(given).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{given} is not an invitation") from None
