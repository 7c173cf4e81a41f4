"""`sieve send`: hand documents to the gateway, watch them arrive, check the receipts ourselves."""

import mimetypes
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import urlsplit

import typer

from sieve.channel.errors import ReceiptInvalid
from sieve.channel.load import MAX_DOCUMENTS
from sieve.channel.receipt import verify
from sieve.cli import findings
from sieve.cli.api import Api, Unreachable, show_json
from sieve.cli.errors import BadInput, CommandError, Failed
from sieve.cli.files import STANDARD_STREAM
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url
from sieve.cli.watching import watch
from sieve.formats.text import is_text

PIECE = 256 * 1024
BATCH_SPLITS = ("bfs", "bes", "bss")


def send(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The document, a marked text; - is stdin. Several go together, each by itself there.",
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
    _check(files, name, media_type, split)
    with Api(url, token_file) as api:
        asked = {
            "peer": peer,
            "recipients": to,
            "mode": mode,
            "secure_channels": secure,
            "plain_channels": plain,
            "split": split,
        }
        transfers = _hand_in(api, files, name, media_type, asked, confirm_findings, unmarked=unmarked)
        if not wait:
            _tell_queued(transfers, as_json=as_json)
            return
        until = None if timeout is None else time.monotonic() + timeout
        ended = [watch(api, transfer["id"], until) for transfer in transfers]
        delivered = [transfer for transfer in ended if transfer["state"] == "delivered"]
        results = [_result(api, transfer) for transfer in delivered]
    if as_json and results:
        show_json({"transfers": results} if len(files) > 1 else results[0])
    for transfer, result in zip(delivered, results, strict=True):
        if not as_json:
            _tell(transfer, result)
    failed = [transfer for transfer in ended if transfer["state"] != "delivered"]
    if failed:
        raise Failed("; ".join(map(_failure, failed)))
    doubted = [result["transfer_id"] for result in results if not (result["receipt_verified"] and result["identical"])]
    if doubted:
        raise Failed(
            f"the receipt of transfer {', '.join(doubted)} does not hold under the key of {peer}; tell an admin"
        )


def _check(files: list[str], name: str | None, media_type: str | None, split: str) -> None:
    """Raises BadInput for what does not fit together."""
    if len(files) > MAX_DOCUMENTS:
        raise BadInput(f"at most {MAX_DOCUMENTS} documents go together, not {len(files)}")
    if files.count(STANDARD_STREAM) > 1:
        raise BadInput("- is stdin, and there is one of it; name it once")
    if len(files) > 1 and (name is not None or media_type is not None):
        raise BadInput("--name and --media-type are of one document; several are named by their files")
    if split != "range" and (split in BATCH_SPLITS) != (len(files) > 1):
        raise BadInput(f"--split {split} is for {'several documents' if split in BATCH_SPLITS else 'one document'}")


# --- handing it in --------------------------------------------------------------------------------------------------


def _hand_in(
    api: Api,
    files: list[str],
    name: str | None,
    media_type: str | None,
    asked: dict[str, Any],
    reason: str | None,
    *,
    unmarked: bool,
) -> list[dict[str, Any]]:
    """The transfers of the files, all of them or none."""
    names: dict[str, str] = {}
    try:
        for file in files:
            document = _upload(api, file, name, media_type, unmarked=unmarked)
            names[document["id"]] = document["name"]
        return findings.queue(api, names, asked, reason)
    except Unreachable:
        raise  # they may have been queued
    except CommandError:
        for document_id in names:
            _forget(api, document_id)
        raise


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


# --- telling how it went --------------------------------------------------------------------------------------------


def _tell_queued(transfers: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        told = [
            {"transfer_id": transfer["id"], "mode": transfer["mode"], "state": transfer["state"]}
            for transfer in transfers
        ]
        show_json({"transfers": told} if len(told) > 1 else told[0])
        return
    for transfer in transfers:
        print(f"transfer {transfer['id']} is {transfer['state']}")


def _tell(transfer: dict[str, Any], result: dict[str, Any]) -> None:
    print(f"{transfer['peer']} has it. {'Receipt checked.' if result['receipt_verified'] else 'RECEIPT NOT VALID.'}")
    print(f"transfer {transfer['id']}, response {result['timings']['response']:.1f} ms")
    if transfer["plan"]["reason"]:
        print(f"as planned: {transfer['plan']['reason']}")
    if transfer["redacted_note"]:
        print(transfer["redacted_note"])


def _failure(transfer: dict[str, Any]) -> str:
    return f"transfer {transfer['id']} is {transfer['state']}: {transfer['reason'] or 'no reason given'}"


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
