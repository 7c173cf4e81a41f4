"""The `sieve` command: its parts put together, and the one place that turns errors into a line and a status."""

import os
import sys

import typer

from sieve.cli import (
    audit,
    backup,
    check,
    documents,
    export,
    inbox,
    local,
    mark,
    peers,
    people,
    plan,
    policies,
    redact,
    running,
    send,
    tokens,
)
from sieve.cli.errors import BadInput
from sieve.cli.table import visible
from sieve.config import ConfigError
from sieve.core.errors import MarkupError, SieveError, SpanError
from sieve.formats.errors import FormatError, RedactionFailed
from sieve.gateway.errors import UnfitFolder
from sieve.marking.errors import MarkingError
from sieve.marks_file import MarksFileError
from sieve.separated_folder import InputUnusable

app = typer.Typer(
    name="sieve",
    help="Send documents of which only a part is secret.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(local.separate)
app.command()(local.integrate)
app.command()(mark.mark)
app.command()(redact.redact)
app.command()(export.export)
app.command()(check.check)
app.command()(send.send)
app.command()(plan.plan)
app.command("inbox")(inbox.inbox)
app.command()(documents.get)
app.command()(documents.receipt)
app.command()(documents.verify)
app.command()(running.gateway)
app.command()(backup.backup)
app.command()(backup.restore)
app.add_typer(running.admin, name="admin")
app.add_typer(audit.audit, name="audit")
app.add_typer(people.people, name="people")
app.add_typer(peers.peers, name="peers")
app.add_typer(policies.policies, name="policies")
app.add_typer(tokens.tokens, name="token")

_INTERRUPTED = 130
_BAD_INPUT = (
    BadInput,
    ConfigError,
    FormatError,
    InputUnusable,
    MarkingError,
    MarksFileError,
    MarkupError,
    SpanError,
    UnfitFolder,
)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    try:
        status = app(arguments, prog_name="sieve", standalone_mode=False)
    except typer.TyperException as error:
        # A group without a command shows its help, which is no complaint.
        text = error.format_message()
        print(text if "\n" in text.strip() else f"sieve: {text.strip()}", file=sys.stderr)
        return error.exit_code
    except SieveError as error:
        print(f"sieve: {visible(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, _BAD_INPUT) and not isinstance(error, RedactionFailed) else 1
    except BrokenPipeError:
        # Whoever read our output has had enough. What is still buffered would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        status = _INTERRUPTED
    if status == _INTERRUPTED:  # typer turns Ctrl-C into it
        print("sieve: interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0
