"""`sieve peers`: pairing with other gateways, for admins."""

from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to, show_change
from sieve.cli.errors import BadInput
from sieve.cli.files import read_source
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group

peers = group("The gateways that yours is paired with, for admins.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The peer's name.")]
Invitation = Annotated[
    str,
    typer.Argument(metavar="INVITATION", help="The other admin's invitation, a file with it, or - for stdin."),
]


@peers.command("list", epilog=examples("sieve peers list"))
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the peers."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/peers")
    rows = ([p["name"], p["state"], p["secure_url"], p["plain_url"]] for p in found)
    table.show_list(found, as_json, ["peer", "state", "secure", "plain"], rows)


@peers.command(epilog=examples("sieve peers invitation > alpha.invitation"))
def invitation(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Print your gateway's invitation, for the other admin."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/peers/invitation")
    show_change(found, found["invitation"], as_json=as_json)


@peers.command(epilog=examples("sieve peers add bravo.invitation"))
def add(given: Invitation, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Add a gateway by its invitation. Print your code, to read out to the other admin."""
    with Api(url, token_file) as api:
        added = api.call("POST", "/peers", json={"invitation": _text(given)})
    show_change(added, added["code"], as_json=as_json)


@peers.command(epilog=examples("sieve peers code bravo"))
def code(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Print your gateway's code for a peer, to read out to the peer's admin."""
    with Api(url, token_file) as api:
        found = api.call("GET", f"{path_to('peers', name)}/code")
    show_change(found, found["code"], as_json=as_json)


@peers.command(epilog=examples("sieve peers confirm bravo 'CODE'"))
def confirm(
    name: Name,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code that the other admin reads out.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Confirm a peer with the code that its admin reads out to you."""
    with Api(url, token_file) as api:
        api.call("POST", f"{path_to('peers', name)}/confirm", json={"code": code})
    show_change({"confirmed": name}, as_json=as_json)


@peers.command(
    epilog=examples(
        "sieve peers renew bravo bravo.invitation", "sieve peers renew bravo bravo.invitation --code 'CODE'"
    )
)
def renew(
    name: Name,
    given: Invitation,
    code: Annotated[
        str | None, typer.Option(help="The code that the other admin reads out; without it, yours is printed.")
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Accept a confirmed peer's new invitation, with the code that its admin reads out.

    Its old key counts until retired.
    """
    with Api(url, token_file) as api:
        invitation = _text(given)
        if code is None:
            asked = api.call("POST", f"{path_to('peers', name)}/renewal-code", json={"invitation": invitation})
            show_change(asked, asked["code"], as_json=as_json)
            return
        api.call("POST", f"{path_to('peers', name)}/renew", json={"invitation": invitation, "code": code})
    show_change({"renewed": name}, as_json=as_json)


@peers.command(epilog=examples("sieve peers retire bravo PIN"))
def retire(
    name: Name,
    pin: Annotated[str, typer.Argument(metavar="PIN", help="The pin of the key to end.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """End the validity of one of a peer's two keys."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("peers", name, "pins", pin))
    show_change({"peer": name, "retired": pin}, as_json=as_json)


@peers.command(epilog=examples("sieve peers remove bravo"))
def remove(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Remove a peer at once."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("peers", name))
    show_change({"removed": name}, as_json=as_json)


@peers.command(epilog=examples("sieve peers test bravo"))
def test(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Check that a peer answers, and print the time in milliseconds."""
    with Api(url, token_file) as api:
        found = api.call("POST", f"{path_to('peers', name)}/test")
    show_change(found, str(found["latency_ms"]), as_json=as_json)


def _text(given: str) -> str:
    if given.startswith("sieve-invitation"):
        return given
    try:
        return read_source(given).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{given} is not an invitation") from None
