"""The command. What it needs is imported when it runs, for no other command needs it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.errors import Failed
from sieve.cli.options import Json, full_or_quick

OPTIONAL: Final = frozenset({"gmpy2", "tlslite"})


def batch_rsa(
    full: Annotated[
        bool, full_or_quick("measures for a minute", "measures for five minutes, with 3072 and 4096 bits, too")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure batch RSA and its handshakes with real clients, beside the values of its paper.

    A reproduction of a paper. It never protects a document.
    """
    try:
        from sieve.cli.lab.batch_rsa import experiment
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in OPTIONAL:
            raise
        raise Failed(
            f"batch RSA needs the Python package {missing.name.partition('.')[0]}: install security-sieve with its "
            "extra lab, as in pip install 'security-sieve[lab]'"
        ) from None
    found = experiment.run(experiment.FULL if full else experiment.QUICK)
    if as_json:
        show_json(found)
    else:
        show(found)


def show(found: Mapping[str, Any]) -> None:
    """Prints the measurements as tables."""
    from sieve.cli.lab.machine import described

    print(f"{described(found['machine'])}; form {found['form']}")
    print("\nSpeed-up of a batch: by equation 1 and as printed; ours without CRT, with CRT, with CRT and precautions")
    rows = {(row["bits"], row["batch"], row["form"]): row for row in found["speedups"]}
    table.show(
        ("bits", "b", "equation 1", "printed", "measured there", "ours", "CRT", "safe", "plain ms", "plain CRT ms"),
        [
            (
                str(bits),
                str(batch),
                f"{row['formula']:.2f}",
                _or_dash(row["printed"]),
                _or_dash(row["printed_real"]),
                f"{row['speedup']:.2f}",
                f"{rows[bits, batch, 'crt']['speedup']:.2f}",
                f"{rows[bits, batch, 'safe']['speedup']:.2f}",
                f"{row['plain_ms']:.3f}",
                f"{rows[bits, batch, 'crt']['plain_ms']:.3f}",
            )
            for (bits, batch, form), row in rows.items()
            if form == "no crt"
        ],
    )
    print("\nTable 1, optimal batch sizes: printed, and by algorithm 3")
    _compared(found["table_1"])
    print("\nTable 2, speed-ups, and what else the paper prints")
    _compared([*found["table_2"], *found["table_2_measured"], *found["claims"]])
    print("\nBest batch size today by rate: with the least work within a second, and with the shortest response")
    table.show(
        ("bits", "rate /s", "least work", "response ms", "soonest", "response ms"),
        [
            (str(row["bits"]), f"{row['rate_per_s']:g}", *_choice(row["least_work"]), *_choice(row["soonest"]))
            for row in found["optimal"]
        ],
    )
    print("\nHandshakes of TLS 1.2")
    table.show(
        ("what", "clients", "batches", "mean ms"),
        [
            (row["what"], str(row["clients"]), sizes_text(row["sizes"]), f"{row['handshake_ms']:.1f}")
            for row in found["handshakes"]
        ],
    )
    table.show(
        ("arrivals", "b", "longest wait ms", "batches", "mean ms", "decryption ms", "simulated ms"),
        [
            (
                row["what"],
                str(row["batch"]),
                f"{row['longest_wait_ms']:g}",
                sizes_text(row["sizes"]),
                *(f"{row[name]:.1f}" for name in ("handshake_ms", "decrypted_ms", "simulated_ms")),
            )
            for row in found["poisson"]
        ],
    )
    print("\nThe server's private operations of one handshake")
    table.show(("what", "ms"), [(row["what"], f"{row['ms']:.3f}") for row in found["today"]])


def _compared(rows: Sequence[Mapping[str, str]]) -> None:
    table.show(
        ("value", "printed", "ours", "", "because"),
        [(row["where"], row["printed"], row["ours"], row["verdict"], row["because"]) for row in rows],
    )


def _choice(chosen: Mapping[str, float] | None) -> tuple[str, str]:
    return ("-", "-") if chosen is None else (str(chosen["batch"]), f"{chosen['response_s'] * 1e3:.2f}")


def sizes_text(sizes: Sequence[int]) -> str:
    """Such as `3 of 4, 1 of 2`."""
    return ", ".join(f"{sizes.count(size)} of {size}" for size in sorted(set(sizes), reverse=True))


def _or_dash(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
