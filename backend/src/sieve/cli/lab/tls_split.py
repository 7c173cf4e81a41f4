"""`sieve lab tls-split`: TLS with handshake and records in different processes, measured beside the thesis's tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.lab.machine import described
from sieve.cli.options import Json, full_or_quick
from sieve.lab.tls_split.comparison import (
    DIRECT,
    ONE,
    OWN_RECORDS,
    TABLES,
    THESIS,
    Measured,
    cell_verdicts,
    counted,
    interval,
    verdicts,
)
from sieve.lab.tls_split.printed_tables import INCREASES, INITIATION, RESUMPTION, SIZES_KB, checks, increase_percent


def tls_split(
    full: Annotated[
        bool,
        full_or_quick(
            "measures 100 clients at a time, for at most a minute", "100 to 900 and all sizes, for a quarter of an hour"
        ),
    ] = False,
    clients: Annotated[
        list[int] | None,
        typer.Option("--clients", metavar="N", min=1, max=2000, help="Clients at a time; may be repeated."),
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option("--size", metavar="KB", min=1, max=10_000, help="Documents of this many KB; may be repeated."),
    ] = None,
    key: Annotated[Literal["rsa", "ecdsa"], typer.Option("--key", help="The server's key: RSA-2048 or P-256.")] = "rsa",
    gentle: Annotated[
        bool,
        typer.Option("--gentle", help="Do not go before other work on this machine, which makes all times less exact."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure TLS whose handshakes and records are in different processes. It never protects a user's document."""
    # Imported here, so that other commands start without it.
    from dataclasses import replace

    from sieve.cli.lab.tls_split_measured import FULL, QUICK, measure

    plan = FULL if full else QUICK
    plan = replace(
        plan,
        clients=clients or plan.clients,
        sizes_kb=list(dict.fromkeys(size or plan.sizes_kb)),
        key=key,
        gentle=gentle,
    )
    found = measure(plan)
    if as_json:
        show_json(found)
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
    measured = Measured(found)
    print(described(found["machine"]))
    print("\nMilliseconds; 1 client: 10th percentiles of what it sees; else means. Percent: more than in one process.")
    print("own-records is one process with the worker's records: the rest of what direct costs is the hand-over.")
    table.show(
        ("size", "clients", "design", "handshake", "records", "initiation", "", "resumption", "", "processor", ""),
        [
            _row(measured, size, clients, design)
            for size in measured.sizes_kb
            for clients in (0, *measured.loads)
            for design in (ONE, THESIS, DIRECT, OWN_RECORDS)
            if measured.value(design, "initiation_ms", size, clients) is not None
        ],
    )
    print("\nThe thesis, and what it concludes")
    for name, answer, why in statements(measured):
        print(f"- {name}: {answer}{'; ' + why if why else ''}")
    served, failed, not_resumed = measured.failures()
    print(f"\n{served} requests, {failed} failed, {not_resumed} resumptions became full handshakes")


def _row(measured: Measured, size: int, clients: int, design: str) -> Sequence[str]:
    cells = [f"{size} KB", str(clients or 1), design]
    for figure, digits in (("handshake_ms", 2), ("record_ms", 3)):
        value = measured.value(design, figure, size, clients)
        cells.append("-" if value is None else f"{value:.{digits}f}")
    for figure in ("initiation_ms", "resumption_ms", "processor_ms"):
        value, more = measured.value(design, figure, size, clients), measured.overhead(design, figure, size, clients)
        cells += ["-" if value is None else f"{value:.2f}", interval(more) if more and design != ONE else ""]
    return cells


def statements(measured: Measured) -> Iterator[tuple[str, str, str]]:
    """What of the thesis follows: name, answer, reason; first its arithmetic, then its conclusions."""
    for check in checks():
        yield f"table {check.table}, from {check.of}", "follows" if check.follows else "does not follow", check.because
    for printed in (INITIATION, RESUMPTION):
        wrong, right = INCREASES[printed.name][-1], increase_percent(*printed.averages[-1])
        yield f"{printed.title.lower()} at {SIZES_KB[-1]} KB", f"{wrong:+.1f} % printed", f"{right:+.1f} % is true"
    for printed, figure in TABLES:
        yield f"table {printed.name}, cells", counted(cell_verdicts(measured, printed, figure)), ""
    for verdict in verdicts(measured):
        yield f"{verdict.says} (page {verdict.page})", verdict.answer, verdict.ours
