"""Reasons that commands give to the gateway: typed, or from a file; never from an argument, which other users of the
machine can see in the list of processes.
"""

import os
from typing import Annotated, Final

import typer

from sieve.cli.errors import BadInput
from sieve.cli.files import STANDARD_STREAM, read_source

LONGEST_BYTES: Final = 4096


def _refused(given: str | None) -> None:
    if given is not None:
        raise typer.BadParameter(
            "other users of this machine could see the reason; type it when you are asked, or use --reason-file FILE"
        )


ReasonFile = Annotated[
    str | None,
    typer.Option(
        "--reason-file",
        metavar="FILE",
        help="A file with the reason, for the gateway's audit log; - is stdin. On a terminal, the command asks for it.",
    ),
]
OldConfirmFindings = Annotated[str | None, typer.Option("--confirm-findings", hidden=True, callback=_refused)]
OldReason = Annotated[str | None, typer.Option("--reason", hidden=True, callback=_refused)]


def asked_reason(what: str) -> str | None:
    """What the person types as the reason for `what`; None if nothing, or if there is no terminal."""
    if not (os.isatty(0) and os.isatty(2)):
        return None
    typed = str(typer.prompt(f"Reason {what} (none: stop)", default="", show_default=False, err=True))
    return typed.strip() or None


def read_reason(file: str | None) -> str | None:
    """The reason in that file; None without a file.

    Raises:
        BadInput: the file is empty, is too long or is no text.
    """
    if file is None:
        return None
    where = "stdin" if file == STANDARD_STREAM else file
    try:
        text = read_source(file).decode().strip()
    except UnicodeDecodeError:
        raise BadInput(f"the reason in {where} is not text in UTF-8") from None
    if not text or len(text.encode()) > LONGEST_BYTES:
        raise BadInput(f"the reason in {where} is empty or longer than {LONGEST_BYTES} bytes")
    return text
