"""`sieve get`, `receipt` and `verify`: what was delivered, and the proof of it."""

import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Literal

import httpx
import typer

from sieve.channel import receipt as receipts
from sieve.channel.errors import ReceiptInvalid
from sieve.cli.api import Api, Refused
from sieve.cli.errors import BadInput, CommandError, Failed
from sieve.cli.files import STANDARD_STREAM, write_stream
from sieve.cli.options import DEFAULT_URL, TokenFile, Url

Transfer = Annotated[str, typer.Argument(metavar="TRANSFER", help="The transfer's id.")]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is stdout.")]

KEY_SIZE = 32


def get(
    transfer: Transfer,
    out: Out,
    edition: Annotated[
        Literal["full", "redacted", "marked"],
        typer.Option("--edition", help="full and marked are for the cleared; redacted of a file, if one came with it."),
    ] = "full",
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Download a document that was delivered to you."""
    with (
        Api(url, token_file) as api,
        api.stream(f"/inbox/{_id(transfer)}/content", params={"edition": edition}) as answer,
    ):
        try:
            write_stream(out, _whole(answer))
        except CutShort:
            raise Failed(_why_cut(api, transfer)) from None


class CutShort(Exception):
    """The answer ended before the document did."""


def _whole(answer: httpx.Response) -> Iterator[bytes]:
    """The answer's bytes. That they are all there says its length, or its end where it has none."""
    try:
        yield from answer.iter_raw()
    except httpx.RemoteProtocolError as error:
        raise CutShort from error


def _why_cut(api: Api, transfer: str) -> str:
    """What the gateway says of the document that it cut."""
    try:
        checks = api.call("GET", f"/inbox/{_id(transfer)}/verification")["checks"]
        wrong = [str(check["says"]) for check in checks if not check["ok"]]
    except (CommandError, KeyError, TypeError):
        wrong = []
    why = wrong[0] if wrong else "Its log says why; try again, and ask its admin."
    return f"the gateway cut its answer short. {why}"


def receipt(transfer: Transfer, out: Out, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Download the receipt of a transfer that you sent or received."""
    with Api(url, token_file) as api:
        try:
            text = api.text(f"/transfers/{_id(transfer)}/receipt")
        except Refused as refused:
            if refused.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                raise
            text = _of_inbox(api, transfer, refused)
    write_stream(out, [text])


def _of_inbox(api: Api, transfer: str, refused: Refused) -> bytes:
    try:
        text = api.text(f"/inbox/{_id(transfer)}/receipt")
    except Refused as here:
        # Of two refusals the one that is not about a missing role says more.
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
            help="The receiver's receipt key. Without it your gateway's and its peers' keys are tried.",
        ),
    ] = None,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Check that a receipt is signed by who it says."""
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
        who = "no gateway that yours knows" if key is None else "another key than the given one"
        raise Failed(f"{file}: the receipt's signature holds, but it is of {who}")
    if key is None and found.receiver != keys[signer]:
        raise Failed(f"{file}: the receipt says it is from {found.receiver}, but {keys[signer]} signed it")
    print(f"valid: {found.receiver} has transfer {found.transfer_id}, for {', '.join(found.recipients)}")


def _read(file: str) -> str:
    try:
        if file == STANDARD_STREAM:
            return sys.stdin.buffer.read(receipts.MAX_TEXT + 1).decode()
        with Path(file).open("rb") as stored:
            return stored.read(receipts.MAX_TEXT + 1).decode()
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BadInput(f"{file} is no receipt") from None


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


def _id(transfer: str) -> str:
    """The id as part of a path: whatever else was typed must not lead elsewhere."""
    if not (transfer.isascii() and transfer.isalnum()):
        raise BadInput(f"{transfer!r} is no id of a transfer; `sieve inbox` lists them")
    return transfer
