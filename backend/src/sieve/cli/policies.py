"""`sieve policies`: the policies that a gateway keeps. Admins change them, authors mark by them."""

import json
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from sieve.cli import table
from sieve.cli.api import Api, Refused, show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url

policies = typer.Typer(help="The policies that a gateway keeps.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The policy's name.")]


@policies.command("list")
def listed(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List the policies."""
    with Api(url, token_file) as api:
        found = api.call("GET", "/policies")
    if as_json:
        show_json(found)
        return
    rows = [
        [one["name"], str(one["version"]), str(one["rules"]), "guards" if one["guard"] else "", one["title"]]
        for one in found
    ]
    table.show(["policy", "version", "rules", "sending", "title"], rows)


@policies.command()
def show(
    name: Name,
    version: Annotated[int | None, typer.Option("--version", metavar="N", help="An earlier one.")] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Print a policy, as it was written."""
    with Api(url, token_file) as api:
        found = one(api, name, version)
    if as_json:
        show_json(found)
    elif found["toml"] is not None:
        print(found["toml"], end="")
    else:
        written = {field: found[field] for field in ("name", "version", "title", "guard", "rules")}
        print(json.dumps(written, ensure_ascii=False, indent=2))


@policies.command()
def put(
    file: Annotated[Path, typer.Argument(metavar="P.toml", help="A policy in TOML, or in JSON.")],
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Keep a policy at the gateway: a new one, or the next version of the one of its name.

    What keywords files hold is put into the policy; the gateway counts versions itself.
    """
    from sieve.cli.mark import read_keywords_beside, read_text
    from sieve.marking.errors import PolicyError
    from sieve.marking.policy import read_json, read_toml, with_keywords_inside

    text = read_text(file)
    is_json = file.suffix.lower() == ".json"
    try:
        written = read_json(text) if is_json else read_toml(text)
        inside = with_keywords_inside(written, read_keywords_beside(file))
    except PolicyError as error:
        raise BadInput(f"{file}: {error}") from None
    if inside != written:
        # Without its comments, which cannot be kept where keywords are put in.
        is_json, text = True, json.dumps({"guard": False, **inside}, ensure_ascii=False)
    name = written.get("name")
    headers = {"Content-Type": f"application/{'json' if is_json else 'toml'}"}
    with Api(url, token_file) as api:
        known = {one["name"]: one["version"] for one in api.call("GET", "/policies")}
        if isinstance(name, str) and name in known:
            headers["If-Match"] = f'"{known[name]}"'
            kept = api.call("PUT", path_of(name), content=text.encode(), headers=headers)
        else:
            kept = api.call("POST", "/policies", content=text.encode(), headers=headers)
    print(f"{table.visible(kept['name'])}/{kept['version']}")


@policies.command()
def delete(name: Name, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Delete a policy. Its versions stay readable, for marks name them."""
    with Api(url, token_file) as api:
        api.call("DELETE", path_of(name))


def one(api: Api, name: str, version: int | None = None) -> dict[str, Any]:
    """A policy that the gateway keeps.

    Raises:
        BadInput: it keeps none of that name or version.
    """
    try:
        found: dict[str, Any] = api.call("GET", path_of(name), params={} if version is None else {"version": version})
    except Refused as error:
        if error.status == 404:
            raise BadInput(f"{name}: {error}") from error
        raise
    return found


def path_of(name: str) -> str:
    """Where the API has a policy."""
    return f"/policies/{quote(name, safe='')}"
