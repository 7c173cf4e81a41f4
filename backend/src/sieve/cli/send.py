"""`sieve send`: uploads documents, waits for their delivery, and checks the receipts itself."""

import sys
import time
from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import typer

from sieve.channel.errors import ReceiptInvalid
from sieve.cli import findings
from sieve.cli.api import Api, Unreachable, show_json
from sieve.cli.errors import BadInput, Failed
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import (
    DEFAULT_URL,
    Documents,
    Json,
    Marks,
    Mode,
    Note,
    PlainChannels,
    ReadReceipts,
    SecureChannels,
    Timeout,
    TokenFile,
    Unmarked,
    Url,
    Wait,
    Whole,
)
from sieve.cli.plan import plan_line
from sieve.cli.reasons import OldConfirmFindings, ReasonFile, read_reason
from sieve.cli.recipients import AtPeer, Groups, To, members_of, with_groups
from sieve.cli.table import clock, visible
from sieve.cli.text_encoding import EncodingOption
from sieve.cli.upload import Uploaded, UploadOptions, clean_up, upload
from sieve.cli.watch import FINAL, watch
from sieve.core.errors import SieveError

Sender = Annotated[
    str | None,
    typer.Option(
        "--sender", metavar="LOGIN", help="Whom a reply goes to, if several people have the name of the sender."
    ),
]
BATCH_SPLITS = ("bfs", "bes", "bss")


def send(
    files: Documents,
    peer: AtPeer = None,
    to: To = None,
    groups: Groups = None,
    mode: Mode = "auto",
    unmarked: Unmarked = False,
    marks: Marks = None,
    whole: Whole = False,
    encoding: EncodingOption = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The document's name, if it is not the file's name.")
    ] = None,
    media_type: Annotated[
        str | None, typer.Option("--media-type", help="The media type, if the name does not tell it.")
    ] = None,
    secure: SecureChannels = None,
    plain: PlainChannels = None,
    split: Annotated[
        Literal["range", "es", "ss", "bfs", "bes", "bss"],
        typer.Option(
            "--split",
            help="How streams are split among channels. With es, ss, bfs, bes and bss an observer of the plain channel "
            "learns where marks are.",
        ),
    ] = "range",
    reason_file: ReasonFile = None,
    _confirm_findings: OldConfirmFindings = None,
    note: Note = None,
    read_receipts: ReadReceipts = False,
    reply_to: Annotated[
        str | None,
        typer.Option(
            "--reply-to",
            metavar="TRANSFER",
            help="The received document that these answer, by id or name; its sender becomes a recipient.",
        ),
    ] = None,
    sender: Sender = None,
    as_json: Json = False,
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Send documents to people at your own gateway and at others: to all of them, or to nobody."""
    given = UploadOptions(name, media_type, unmarked=unmarked, marks=marks, whole=whole, encoding=encoding)
    named = members_of(to or [], peer)
    if not (named or groups or reply_to):
        raise BadInput("name a recipient with --to, or a group with --group")
    _check(files, given, split)
    reason = read_reason(reason_file)
    with Api(url, token_file) as api:
        named = with_groups(api, named, groups)
        cover: dict[str, Any] = {"note": note, "read_receipts": read_receipts or None}
        if reply_to is not None:
            which = {} if sender is None else {"login": sender}
            answered = api.call("GET", f"{path_of(api, 'inbox', reply_to)}/reply", params=which)
            cover["in_reply_to"] = answered["entry_id"]
            named.append({"peer": answered["peer"], "name": answered["recipient"]})
        asked = {
            **destinations(named, split),
            **{key: value for key, value in cover.items() if value is not None},
            "mode": mode,
            "secure_channels": secure,
            "plain_channels": plain,
            "split": split,
        }

        def upload_all(uploaded: list[Uploaded]) -> None:
            for file in files:
                upload(api, file, given, uploaded)

        deliver(api, upload_all, asked, reason, wait=wait, timeout=timeout, as_json=as_json)


def deliver(
    api: Api,
    upload_all: Callable[[list[Uploaded]], None],
    asked: dict[str, Any],
    reason: str | None,
    *,
    wait: bool = True,
    timeout: float | None = None,
    as_json: bool = False,
) -> None:
    """Sends what `upload_all` uploads, all or none. Waits for the delivery, checks the receipts and prints both.

    `reason`: why findings of the leak check do not matter. `timeout`: seconds after which it stops waiting.

    Raises:
        SieveError: it cannot be sent, or was not delivered.
    """
    transfers = _send(api, upload_all, asked, reason)
    notes = _print_notes(transfers)
    _print_unreachable(transfers)
    if not wait:
        _print_queued(transfers, as_json=as_json)
        return
    until = None if timeout is None else time.monotonic() + timeout
    ended = [watch(api, transfer, until) for transfer in transfers]
    _print_notes(ended, notes)
    results = [_result(api, transfer) if _is_delivered(transfer) else _not_delivered(transfer) for transfer in ended]
    if as_json:
        _print_json(results)
    else:
        for transfer, result in zip(ended, results, strict=True):
            if _is_delivered(transfer):
                _print_delivered(transfer, result)
    failed = [transfer for transfer in ended if not _is_delivered(transfer)]
    if failed:
        raise Failed("; ".join(map(_failure, failed)))
    valid = [result["receipt_verified"] and result["identical"] for result in results]
    invalid = [
        f"{t['id']} is not valid for the key of {t['peer']}" for t, ok in zip(ended, valid, strict=True) if not ok
    ]
    if invalid:
        raise Failed(f"the receipt of transfer {', '.join(invalid)}; tell an admin")


def reply(
    transfer: Transfer,
    files: Documents,
    mode: Mode = "auto",
    unmarked: Unmarked = False,
    marks: Marks = None,
    whole: Whole = False,
    encoding: EncodingOption = None,
    sender: Sender = None,
    note: Note = None,
    read_receipts: ReadReceipts = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Send documents to the sender of a received document, as an answer to it."""
    send(
        files,
        mode=mode,
        unmarked=unmarked,
        marks=marks,
        whole=whole,
        encoding=encoding,
        note=note,
        read_receipts=read_receipts,
        reply_to=transfer,
        sender=sender,
        as_json=as_json,
        url=url,
        token_file=token_file,
    )


def _check(files: list[str], given: UploadOptions, split: str) -> None:
    """Raises BadInput if options contradict each other."""
    given.check(files)
    if split != "range" and (split in BATCH_SPLITS) != (len(files) > 1):
        raise BadInput(f"--split {split} is for {'several documents' if split in BATCH_SPLITS else 'one document'}")


def destinations(named: Sequence[dict[str, str]], split: str) -> dict[str, Any]:
    """The gateways and the recipients there, as the API takes them.

    Raises:
        BadInput: there are several gateways, and the split is for one.
    """
    at: dict[str, dict[str, None]] = {}
    for member in named:
        at.setdefault(member["peer"], {})[member["name"]] = None
    to = [{"peer": peer, "recipients": list(names)} for peer, names in at.items()]
    if len(to) == 1:
        return to[0]
    if split != "range":
        raise BadInput(f"--split {split} is for one gateway")
    return {"to": to}


def _send(
    api: Api, upload_all: Callable[[list[Uploaded]], None], asked: dict[str, Any], reason: str | None
) -> list[dict[str, Any]]:
    """Sends all documents or none; returns their transfers."""
    uploaded: list[Uploaded] = []
    try:
        upload_all(uploaded)
    except BaseException:  # Ctrl-C, too
        clean_up(api, uploaded, sent=False)
        raise
    try:
        transfers = findings.queue(api, {one.document_id: one.name for one in uploaded}, asked, reason)
    except Unreachable:
        raise  # they may be queued
    except SieveError:
        clean_up(api, uploaded, sent=False)
        raise
    except KeyboardInterrupt:
        # They may be queued already. The gateway keeps those that are, and deletes the others.
        clean_up(api, uploaded, sent=None)
        raise
    clean_up(api, uploaded, sent=True)
    return transfers


# --- output --------------------------------------------------------------------------------------------


def _print_notes(transfers: Sequence[dict[str, Any]], printed: Collection[str] = ()) -> Collection[str]:
    """Prints each note of the plans once, except those in `printed`; returns all notes.

    A note says why a plan differs from the options, or what an observer learns from it.
    """
    notes = dict.fromkeys(transfer["plan"]["note"] for transfer in transfers if transfer["plan"]["note"])
    for note in [note for note in notes if note not in printed]:
        print(visible(note), file=sys.stderr)
    return notes


def _print_unreachable(transfers: Sequence[dict[str, Any]]) -> None:
    """Says of each peer that did not answer that the documents wait for it."""
    since = {transfer["peer"]: transfer["unreachable_since"] for transfer in transfers}
    for peer in (peer for peer, at in since.items() if at is not None):
        names = [transfer["name"] for transfer in transfers if transfer["peer"] == peer]
        what = f"{names[0]} waits and goes" if len(names) == 1 else f"{len(names)} documents wait and go"
        line = f"{peer} has not answered since {clock(since[peer])}; {what} when {peer} is back"
        print(visible(line), file=sys.stderr)


def _print_queued(transfers: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        _print_json([_queued(transfer) for transfer in transfers])
        return
    for transfer in transfers:
        which = f"{transfer['name']} to {transfer['peer']}"
        print(visible(f"{which}: transfer {transfer['id']} is {transfer['state']}"))


def _print_json(results: Sequence[dict[str, Any]]) -> None:
    show_json({"transfers": results} if len(results) > 1 else results[0])


def _queued(transfer: dict[str, Any]) -> dict[str, Any]:
    return {
        "transfer_id": transfer["id"],
        "name": transfer["name"],
        "peer": transfer["peer"],
        "mode": transfer["mode"],
        "state": transfer["state"],
    }


def _not_delivered(transfer: dict[str, Any]) -> dict[str, Any]:
    return {**_queued(transfer), "reason": transfer["reason"]}


def _is_delivered(transfer: dict[str, Any]) -> bool:
    return bool(transfer["state"] == "delivered")


def _print_delivered(transfer: dict[str, Any], result: dict[str, Any]) -> None:
    receipt = "Receipt checked." if result["receipt_verified"] else "RECEIPT NOT VALID."
    print(visible(f"{transfer['peer']} has {transfer['name']}. {receipt}"))
    print(f"transfer {transfer['id']}, response {result['timings']['response']:.1f} ms")
    if transfer["plan"]["estimate"]:
        print(f"plan: {plan_line(transfer['plan'])}")
    if transfer["redacted_note"]:
        print(visible(transfer["redacted_note"]))


def _failure(transfer: dict[str, Any]) -> str:
    which = f"transfer {transfer['id']} of {transfer['name']} to {transfer['peer']} is {transfer['state']}"
    if transfer["state"] in FINAL:
        return f"{which}: {transfer['reason'] or 'no reason given'}"
    return f"{which} and not delivered yet{_because(transfer)}; the gateway continues to try"


def _because(transfer: dict[str, Any]) -> str:
    return f": {transfer['reason']}" if transfer["reason"] else ""


def _result(api: Api, transfer: dict[str, Any]) -> dict[str, Any]:
    peer = api.call("GET", f"/peers/{transfer['peer']}")
    gateway = api.call("GET", "/gateway")
    receipt = api.text(f"/transfers/{transfer['id']}/receipt").decode()
    return {
        **_queued(transfer),
        "plan": transfer["plan"],
        "document_bytes": transfer["document_bytes"],
        "classified_bytes": transfer["classified_bytes"],
        "plain_bytes": transfer["plain_bytes"],
        "identical": transfer["identical"],
        "receipt_verified": _is_valid(receipt, peer, transfer),
        "listeners": {
            gateway["name"]: gateway["listeners"],
            # This gateway does not know the web address of a peer.
            peer["name"]: {
                "web": None,
                "secure": _address(peer["secure_url"]),
                "plain": _address(peer["plain_url"]),
            },
        },
        "timings": transfer["timings"],
    }


def _is_valid(text: str, peer: dict[str, Any], transfer: dict[str, Any]) -> bool:
    from sieve.channel.receipt import verify

    try:
        receipt = verify(text, bytes.fromhex(peer["receipt_key"]))
    except ReceiptInvalid:
        return False
    signed = (receipt.transfer_id, receipt.size, receipt.classified_size, receipt.receiver)
    return signed == (transfer["id"], transfer["document_bytes"], transfer["classified_bytes"], transfer["peer"])


def _address(url: str) -> str:
    """`host:port` of an address."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or {'https': 443, 'http': 80}[parts.scheme]}"
