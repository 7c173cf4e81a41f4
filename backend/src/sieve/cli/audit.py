"""`sieve audit`: checks that the audit log is unchanged, and continues a damaged one. For admins."""

from typing import Annotated, Any, Final

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import Failed
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, group

_MEMBERS: Final = {"known": "known", "problem": "problems"}

audit = group("The audit log, for admins.")


@audit.command()
def verify(
    head: Annotated[
        list[str] | None,
        typer.Option(
            "--head", metavar="HEAD", help="A head from a receipt or log that the chain must contain; may be repeated."
        ),
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Check that no entry was changed or removed. The exit status is 1 if one was."""
    with Api(url, token_file) as api:
        chain = api.call("GET", "/audit/chain", params={"head": head or []})
    _show(chain, as_json)


@audit.command("continue")
def continue_(
    head: Annotated[str, typer.Option("--head", metavar="HEAD", help="The head that `sieve audit verify` prints.")],
    reason: Annotated[str, typer.Option("--reason", help="The reason, for the log's next entry.")],
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Continue a damaged log that no backup can repair. Nothing is removed: `verify` lists the damage as known, and
    heads are signed again from here on.
    """
    with Api(url, token_file) as api:
        chain = api.call("POST", "/audit/chain", json={"head": head, "reason": reason})
    _show(chain, as_json)


def _show(chain: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(chain)
    else:
        rows = [["entries", f"{chain['entries']:,}"], ["head", chain["head"]]]
        table.show(["", ""], rows + [[kind, one] for kind in ("known", "problem") for one in chain[_MEMBERS[kind]]])
    if chain["problems"]:
        raise Failed("the audit log was changed")
