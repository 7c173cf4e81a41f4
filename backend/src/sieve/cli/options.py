"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from typer.core import TyperGroup

DEFAULT_URL: Final = "http://127.0.0.1:8080"

Url = Annotated[
    str, typer.Option("--url", envvar="SIEVE_URL", metavar="URL", help="The gateway's web address.", show_default=True)
]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help="A file that holds your API token, instead of SIEVE_TOKEN."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

SourceFile = Annotated[str, typer.Argument(metavar="FILE", help="A file of any format; - is stdin.")]
MarkedSource = Annotated[
    str, typer.Argument(metavar="FILE", help="A marked text, or with --marks a file of any format; - is stdin.")
]
Marks = Annotated[
    Path | None, typer.Option("--marks", metavar="MARKS.json", help="The file's marks, as `sieve mark` writes them.")
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="P.toml", help="A policy file, or gateway:NAME; may be repeated."),
]
Unmarked = Annotated[bool, typer.Option("--unmarked", help="Read tags as text: nothing is classified.")]
OutFile = Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is stdout.")]

Documents = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A document: a marked text, unless an option says otherwise; - is stdin. Several are sent together, and "
        "arrive as separate documents.",
    ),
]
Whole = Annotated[bool, typer.Option("--whole", help="Classify the whole file, of any format, without reading it.")]
Mode = Annotated[
    Literal["auto", "sieve", "secure-only"],
    typer.Option("--mode", help="secure-only sends everything over the secure channel; auto chooses the faster mode."),
]
SecureChannels = Annotated[
    int | None,
    typer.Option("--secure", metavar="N", min=1, help="The number of secure channels; by default 1, or auto's choice."),
]
PlainChannels = Annotated[
    int | None,
    typer.Option("--plain", metavar="M", min=1, help="The number of plain channels; by default 1, or auto's choice."),
]


def full_or_quick(quick: str, full: str) -> Any:
    """The option of the parameter `full` of an experiment. `quick` and `full` say what each form does, and for how
    long."""
    return typer.Option("--full/--quick", help=f"Quick, the default, {quick}; full {full}.")


def examples(*lines: str) -> str:
    """The end of a command's help."""
    # \b keeps the lines of a paragraph as they are.
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


class _Group(TyperGroup):
    """Its help ends with the first example of each of its commands."""

    def format_epilog(self, _ctx: Any, formatter: Any) -> None:
        epilogs = (command.epilog or "" for command in self.commands.values())
        firsts = [line.strip() for epilog in epilogs for line in epilog.split("\n")[2:3]]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(examples(*firsts))


def group(about: str) -> typer.Typer:
    """A group of commands; without one, it shows its help."""
    return typer.Typer(cls=_Group, help=about, no_args_is_help=True, rich_markup_mode=None)


Note = Annotated[
    str | None,
    typer.Option(
        "--note",
        metavar="TEXT",
        help="A note that every recipient reads, cleared or not. It travels over the secure channel only.",
    ),
]
ReadReceipts = Annotated[
    bool,
    typer.Option("--read-receipts", help="Ask the recipients' gateways to report when recipients open the document."),
]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for delivery.")]
Timeout = Annotated[float | None, typer.Option("--timeout", metavar="S", min=0, help="Stop waiting after S seconds.")]
