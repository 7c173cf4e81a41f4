"""The `sieve` command: all its commands, and how errors become one line and an exit status."""

import os
import sys

import typer

from sieve.cli import (
    audit,
    backup,
    check,
    delivered,
    export,
    gateway,
    inbox,
    mark,
    peers,
    people,
    plan,
    policies,
    redact,
    send,
    separate,
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

app = typer.Typer(
    name="sieve",
    help="Send documents of which only a part is secret.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(separate.separate)
app.command()(separate.integrate)
app.command()(mark.mark)
app.command()(redact.redact)
app.command()(export.export)
app.command()(check.check)
app.command()(send.send)
app.command()(plan.plan)
app.command("inbox")(inbox.inbox)
app.command()(delivered.get)
app.command()(delivered.receipt)
app.command()(delivered.verify)
app.command()(gateway.gateway)
app.command()(backup.backup)
app.command()(backup.restore)
app.add_typer(gateway.admin, name="admin")
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
    MarkingError,
    MarksFileError,
    MarkupError,
    SpanError,
    UnfitFolder,
)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the exit status."""
    try:
        status = app(arguments, prog_name="sieve", standalone_mode=False)
    except typer.TyperException as error:
        # A group without a command shows its help, which is not an error.
        text = error.format_message()
        print(text if "\n" in text.strip() else f"sieve: {text.strip()}", file=sys.stderr)
        return error.exit_code
    except SieveError as error:
        print(f"sieve: {visible(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, _BAD_INPUT) and not isinstance(error, RedactionFailed) else 1
    except BrokenPipeError:
        # The reader of our output has closed it. Writing the rest of the buffer would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        status = _INTERRUPTED
    if status == _INTERRUPTED:  # typer turns Ctrl-C into it
        print("sieve: interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0
