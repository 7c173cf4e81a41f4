"""`sieve send`: hand a document to the gateway, watch it arrive, check the receipt ourselves."""

import json
import mimetypes
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import urlsplit

import httpx
import typer

from sieve.channel.errors import ReceiptInvalid
from sieve.channel.receipt import verify
from sieve.cli import findings
from sieve.cli.api import Api, Unreachable, show_json
from sieve.cli.errors import BadInput, CommandError, Failed
from sieve.cli.files import STANDARD_STREAM
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url
from sieve.cli.progress import ChannelBars
from sieve.formats.text import is_text

PIECE = 256 * 1024
FINAL = {"delivered", "failed", "cancelled"}
PATIENCE_S = 30.0
"""How long a gateway that was there may be away, as when it is started anew, before we stop watching."""
_PAUSE_S = 0.2


def send(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The document, a marked text; - is stdin.")],
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway to send to.")],
    to: Annotated[
        list[str], typer.Option("--to", metavar="USER", help="Who gets it, by login there; may be repeated.")
    ],
    mode: Annotated[
        Literal["auto", "sieve", "secure-only"],
        typer.Option("--mode", help="secure-only sends all over the secure channel; auto takes the faster one."),
    ] = "auto",
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text: nothing is classified.")] = False,
    name: Annotated[str | None, typer.Option("--name", help="The document's name, instead of the file's.")] = None,
    media_type: Annotated[str | None, typer.Option("--media-type", help="Instead of what the name says.")] = None,
    secure: Annotated[
        int | None, typer.Option("--secure", metavar="N", min=1, help="Secure channels; 1, or auto's choice.")
    ] = None,
    plain: Annotated[
        int | None, typer.Option("--plain", metavar="M", min=1, help="Plain channels; 1, or auto's choice.")
    ] = None,
    split: Annotated[
        Literal["range", "es", "ss"],
        typer.Option("--split", help="How streams are dealt to channels; es and ss tell who watches where marks are."),
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
    """Send a document to people at another gateway."""
    with Api(url, token_file) as api:
        document = _upload(api, file, name, media_type, unmarked=unmarked)
        try:
            asked = {
                "document_id": document["id"],
                "peer": peer,
                "recipients": to,
                "mode": mode,
                "secure_channels": secure,
                "plain_channels": plain,
                "split": split,
            }
            transfer = findings.queue(api, asked, confirm_findings)
        except Unreachable:
            raise  # it may have been queued
        except CommandError:
            _forget(api, document["id"])
            raise
        if not wait:
            _tell_queued(transfer, as_json=as_json)
            return
        transfer = _watch(api, transfer["id"], None if timeout is None else time.monotonic() + timeout)
        if transfer["state"] != "delivered":
            raise Failed(f"transfer {transfer['id']} is {transfer['state']}: {transfer['reason'] or 'no reason given'}")
        result = _result(api, transfer)
    if as_json:
        show_json(result)
    else:
        print(f"{peer} has it. {'Receipt checked.' if result['receipt_verified'] else 'RECEIPT NOT VALID.'}")
        print(f"transfer {transfer['id']}, response {result['timings']['response']:.1f} ms")
        if transfer["plan"]["reason"]:
            print(f"as planned: {transfer['plan']['reason']}")
    if not (result["receipt_verified"] and result["identical"]):
        raise Failed(f"the receipt of transfer {transfer['id']} does not hold under the key of {peer}; tell an admin")


# --- handing it in --------------------------------------------------------------------------------------------------


def _upload(api: Api, file: str, name: str | None, media_type: str | None, *, unmarked: bool) -> dict[str, Any]:
    name = name or ("document" if file == STANDARD_STREAM else Path(file).name)
    params = {
        "name": name,
        "media_type": media_type or _guess(name, unmarked=unmarked),
        "form": "literal" if unmarked else "marked",
    }
    try:
        with _opened(file) as source:
            answer: dict[str, Any] = api.call("POST", "/documents", params=params, content=_pieces(source))
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from error
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error
    return answer


def _opened(file: str) -> BinaryIO:
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb") if file == STANDARD_STREAM else Path(file).open("rb")


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    while piece := source.read(PIECE):
        yield piece


def _guess(name: str, *, unmarked: bool) -> str:
    guessed = mimetypes.guess_type(name)[0]
    if unmarked:
        return guessed or "application/octet-stream"
    return guessed if guessed and is_text(guessed) else "text/plain"


def _forget(api: Api, document_id: str) -> None:
    """Takes a document back that could not be sent, so that trying again does not leave another one each time."""
    try:
        api.call("DELETE", f"/documents/{document_id}")
    except CommandError:
        return  # what went wrong first is what is told


# --- watching it ----------------------------------------------------------------------------------------------------


def _watch(api: Api, transfer_id: str, until: float | None) -> dict[str, Any]:
    """The transfer once it is over. A gateway that goes away and comes back meanwhile is waited for."""
    last_seen = time.monotonic()
    transfer: dict[str, Any] = {"state": "queued", "reason": None}
    with ChannelBars() as bars:
        while True:
            try:
                for event in _events(api, transfer_id, until):
                    bars.show(event)
                transfer = api.call("GET", f"/transfers/{transfer_id}")
            except Unreachable:
                if time.monotonic() - last_seen > PATIENCE_S:
                    raise
            else:
                last_seen = time.monotonic()
                if transfer["state"] in FINAL:
                    return transfer
            if until is not None and time.monotonic() >= until:
                raise Failed(
                    f"transfer {transfer_id} is {transfer['state']} and not delivered yet"
                    f"{': ' + transfer['reason'] if transfer['reason'] else ''}; the gateway goes on trying"
                )
            time.sleep(_PAUSE_S)


def _events(api: Api, transfer_id: str, until: float | None) -> Iterator[dict[str, Any]]:
    # The gateway says something every 15 s at least; a shorter wait of ours ends the reading, and the caller looks.
    left = None if until is None else max(0.1, until - time.monotonic())
    timeout = httpx.Timeout(10, read=60 if left is None else min(60, left))
    with api.stream(f"/transfers/{transfer_id}/events", timeout=timeout) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))
            if until is not None and time.monotonic() >= until:
                return


# --- telling how it went --------------------------------------------------------------------------------------------


def _tell_queued(transfer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json({"transfer_id": transfer["id"], "mode": transfer["mode"], "state": transfer["state"]})
    else:
        print(f"transfer {transfer['id']} is {transfer['state']}")


def _result(api: Api, transfer: dict[str, Any]) -> dict[str, Any]:
    peer = api.call("GET", f"/peers/{transfer['peer']}")
    gateway = api.call("GET", "/gateway")
    receipt = api.text(f"/transfers/{transfer['id']}/receipt").decode()
    return {
        "transfer_id": transfer["id"],
        "mode": transfer["mode"],
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
