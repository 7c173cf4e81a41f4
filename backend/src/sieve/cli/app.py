"""The `sieve` command: all its commands, and how errors become one line and an exit status."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer

from sieve.cli import (
    audit,
    backup,
    bench,
    check,
    delivered,
    demo,
    export,
    forward,
    gateway,
    inbox,
    keys,
    lab,
    mark,
    migrate_store,
    options,
    peers,
    people,
    plan,
    policies,
    recipients,
    redact,
    send,
    separate,
    timings,
    tokens,
    transfers,
    versions,
    webhooks,
)
from sieve.cli.errors import BadInput
from sieve.cli.options import examples
from sieve.cli.table import visible
from sieve.config_error import ConfigError
from sieve.core.errors import MarkupError, SieveError, SpanError
from sieve.formats.errors import FormatError, RedactionFailed
from sieve.gateway.errors import UnfitFolder
from sieve.lab.errors import LabError
from sieve.marking.errors import MarkingError
from sieve.marks_file import MarksFileError
from sieve.store.errors import BlobsUnreachable

app = typer.Typer(
    name="sieve",
    help="Send documents of which only a part is secret.",
    epilog=examples(
        "sieve demo", "sieve send memo.md --peer bravo --to bruno", "sieve inbox --unread", "sieve get memo.md"
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"sieve {version('security-sieve')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Send documents of which only a part is secret."""


def _add(command: Callable[..., Any], *examples: str) -> None:
    """Adds a command; its help ends with the examples."""
    app.command(epilog=options.examples(*examples))(command)


_add(separate.separate, "sieve separate memo.md --out separated")
_add(separate.integrate, "sieve integrate separated --out memo.md")
_add(mark.mark, "sieve mark report.docx --policy personal-data.toml --out report.marks.json")
_add(redact.redact, "sieve redact report.docx --marks report.marks.json --out report.redacted.docx")
_add(
    export.export,
    "sieve export --database-url sqlite:///crew.db --table people --classified-columns name,pay --out people.csv",
)
_add(
    check.check,
    "sieve check memo.md",
    "sieve check report.docx --marks report.marks.json --policy personal-data.toml",
)
_add(
    send.send,
    "sieve send memo.md --peer bravo --to bruno",
    "sieve send report.docx --marks report.marks.json --peer bravo --to bruno --to rosa",
    "sieve send scan.tiff --whole --peer bravo --to bruno --json",
    "sieve send memo.md --to alpha/anna --to bravo/bruno --group 'Crisis team'",
)
_add(send.reply, "sieve reply memo.md answer.md", "sieve reply e7e07eb1 answer.md --note 'As we agreed.'")
_add(
    forward.forward,
    "sieve forward memo.md --peer bravo --to bruno",
    "sieve forward e7e07eb1 --redacted --to bravo/rosa --note 'For information.'",
)
_add(plan.plan, "sieve plan memo.md --peer bravo")
_add(transfers.sent, "sieve sent", "sieve sent --state failed --json")
_add(transfers.status, "sieve status memo.md", "sieve status e7e07eb1")
_add(transfers.cancel, "sieve cancel e7e07eb1")
_add(transfers.retry, "sieve retry e7e07eb1")
_add(recipients.recipients, "sieve recipients", "sieve recipients --peer bravo")
_add(versions.versions, "sieve versions memo.md", "sieve versions memo.md --restore 3")
_add(inbox.inbox, "sieve inbox --unread", "sieve inbox --sort size")
_add(delivered.get, "sieve get memo.md", "sieve get e7e07eb1 --edition redacted --out memo.redacted.md")
_add(inbox.delete, "sieve delete memo.md")
_add(inbox.undelete, "sieve undelete memo.md")
_add(delivered.receipt, "sieve receipt e7e07eb1 --out receipt.json")
_add(delivered.verify, "sieve verify receipt.json", "sieve verify receipt.json --key receiver.key")
_add(gateway.gateway, "SIEVE_CONFIG=/etc/sieve.toml sieve gateway")
_add(bench.bench, "sieve bench", "sieve bench --size 5000000 --share 0.2 --rounds 20 --json")
_add(backup.backup, "sieve backup /var/backups/sieve-monday")
_add(backup.restore, "sieve restore /var/backups/sieve-monday")
_add(keys.keys, "sieve keys", "sieve keys --json")
_add(keys.rotate_key, "sieve rotate-key", "sieve rotate-key --retire --save-to /root/sieve-retired.key")
_add(migrate_store.migrate_store, "sieve migrate-store --to new-place.toml")
app.add_typer(gateway.admin, name="admin")
app.add_typer(audit.audit, name="audit")
app.add_typer(demo.demo, name="demo")
app.add_typer(recipients.groups, name="groups")
app.add_typer(lab.lab, name="lab")
app.add_typer(people.people, name="people")
app.add_typer(webhooks.webhooks, name="webhook")
app.add_typer(peers.peers, name="peers")
app.add_typer(policies.policies, name="policies")
app.add_typer(timings.timings, name="timings")
app.add_typer(tokens.tokens, name="token")

_INTERRUPTED = 130
_BAD_INPUT = (
    BadInput,
    ConfigError,
    FormatError,
    LabError,
    MarkingError,
    MarksFileError,
    MarkupError,
    SpanError,
    UnfitFolder,
)


def _check_completion(words: Sequence[str]) -> None:
    """Raises BadInput if a shell is named. The options take none, and would answer for the current shell."""
    option, *more = words or [""]
    if option in ("--show-completion", "--install-completion") and more:
        raise BadInput(
            f"{option} takes no value: it is for the shell that runs it; `_SIEVE_COMPLETE=source_zsh sieve` prints the "
            "script for zsh, and bash and fish work the same way"
        )


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the exit status."""
    try:
        _check_completion(sys.argv[1:] if arguments is None else arguments)
        status = app(arguments, prog_name="sieve", standalone_mode=False)
    except typer.TyperException as error:
        # A group without a command shows its help, which is not an error.
        text = error.format_message().replace("Value error, ", "")  # pydantic's words, for programmers
        print(text if "\n" in text.strip() else f"sieve: {text.strip()}", file=sys.stderr)
        return error.exit_code
    except (SieveError, BlobsUnreachable) as error:
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
