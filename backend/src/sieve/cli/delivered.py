"""`sieve get`, `sieve receipt` and `sieve verify`: delivered documents and their receipts."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sieve.channel.errors import ReceiptInvalid
from sieve.cli import table
from sieve.cli.api import Api, Refused, show_change
from sieve.cli.errors import BadInput, CommandError, Failed
from sieve.cli.files import read_source, write_target
from sieve.cli.named_transfer import Transfer, path_of
from sieve.cli.options import DEFAULT_URL, Json, OutFile, TokenFile, Url
from sieve.cli.written_file import check_target, show_written

if TYPE_CHECKING:
    import httpx

# httpx and cryptography are imported in the functions: other commands start faster without them.

KEY_SIZE = 32


def get(
    transfer: Transfer,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The file to write; - is stdout. By default a new file with its own name here.",
        ),
    ] = None,
    edition: Annotated[
        Literal["full", "redacted", "marked", "highlighted"],
        typer.Option(
            "--edition",
            help="full, marked and highlighted need a clearance; redacted exists if it was sent with the file.",
        ),
    ] = "full",
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Download a document that was delivered to you."""
    check_target(out, as_json=as_json)
    with Api(url, token_file) as api:
        path = path_of(api, "inbox", transfer)
        entry = api.call("GET", path)
        with api.stream(f"{path}/content", params={"edition": edition}) as answer:
            target = out if out is not None else _new_file(answer)
            try:
                write_target(target, _whole(answer))
            except CutShort:
                raise Failed(_why_cut(api, path)) from None
    show_written(target, as_json=as_json, edition=edition, entry=entry)
    if as_json:
        return
    if out is None:
        print(table.visible(f"wrote {target}"), file=sys.stderr)
    if entry["note"]:
        first, *others = entry["note"].splitlines()
        print(table.visible(f"Note from {entry['sender']}: {first}"), file=sys.stderr)
        for line in others:
            print(table.visible(f"  {line}"), file=sys.stderr)


def _new_file(answer: "httpx.Response") -> str:
    """The name of the answer's file, in the working folder."""
    said = Message()
    said["Content-Disposition"] = answer.headers["Content-Disposition"]
    name = Path(said.get_filename() or "document").name
    if Path(name).exists():
        raise BadInput(f"{name} exists already; name another file with --out")
    return name


class CutShort(Exception):
    """The answer ended before the document did."""


def _whole(answer: "httpx.Response") -> Iterator[bytes]:
    """The answer's bytes; its length or its end shows whether it is complete."""
    import httpx

    try:
        yield from answer.iter_raw()
    except httpx.RemoteProtocolError as error:
        raise CutShort from error


def _why_cut(api: Api, path: str) -> str:
    """Why the gateway cut the document short, in its own words."""
    try:
        checks = api.call("GET", f"{path}/verification")["checks"]
        wrong = [str(check["says"]) for check in checks if not check["ok"]]
    except (CommandError, KeyError, TypeError):
        wrong = []
    why = wrong[0] if wrong else "Try again, or ask its admin to look at its log."
    return f"the gateway ended its answer before the end of the document. {why}"


def receipt(
    transfer: Transfer, out: OutFile, as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None
) -> None:
    """Download the receipt of a transfer that you sent or received."""
    check_target(out, as_json=as_json)
    with Api(url, token_file) as api:
        try:
            text = api.text(f"{path_of(api, 'transfers', transfer)}/receipt")
        except (BadInput, Refused) as refused:
            if isinstance(refused, Refused) and refused.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                raise
            text = _of_inbox(api, transfer, refused)
    write_target(out, text)
    show_written(out, as_json=as_json, bytes=len(text))


def _of_inbox(api: Api, transfer: str, refused: CommandError) -> bytes:
    from sieve.channel import receipt as receipts

    try:
        text = api.text(f"{path_of(api, 'inbox', transfer)}/receipt")
    except Refused as here:
        # Of two refusals, show the one that is not about a missing role.
        raise (refused if here.status == HTTPStatus.FORBIDDEN else here) from None
    try:
        receipts.read(text.decode())
    except ReceiptInvalid:
        raise Failed("the receipt of this transfer is for cleared recipients") from None
    return text


def verify(
    file: Annotated[str, typer.Argument(metavar="RECEIPT", help="The receipt; - is stdin.")],
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="HEX|FILE",
            help="The receiver's receipt key; by default the keys of your gateway and its peers are tried.",
        ),
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Check that the gateway that a receipt names has signed it."""
    from sieve.channel import receipt as receipts

    text = _read(file)
    if key is not None:
        keys = {_key(key): "the given key"}
    else:
        with Api(url, token_file) as api:
            ours, peers = api.call("GET", "/gateway"), api.call("GET", "/peers")
        keys = {bytes.fromhex(known["receipt_key"]): known["name"] for known in (*peers, ours)}
    try:
        found, signer = receipts.read(text)
    except ReceiptInvalid as error:
        raise Failed(f"{file}: {error}") from error
    if signer not in keys:
        signed = "by no gateway that yours knows" if key is None else "with another key than the given one"
        raise Failed(f"{file}: the receipt's signature is valid, but it was signed {signed}")
    if key is None and found.receiver != keys[signer]:
        raise Failed(f"{file}: the receipt says it is from {found.receiver}, but {keys[signer]} signed it")
    show_change(
        {"valid": True, **asdict(found)},
        table.visible(f"valid: {found.receiver} has transfer {found.transfer_id}, for {', '.join(found.recipients)}"),
        as_json=as_json,
    )


def _read(file: str) -> str:
    from sieve.channel import receipt as receipts

    try:
        return read_source(file, receipts.MAX_TEXT + 1).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not a receipt") from None


def _key(given: str) -> bytes:
    text = given
    try:
        if Path(given).is_file():
            text = Path(given).read_text("ascii")
        key = bytes.fromhex(text.strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_SIZE:
        raise BadInput(f"--key: give {2 * KEY_SIZE} hexadecimal digits, or a file that holds them")
    return key
