"""`sieve lab queueing`: the load that a gateway can carry, by queueing models fitted to measured transfers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

import typer

from sieve.channel.attempt import MODES
from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.lab.rows_file import MeasuredRow, read_rows
from sieve.cli.options import DEFAULT_URL, Json, PlainChannels, SecureChannels, TokenFile, Url
from sieve.lab.capacity import ModeModels
from sieve.lab.demand import Work
from sieve.lab.errors import LabError

_COEFFICIENTS: Final = ("fixed_ms", "secure_ms_per_mb", "plain_ms_per_mb", "document_ms")


def queueing(
    rows: Annotated[
        str | None,
        typer.Option(
            "--rows", metavar="FILE", help="A CSV or JSON file of measured rows; by default the gateway's own."
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only what the gateway measured since then.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="N", help="Answer for so many documents a second.")
    ] = None,
    size: Annotated[float | None, typer.Option("--size", metavar="BYTES", help="... of this size each.")] = None,
    share: Annotated[
        float | None, typer.Option("--share", metavar="P", help="... of which this part is classified, 0 to 1.")
    ] = None,
    mode: Annotated[Literal["sieve", "secure-only"] | None, typer.Option("--mode", help="... in this mode.")] = None,
    secure: SecureChannels = None,
    plain: PlainChannels = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="... so many together.")] = 1,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Show the load that a gateway can carry."""
    asked = {"rate": rate, "size": size, "share": share, "mode": mode}
    if any(value is not None for value in asked.values()) and any(value is None for value in asked.values()):
        missing = next(name for name, value in asked.items() if value is None)
        raise LabError(f"a question about a load needs --rate, --size, --share and --mode; --{missing} is missing")
    channels = {"secure_channels": secure or 1, "plain_channels": plain or 1, "batch": batch}
    if rows is None:
        given = {name: value for name, value in (asked | channels | {"since": since}).items() if value is not None}
        with Api(url, token_file) as api:
            found = api.call("GET", "/timings/capacity", params=given)
    else:
        work = Work(mode, size, share, **channels) if mode and size is not None and share is not None else None
        found = of_rows(read_rows(rows), work, rate)
    if as_json:
        show_json(found)
    else:
        _print(found)


def of_rows(rows: Sequence[MeasuredRow], work: Work | None, rate_per_s: float | None) -> dict[str, Any]:
    """The models of each mode in `rows`, and the answer for `work`; as JSON."""
    models = {
        mode: ModeModels(
            mode,
            [row.point for row in rows if row.point and row.work.mode == mode],
            [row.service for row in rows if row.service],
        )
        for mode in MODES
        if any(row.work.mode == mode for row in rows)
    }
    answer = None
    if work is not None and rate_per_s is not None:
        if work.mode not in models:
            raise LabError(f"there are no rows of {work.mode} transfers; choose the other --mode")
        answer = asdict(models[work.mode].answer(work, rate_per_s))
    return {"modes": [asdict(each.shown()) for each in models.values()], "answer": answer}


def _print(found: Mapping[str, Any]) -> None:
    modes = found["modes"]
    print("Models")
    table.show(
        ("mode", "model", "D ms", "saturates at /s", "error", "measured to"),
        [
            (
                each["mode"],
                _name(model) + (" (chosen)" if model["name"] == each["chosen"] else ""),
                _digits(model["demand_ms"]),
                _digits(model["saturation_per_s"]),
                f"{model['error_percent']:.1f}%",
                f"{model['measured_to_percent']:.0f}%",
            )
            for each in modes
            for model in each["models"]
        ],
    )
    _reasons(modes, "reason")
    print("\nService demand D, by what is sent")
    table.show(
        ("mode", "fixed ms", "ms/MB secure", "ms/MB plain", "ms/document", "error", "transfers"),
        [
            (
                each["mode"],
                *(
                    _digits(each["demand"][name])
                    for name in ("fixed_ms", "secure_ms_per_mb", "plain_ms_per_mb", "document_ms")
                ),
                f"{each['demand']['error_percent']:.1f}%",
                str(each["demand"]["transfers"]),
            )
            for each in modes
            if each["demand"]
        ],
    )
    _reasons(modes, "demand_reason")
    if any(each["measured"] for each in modes):
        print("\nMeasured")
        table.show(
            ("mode", "rate /s", "response ms", "transfers"),
            [
                (each["mode"], _digits(rate), _digits(ms), str(transfers))
                for each in modes
                for rate, ms, transfers in each["measured"]
            ],
        )
    if found["answer"]:
        print(f"\n{_answer(found['answer'])}")


def _reasons(modes: Sequence[Mapping[str, Any]], name: str) -> None:
    for each in modes:
        if each[name]:
            print(f"{each['mode']}: {each[name]}")


def _name(model: Mapping[str, Any]) -> str:
    return "1 server" if model["servers"] == 1 else f"{model['servers']} servers"


def _answer(answer: Mapping[str, Any]) -> str:
    if not answer["enough"]:
        return f"No answer: {answer['reason']}."
    demand = f"a demand of {_digits(answer['demand_ms'])} ms (± {_digits(answer['demand_ci95_ms'])})"
    limit = f"The gateway saturates near {_digits(answer['saturation_per_s'])} a second at this mix, with {demand}"
    beyond = " (no measured document was nearly of this size)" if answer["extrapolated"] else ""
    if answer["response_ms"] is None:
        return f"{limit}{beyond}: this load is too much."
    response = f"The mean response is {_digits(answer['response_ms'])} ms"
    return f"{limit}{beyond}. {response}, at {answer['utilization']:.0%} load."


def _digits(value: float | None) -> str:
    """Three significant digits; a dash for a value that is not determined."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
