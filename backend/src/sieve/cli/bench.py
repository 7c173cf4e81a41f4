"""`sieve bench`: what sieve gains over secure-only on this machine."""

import statistics
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import Json

if TYPE_CHECKING:
    from sieve.cli.lab.measured_modes import Compared

SIZES = (100_000, 1_000_000, 10_000_000)
SHARES = (0.1, 0.5)
MAX_SIZE = 1_000_000_000


def bench(
    size: Annotated[
        list[int] | None,
        typer.Option(
            "--size",
            metavar="BYTES",
            min=100,
            help="A document's size; may be repeated; by default 100 KB, 1 and 10 MB.",
        ),
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(
            "--share",
            metavar="P",
            min=0,
            max=1,
            help="The part of it that is classified; may be repeated; by default 0.1 and 0.5.",
        ),
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=2, help="How often each document is sent in each mode.")] = 10,
    as_json: Json = False,
) -> None:
    """Measure sieve beside secure-only on this machine, on two gateways that this command starts."""
    # Imported here, so that other commands start without the demonstration.
    from sieve.cli.lab.measured_modes import Case, measure

    cases = [Case(bytes_, part) for bytes_ in dict.fromkeys(size or SIZES) for part in dict.fromkeys(share or SHARES)]
    if max(case.size for case in cases) > MAX_SIZE:
        raise BadInput(f"--size must be at most {table.size(MAX_SIZE)}")
    found = [_shown(each) for each in measure(cases, rounds, _say)]
    if as_json:
        show_json(found)
        return
    heading = ("size", "classified", "sieve ms", "secure-only ms", "improvement", "95%")
    table.show(
        heading,
        [
            (
                table.size(each["size"]),
                f"{100 * each['classified_share']:g}%",
                f"{each['sieve_ms']:.1f}",
                f"{each['secure_only_ms']:.1f}",
                f"{each['improvement_percent']:.0f}%",
                f"± {each['ci95_percent']:.0f}",
            )
            for each in found
        ],
    )


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def _shown(each: "Compared") -> dict[str, Any]:
    improvement = each.improvement_percent
    return {
        "size": each.case.size,
        "classified_share": each.case.share,
        "rounds": len(each.sieve_ms),
        "sieve_ms": round(statistics.median(each.sieve_ms), 2),
        "secure_only_ms": round(statistics.median(each.secure_only_ms), 2),
        "improvement_percent": round(improvement.value, 1),
        "ci95_percent": None if improvement.ci95 is None else round(improvement.ci95, 1),
    }
