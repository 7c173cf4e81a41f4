"""`sieve forward`: sends a received document on, with its marks."""

from typing import Annotated, Any

import typer

from sieve.cli.api import Api
from sieve.cli.errors import BadInput
from sieve.cli.interrupts import DeferredInterrupt
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import (
    DEFAULT_URL,
    Json,
    Mode,
    Note,
    ReadReceipts,
    Timeout,
    TokenFile,
    Url,
    Wait,
)
from sieve.cli.reasons import OldConfirmFindings, ReasonFile, read_reason
from sieve.cli.recipients import AtPeer, Groups, To, members_of, with_groups
from sieve.cli.send import deliver, destinations
from sieve.cli.upload import Uploaded


def forward(
    transfer: Transfer,
    peer: AtPeer = None,
    to: To = None,
    groups: Groups = None,
    redacted: Annotated[
        bool,
        typer.Option(
            "--redacted", help="Forward the redacted edition. Without clearance, it is all that you can forward."
        ),
    ] = False,
    mode: Mode = "auto",
    reason_file: ReasonFile = None,
    _confirm_findings: OldConfirmFindings = None,
    note: Note = None,
    read_receipts: ReadReceipts = False,
    as_json: Json = False,
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Send a received document to other people, with its marks."""
    named = members_of(to or [], peer)
    if not (named or groups):
        raise BadInput("name a recipient with --to, or a group with --group")
    reason = read_reason(reason_file)
    with Api(url, token_file) as api:
        named = with_groups(api, named, groups)
        path = path_of(api, "inbox", transfer)
        asked: dict[str, Any] = {**destinations(named, "range"), "mode": mode}
        if note is not None:
            asked["note"] = note
        if read_receipts:
            asked["read_receipts"] = True

        edition = "redacted" if redacted else "marked"
        deliver(
            api,
            lambda uploaded: new_draft(api, path, edition, uploaded),
            asked,
            reason,
            wait=wait,
            timeout=timeout,
            as_json=as_json,
        )


def new_draft(api: Api, path: str, edition: str, uploaded: list[Uploaded]) -> None:
    """Makes the draft to send; `uploaded` names it even after Ctrl-C, so that it is deleted."""
    with DeferredInterrupt() as interrupt:
        interrupt.defer()
        made = api.call("POST", f"{path}/forward", params={"edition": edition})
        uploaded.append(Uploaded(made["document_id"], made["name"], made["id"]))
