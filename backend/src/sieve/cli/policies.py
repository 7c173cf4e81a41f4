"""`sieve policies`: the policies of a gateway. Admins change them, authors mark with them."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to, show_change, show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group
from sieve.cli.policy_files import fetch_policy, keywords_reader, read_text

policies = group("The gateway's policies.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The policy's name.")]


@policies.command("list", epilog=examples("sieve policies list"))
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the policies."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/policies")
    rows = (
        [one["name"], str(one["version"]), str(one["rules"]), "guards" if one["guard"] else "", one["title"]]
        for one in found
    )
    table.show_list(found, as_json, ["policy", "version", "rules", "sending", "title"], rows)


@policies.command(epilog=examples("sieve policies show personal-data > personal-data.toml"))
def show(
    name: Name,
    version: Annotated[int | None, typer.Option("--version", metavar="N", help="An earlier version.")] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Print a policy as it was written."""
    with Api(url, token_file) as api:
        found = fetch_policy(api, name, version)
    if as_json:
        show_json(found)
    elif found["toml"] is not None:
        print(found["toml"], end="")
    else:
        written = {field: found[field] for field in ("name", "version", "title", "guard", "rules")}
        print(json.dumps(written, ensure_ascii=False, indent=2))


@policies.command(epilog=examples("sieve policies put personal-data.toml"))
def put(
    file: Annotated[Path, typer.Argument(metavar="P.toml", help="A policy in TOML, or in JSON.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Store a policy at the gateway: a new one, or the next version if its name exists.

    The contents of keywords files become part of the policy. The gateway numbers the versions.
    """
    from sieve.marking.errors import PolicyError
    from sieve.marking.policy import read_json, read_toml, with_keywords_inside

    text = read_text(file)
    is_json = file.suffix.lower() == ".json"
    try:
        written = read_json(text) if is_json else read_toml(text)
        inside = with_keywords_inside(written, keywords_reader(file))
    except PolicyError as error:
        raise BadInput(f"{file}: {error}") from None
    if inside != written:
        # Comments are lost where keywords become part of the policy.
        is_json, text = True, json.dumps({"guard": False, **inside}, ensure_ascii=False)
    name = written.get("name")
    headers = {"Content-Type": f"application/{'json' if is_json else 'toml'}"}
    with Api(url, token_file) as api:
        known = {one["name"]: one["version"] for one in api.call("GET", "/policies")}
        if isinstance(name, str) and name in known:
            headers["If-Match"] = f'"{known[name]}"'
            stored = api.call("PUT", path_to("policies", name), content=text.encode(), headers=headers)
        else:
            stored = api.call("POST", "/policies", content=text.encode(), headers=headers)
    show_change(stored, f"{table.visible(stored['name'])}/{stored['version']}", as_json=as_json)


@policies.command(epilog=examples("sieve policies delete personal-data"))
def delete(name: Name, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Delete a policy. Its versions stay readable, because marks name them."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_to("policies", name))
    show_change({"deleted": name}, as_json=as_json)
