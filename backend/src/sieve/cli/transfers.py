"""`sieve sent`, `status`, `cancel` and `retry`: your transfers."""

from typing import Annotated, Any, Literal

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url
from sieve.cli.plan import duration, plan_line


def sent(
    state: Annotated[
        Literal["queued", "sending", "delivered", "failed", "cancelled"] | None,
        typer.Option("--state", help="Only transfers in this state."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=200, help="At most N transfers.")] = 50,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """List your transfers, the latest first. An admin gets everybody's."""
    params = {"limit": limit, **({"state": state} if state else {})}
    with Api(url, token_file) as api:
        found = api.call("GET", "/transfers", params=params)["items"]
    rows = (
        [
            t["id"],
            table.when(t["created_at"]),
            t["state"],
            t["peer"],
            ", ".join(t["recipient_names"]),
            table.size(t["document_bytes"]),
            t["name"],
        ]
        for t in found
    )
    table.show_list(found, as_json, ["transfer", "sent", "state", "to", "recipients", "size", "document"], rows)


def status(transfer: Transfer, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Show the state of a transfer."""
    with Api(url, token_file) as api:
        _show(api.call("GET", path_of(api, "transfers", transfer)), as_json=as_json)


def cancel(transfer: Transfer, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Cancel a transfer that is not delivered yet."""
    with Api(url, token_file) as api:
        _show(api.call("POST", f"{path_of(api, 'transfers', transfer)}/cancel"), as_json=as_json)


def retry(transfer: Transfer, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Retry a failed transfer, or a waiting one at once."""
    with Api(url, token_file) as api:
        _show(api.call("POST", f"{path_of(api, 'transfers', transfer)}/requeue"), as_json=as_json)


def _show(transfer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(transfer)
        return
    size, classified = table.size(transfer["document_bytes"]), table.size(transfer["classified_bytes"])
    plan = transfer["plan"]
    facts = {
        "transfer": transfer["id"],
        "document": f"{transfer['name']} ({size}, {classified} classified)",
        "to": f"{', '.join(transfer['recipient_names'])} at {transfer['peer']}",
        "state": transfer["state"],
        "reason": transfer["reason"],
        "sent": table.when(transfer["created_at"]),
        "next attempt": _when_if(transfer["next_try_at"]),
        "deadline": _when_if(None if transfer["delivered_at"] else transfer["deadline_at"]),
        "delivered": _when_if(transfer["delivered_at"]),
        "response": duration(transfer["timings"]["response"]) if transfer["timings"] else None,
        "plan": plan_line(plan) if plan["estimate"] else None,
        "cipher": plan["cipher"],
        "key exchange": plan["key_exchange"],
    }
    table.show_facts({name: value for name, value in facts.items() if value})


def _when_if(time: str | None) -> str | None:
    return None if time is None else table.when(time)
