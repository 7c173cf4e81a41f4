"""`sieve send`: hand documents to the gateway, watch them arrive, check the receipts ourselves."""

import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import typer

from sieve.channel.errors import ReceiptInvalid
from sieve.channel.receipt import verify
from sieve.cli import findings
from sieve.cli.api import Api, Unreachable, show_json
from sieve.cli.errors import BadInput, Failed
from sieve.cli.handing_in import Given, Handed, hand_in, let_go
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url
from sieve.cli.table import visible
from sieve.cli.watching import FINAL, watch
from sieve.core.errors import SieveError

BATCH_SPLITS = ("bfs", "bes", "bss")


def send(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The document, a marked text unless an option says otherwise; - is stdin. Several go together, each "
            "by itself there.",
        ),
    ],
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway to send to.")],
    to: Annotated[
        list[str], typer.Option("--to", metavar="USER", help="Who gets it, by login there; may be repeated.")
    ],
    mode: Annotated[
        Literal["auto", "sieve", "secure-only"],
        typer.Option("--mode", help="secure-only sends all over the secure channel; auto takes the faster one."),
    ] = "auto",
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text: nothing is classified.")] = False,
    marks: Annotated[
        Path | None,
        typer.Option(
            "--marks", metavar="MARKS.json", help="A file of any format: what is classified in it, as `mark` wrote it."
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="A file of any kind, all of it classified; nothing of it is read.")
    ] = False,
    name: Annotated[str | None, typer.Option("--name", help="The document's name, instead of the file's.")] = None,
    media_type: Annotated[str | None, typer.Option("--media-type", help="Instead of what the name says.")] = None,
    secure: Annotated[
        int | None, typer.Option("--secure", metavar="N", min=1, help="Secure channels; 1, or auto's choice.")
    ] = None,
    plain: Annotated[
        int | None, typer.Option("--plain", metavar="M", min=1, help="Plain channels; 1, or auto's choice.")
    ] = None,
    split: Annotated[
        Literal["range", "es", "ss", "bfs", "bes", "bss"],
        typer.Option(
            "--split",
            help="How streams are dealt to channels; es and ss, and bfs, bes and bss of several documents, tell who "
            "watches where marks are.",
        ),
    ] = "range",
    confirm_findings: Annotated[
        str | None,
        typer.Option(
            "--confirm-findings",
            metavar="REASON",
            help="Send although the leak guard has findings; the reason is kept in the gateway's audit log.",
        ),
    ] = None,
    as_json: Json = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is delivered.")] = True,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", min=0, help="Stop waiting after so many seconds.")
    ] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Send documents to people at another gateway."""
    given = Given(name, media_type, unmarked=unmarked, marks=marks, whole=whole)
    _check(files, given, split)
    with Api(url, token_file) as api:
        asked = {
            "peer": peer,
            "recipients": to,
            "mode": mode,
            "secure_channels": secure,
            "plain_channels": plain,
            "split": split,
        }
        transfers = _send(api, files, given, asked, confirm_findings)
        noted = _tell_notes(transfers)
        if not wait:
            _tell_queued(transfers, as_json=as_json)
            return
        until = None if timeout is None else time.monotonic() + timeout
        ended = [watch(api, transfer, until) for transfer in transfers]
        _tell_notes(ended, noted)
        results = [
            _result(api, transfer) if _is_delivered(transfer) else _not_delivered(transfer) for transfer in ended
        ]
    if as_json:
        _show_json(results)
    else:
        for transfer, result in zip(ended, results, strict=True):
            if _is_delivered(transfer):
                _tell(transfer, result)
    failed = [transfer for transfer in ended if not _is_delivered(transfer)]
    if failed:
        raise Failed("; ".join(map(_failure, failed)))
    doubted = [result["transfer_id"] for result in results if not (result["receipt_verified"] and result["identical"])]
    if doubted:
        raise Failed(
            f"the receipt of transfer {', '.join(doubted)} does not hold under the key of {peer}; tell an admin"
        )


def _check(files: list[str], given: Given, split: str) -> None:
    """Raises BadInput for what does not fit together."""
    given.check(files)
    if split != "range" and (split in BATCH_SPLITS) != (len(files) > 1):
        raise BadInput(f"--split {split} is for {'several documents' if split in BATCH_SPLITS else 'one document'}")


def _send(
    api: Api, files: Sequence[str], given: Given, asked: dict[str, Any], reason: str | None
) -> list[dict[str, Any]]:
    """The transfers of the files, all of them or none."""
    handed: list[Handed] = []
    try:
        for file in files:
            hand_in(api, file, given, handed)
    except BaseException:  # Ctrl-C, too
        let_go(api, handed, sent=False)
        raise
    try:
        transfers = findings.queue(api, {one.document_id: one.name for one in handed}, asked, reason)
    except Unreachable:
        raise  # they may have been queued
    except SieveError:
        let_go(api, handed, sent=False)
        raise
    except KeyboardInterrupt:
        # They may have been queued, or be so by now: what is goes on, and what is not finds nothing to go any more.
        let_go(api, handed, sent=None)
        raise
    let_go(api, handed, sent=True)
    return transfers


# --- telling how it went --------------------------------------------------------------------------------------------


def _tell_notes(transfers: Sequence[dict[str, Any]], told: Collection[str] = ()) -> Collection[str]:
    """Says why plans are not what was asked for, or what they tell whoever watches: each sentence once. Returns what
    was said; `told` was before."""
    notes = dict.fromkeys(transfer["plan"]["note"] for transfer in transfers if transfer["plan"]["note"])
    for note in [note for note in notes if note not in told]:
        print(visible(note), file=sys.stderr)
    return notes


def _tell_queued(transfers: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        _show_json([_queued(transfer) for transfer in transfers])
        return
    for transfer in transfers:
        print(visible(f"{transfer['name']}: transfer {transfer['id']} is {transfer['state']}"))


def _show_json(told: Sequence[dict[str, Any]]) -> None:
    show_json({"transfers": told} if len(told) > 1 else told[0])


def _queued(transfer: dict[str, Any]) -> dict[str, Any]:
    return {
        "transfer_id": transfer["id"],
        "name": transfer["name"],
        "mode": transfer["mode"],
        "state": transfer["state"],
    }


def _not_delivered(transfer: dict[str, Any]) -> dict[str, Any]:
    return {**_queued(transfer), "reason": transfer["reason"]}


def _is_delivered(transfer: dict[str, Any]) -> bool:
    return bool(transfer["state"] == "delivered")


def _tell(transfer: dict[str, Any], result: dict[str, Any]) -> None:
    checked = "Receipt checked." if result["receipt_verified"] else "RECEIPT NOT VALID."
    print(visible(f"{transfer['peer']} has {transfer['name']}. {checked}"))
    print(f"transfer {transfer['id']}, response {result['timings']['response']:.1f} ms")
    if transfer["plan"]["reason"]:
        print(f"as planned: {transfer['plan']['reason']}")
    if transfer["redacted_note"]:
        print(transfer["redacted_note"])


def _failure(transfer: dict[str, Any]) -> str:
    which = f"transfer {transfer['id']} of {transfer['name']} is {transfer['state']}"
    if transfer["state"] in FINAL:
        return f"{which}: {transfer['reason'] or 'no reason given'}"
    return f"{which} and not delivered yet{_because(transfer)}; the gateway goes on trying"


def _because(transfer: dict[str, Any]) -> str:
    return f": {transfer['reason']}" if transfer["reason"] else ""


def _result(api: Api, transfer: dict[str, Any]) -> dict[str, Any]:
    peer = api.call("GET", f"/peers/{transfer['peer']}")
    gateway = api.call("GET", "/gateway")
    receipt = api.text(f"/transfers/{transfer['id']}/receipt").decode()
    return {
        "transfer_id": transfer["id"],
        "name": transfer["name"],
        "mode": transfer["mode"],
        "state": transfer["state"],
        "plan": transfer["plan"],
        "document_bytes": transfer["document_bytes"],
        "classified_bytes": transfer["classified_bytes"],
        "plain_bytes": transfer["plain_bytes"],
        "identical": transfer["identical"],
        "receipt_verified": _holds(receipt, peer, transfer),
        "listeners": {
            gateway["name"]: gateway["listeners"],
            # Where a peer serves its own people is none of this gateway's knowledge.
            peer["name"]: {
                "web": None,
                "secure": _address(peer["secure_url"]),
                "plain": _address(peer["plain_url"]),
            },
        },
        "timings": transfer["timings"],
    }


def _holds(text: str, peer: dict[str, Any], transfer: dict[str, Any]) -> bool:
    try:
        receipt = verify(text, bytes.fromhex(peer["receipt_key"]))
    except ReceiptInvalid:
        return False
    said = (receipt.transfer_id, receipt.size, receipt.classified_size, receipt.receiver)
    return said == (transfer["id"], transfer["document_bytes"], transfer["classified_bytes"], transfer["peer"])


def _address(url: str) -> str:
    """`host:port` of an address."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or {'https': 443, 'http': 80}[parts.scheme]}"
