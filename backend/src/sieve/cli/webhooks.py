"""`sieve webhook`: addresses that the gateway calls when documents arrive, for admins."""

from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_change
from sieve.cli.errors import BadInput, Failed
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group
from sieve.cli.people import Name, person_id

webhooks = group("Webhooks: the gateway calls an application when a document arrives for a person. For admins.")

Webhook = Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's id, or the start of it.")]


@webhooks.command("list", epilog=examples("sieve webhook list registry"))
def listed(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the webhooks of a person."""
    with Api(url, token_file) as api:
        found = api.call("GET", f"/people/{person_id(api, name)}/webhooks")
    rows = ([one["id"], one["url"], one["sent_at"] or "never", one["problem"] or ""] for one in found)
    table.show_list(found, as_json, ["id", "address", "last success", "problem"], rows)


@webhooks.command(epilog=examples("sieve webhook add registry https://app.example.org/sieve"))
def add(
    name: Name,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The application's https:// address.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Add a webhook for a person, and print its secret, which is shown only once."""
    with Api(url, token_file) as api:
        made = api.call("POST", f"/people/{person_id(api, name)}/webhooks", json={"url": address})
    show_change(made, made["secret"], as_json=as_json)


@webhooks.command(epilog=examples("sieve webhook test registry 3f"))
def test(
    name: Name, webhook: Webhook, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Call a webhook for a test."""
    with Api(url, token_file) as api:
        problem = api.call("POST", f"{_path(api, name, webhook)}/test")["problem"]
    if problem is not None:
        raise Failed(problem)
    show_change({"problem": None}, "The application accepted the request.", as_json=as_json)


@webhooks.command(epilog=examples("sieve webhook remove registry 3f"))
def remove(
    name: Name, webhook: Webhook, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Remove a webhook."""
    with Api(url, token_file) as api:
        path = _path(api, name, webhook)
        api.call("DELETE", path)
    show_change({"removed": path.rsplit("/", 1)[1]}, as_json=as_json)


def _path(api: Api, name: str, start: str) -> str:
    of_person = f"/people/{person_id(api, name)}/webhooks"
    ids = [str(one["id"]) for one in api.call("GET", of_person) if one["id"].startswith(start)]
    if len(ids) != 1:
        found = "no webhook" if not ids else f"{len(ids)} webhooks"
        raise BadInput(f"{found} of {name} has an id that starts with {start}; see `sieve webhook list {name}`")
    return f"{of_person}/{ids[0]}"
