"""`sieve demo`: two gateways with people and documents on this machine, to try everything out; also their outages."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sieve.cli.api import show_change
from sieve.cli.errors import BadInput, Failed
from sieve.cli.options import Json, examples

# The demonstration is imported in the functions: other commands start faster without it.

demo = typer.Typer(rich_markup_mode=None)

_REPOSITORY: Final = Path(__file__).resolve().parents[4]

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="The folder of the demo's data; by default data in the repository, or ~/.local/share/sieve-demo.",
    ),
]
Gateway = Annotated[str, typer.Argument(metavar="NAME", help="alpha or bravo.")]


@demo.callback(invoke_without_command=True, epilog=examples("sieve demo", "sieve demo --ports free --without-history"))
def run(
    context: typer.Context,
    data: Data = None,
    ports: Annotated[
        str,
        typer.Option(
            "--ports",
            metavar="WHICH",
            help="known: always the same ports; free: any free ports; a number: six ports from there on.",
            show_default=True,
        ),
    ] = "known",
    without_history: Annotated[
        bool,
        typer.Option("--without-history", help="Do not send the demo's transfers of the last two days first."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Run two gateways with people, passwords and documents on this machine, until Ctrl-C.

    It prints their addresses and who can sign in where. To try an outage, run `sieve demo stop bravo` in a second
    terminal, and later `sieve demo start bravo`.
    """
    if (command := context.invoked_subcommand) is not None:
        sources = map(context.get_parameter_source, context.params)
        if any(source is not None and source.name == "COMMANDLINE" for source in sources):
            raise BadInput(f"give options after {command}")
        return
    with _reported():
        from sieve.demo import ports as demo_ports
        from sieve.demo.once import SAMPLE
        from sieve.demo.run import run_until_interrupted

        status = run_until_interrupted(
            data or _default_data(),
            SAMPLE,
            demo_ports.choose(ports),
            as_json=as_json,
            with_history=not without_history,
            command=_in_second_terminal(data),
        )
    raise typer.Exit(status)


@demo.command(epilog=examples("sieve demo stop bravo"))
def stop(name: Gateway, data: Data = None, as_json: Json = False) -> None:
    """Stop a gateway of the running demo, from a second terminal. The other one continues."""
    show_change(_ask(data, "stop", name), f"{name} stopped", as_json=as_json)


@demo.command(epilog=examples("sieve demo start bravo"))
def start(name: Gateway, data: Data = None, as_json: Json = False) -> None:
    """Start a gateway of the running demo again, on the addresses that it had."""
    show_change(_ask(data, "start", name), f"{name} runs again", as_json=as_json)


@demo.command(epilog=examples("sieve demo once", "sieve demo once --file memo.md -- --mode secure-only"))
def once(
    send_options: Annotated[
        list[str] | None, typer.Argument(metavar="[-- OPTION...]", help="Further options of `sieve send`.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="A marked text; by default a sample.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Start two gateways, send one document from alpha to bravo, check it and its receipt, and stop.

    The last line is JSON; with --json the only one.
    """
    with _reported():
        from sieve.demo.once import SAMPLE
        from sieve.demo.once import once as send_once

        status = send_once(file or SAMPLE, send_options or [], as_json=as_json)
    raise typer.Exit(status)


def _ask(data: Path | None, verb: str, name: str) -> dict[str, Any]:
    with _reported():
        from sieve.demo.control import ask

        return ask(data or _default_data(), verb, name)


@contextmanager
def _reported() -> Iterator[None]:
    """Makes the demonstration's errors those of a command, and SIGTERM an interrupt: it stops the gateways in order."""
    from sieve.demo import DemoError

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except (DemoError, OSError) as error:
        raise Failed(str(error)) from error


def _default_data() -> Path:
    """The same folder for each `sieve demo` of this installation."""
    if (_REPOSITORY / "docs" / "guide.md").is_file():
        return _REPOSITORY / "data"
    shared = os.environ.get("XDG_DATA_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else Path.home() / ".local" / "share") / "sieve-demo"


def _in_second_terminal(data: Path | None) -> Callable[[str], str]:
    """What to write there for `stop bravo`."""
    own = Path(sys.executable).with_name("sieve")
    found = shutil.which("sieve")
    if found is not None and own.exists() and Path(found).samefile(own):
        program = "sieve"
    else:
        here = Path.cwd()
        program = shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))
    folder = "" if data is None else f" --data {shlex.quote(str(data.resolve()))}"
    return lambda words: f"{program} demo {words}{folder}"
