"""`sieve lab queueing`: the load that a gateway can carry, by queueing models fitted to measured transfers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import typer

from sieve.channel.attempt import MODES
from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import BadInput
from sieve.cli.lab.row_models import ModeModels
from sieve.cli.lab.rows_file import MeasuredRow, read_rows
from sieve.cli.options import DEFAULT_URL, Json, PlainChannels, SecureChannels, TokenFile, Url
from sieve.cli.timings import begin
from sieve.lab.demand import Work

HOUR_S: Final = 3600
SHOWN: Final = 8
"""Points of each curve; JSON has all."""
_MEASURED: Final = ("mode", "rate /s", "response ms", "transfers")
_COEFFICIENTS: Final = ("fixed_ms", "secure_ms_per_mb", "plain_ms_per_mb", "document_ms")


def queueing(
    rows: Annotated[
        str | None,
        typer.Option("--rows", metavar="FILE", help="A CSV or JSON file of measured rows, instead of a gateway's own."),
    ] = None,
    since: Annotated[
        str,
        typer.Option("--since", metavar="AGO", help="What the gateway measured since then (90m, 24h, 7d), or a time."),
    ] = "24h",
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="N", help="The documents that arrive per second.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", metavar="BYTES", min=0, help="The size of each document.")
    ] = None,
    share: Annotated[
        float | None, typer.Option("--share", metavar="P", help="The part of it that is classified, from 0 to 1.")
    ] = None,
    mode: Annotated[
        Literal["sieve", "secure-only"] | None,
        typer.Option("--mode", help="The mode to answer for; by default the faster one."),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="How many documents are sent together.")] = 1,
    secure: SecureChannels = None,
    plain: PlainChannels = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Show the load that a gateway can carry, for admins.

    Without a question (--rate, --size, --share, --mode), the answer is about documents like those that were sent. With
    --rows, a question needs all four.
    """
    channels = {"secure_channels": secure or 1, "plain_channels": plain or 1}
    asked = {"rate": rate, "size": size, "share": share, "mode": mode}
    if rows is not None:
        missing = [name for name, value in asked.items() if value is None]
        if 0 < len(missing) < len(asked):
            raise BadInput(f"a question about rows needs --rate, --size, --share and --mode; --{missing[0]} is missing")
        work = (
            Work(mode, size, share, **channels, batch=batch)
            if mode and size is not None and share is not None
            else None
        )
        found = of_rows(read_rows(rows), work, rate)
    else:
        params = {
            "since": begin(since, datetime.now(UTC)).isoformat(),
            "rate": rate,
            "document_bytes": size,
            "classified_share": share,
            "documents": batch,
            "send_mode": mode,
            **channels,
        }
        with Api(url, token_file) as api:
            given = {name: value for name, value in params.items() if value is not None}
            found = api.call("GET", "/timings/capacity", params=given)
    if as_json:
        show_json(found)
    elif rows is not None:
        _print_rows(found)
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
            raise BadInput(f"there are no rows of {work.mode} transfers; choose the other --mode")
        answer = asdict(models[work.mode].answer(work, rate_per_s))
    return {"modes": [asdict(each.shown()) for each in models.values()], "answer": answer}


def _print(found: Mapping[str, Any]) -> None:
    """What a gateway answers."""
    load, document, answer = found["load"], found["asked"], found["answer"]
    print(
        f"Measured: {_digits(load['rate_per_s'])} transfers a second, {_busiest(load)}, "
        f"with a mean total time of {_digits(load['mean_response_ms'])} ms"
    )
    table.show(
        ("rate /s", "total ms", "transfers"),
        [(_digits(rate), _digits(ms), str(count)) for rate, ms, count in found["measured"]],
    )
    one_server_each = all(model["servers"] == 1 for model in found["models"])
    print("\nModels of the measured mix" + (f": {found['models_reason']}" if found["models_reason"] else ""))
    table.show(
        ("model", "D ms", "saturates at /s", "error"),
        # The model of several servers may fit best with one.
        [
            _model(model, found["chosen"])
            for model in found["models"]
            if model["servers"] > 1 or model["name"] == (found["chosen"] if one_server_each else "single-server")
        ],
    )
    print(
        f"\nFor {document['documents']} x {document['document_bytes']:,} bytes, "
        f"{document['classified_share']:.0%} classified"
    )
    table.show(
        ("mode", "D ms", "95%", "saturates at /s", "transfers"),
        [
            (
                curve["mode"],
                _digits(curve["demand_ms"]) + (" (extrapolated)" if curve["extrapolated"] else ""),
                _within(curve["demand_ci95_ms"]),
                _digits(curve["saturation_per_s"]),
                str(curve["count"]),
            )
            for curve in found["curves"]
        ],
    )
    _reasons(found["curves"], "reason")
    print("\nMean total time at each rate")
    chosen = [model for model in found["models"] if model["name"] == found["chosen"]]
    table.show(
        ("of", "rate /s", "total ms"),
        [
            (name, _digits(rate), _digits(ms))
            for name, points in [
                *(("measured mix", model["points"]) for model in chosen),
                *((curve["mode"], curve["points"]) for curve in found["curves"]),
            ]
            for rate, ms in _some(points)
        ],
    )
    if answer["response_ms"] is None:
        print(f"\nNo answer: {answer['reason']}.")
    else:
        print(
            f"\nAt {_digits(document['rate_per_s'])} a second by {answer['mode']}, the mean total time is "
            f"{_digits(answer['response_ms'])} ms. With such transfers alone, this gateway saturates near "
            f"{_digits(answer['saturation_per_s'])} a second."
        )
        if answer["reason"]:
            print(f"Note: {answer['reason']}.")


def _print_rows(found: Mapping[str, Any]) -> None:
    modes = found["modes"]
    print("Models")
    table.show(
        ("mode", "model", "D ms", "saturates at /s", "error", "measured to"),
        [
            (each["mode"], *_model(model, each["chosen"]), f"{model['measured_to_percent']:.0f}%")
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
                *(_digits(each["demand"][name]) for name in _COEFFICIENTS),
                f"{each['demand']['error_percent']:.1f}%",
                str(each["demand"]["transfers"]),
            )
            for each in modes
            if each["demand"]
        ],
    )
    _reasons(modes, "demand_reason")
    print("\nMeasured")
    table.show(
        _MEASURED,
        [
            (each["mode"], _digits(rate), _digits(ms), str(count))
            for each in modes
            for rate, ms, count in each["measured"]
        ],
    )
    print("\nResponse at each rate, by the chosen model")
    table.show(
        _MEASURED[:3],
        [(each["mode"], _digits(rate), _digits(ms)) for each in modes for rate, ms in _some(each["curve"])],
    )
    if found["answer"]:
        print(f"\n{_answer(found['answer'])}")


def _model(model: Mapping[str, Any], chosen: str | None) -> Sequence[str]:
    name = "1 server" if model["servers"] == 1 else f"{model['servers']} servers"
    return (
        name + (" (chosen)" if model["name"] == chosen else ""),
        _digits(model["demand_ms"]),
        _digits(model["saturation_per_s"]),
        f"{model['error_percent']:.1f}%",
    )


def _busiest(load: Mapping[str, Any]) -> str:
    """The busiest hour, or the busiest day of a range of which hours are not kept any more."""
    span = "day" if load["busiest_span_s"] > HOUR_S else "hour"
    began = datetime.fromisoformat(load["busiest_at"]) if load["busiest_at"] else None
    when = f" (from {began.astimezone(UTC):%Y-%m-%d %H:%M} UTC)" if began else ""
    so_far = " so far" if load["busiest_so_far"] else ""
    return f"{_digits(load['busiest_per_s'])} in the busiest {span}{so_far}{when}"


def _some(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """A few points of a curve, from an idle gateway to nearly its saturation."""
    last = len(points) - 1
    return [points[round(last * step / (SHOWN - 1))] for step in range(SHOWN)] if last >= SHOWN else points


def _reasons(modes: Sequence[Mapping[str, Any]], name: str) -> None:
    for each in modes:
        if each[name]:
            print(f"{each['mode']}: {each[name]}")


def _answer(answer: Mapping[str, Any]) -> str:
    if not answer["enough"]:
        return f"No answer: {answer['reason']}."
    demand = f"a demand of {_digits(answer['demand_ms'])} ms (± {_digits(answer['demand_ci95_ms'])})"
    saturation = _digits(answer["saturation_per_s"])
    limit = f"With such transfers alone, the gateway saturates near {saturation} a second, with {demand}"
    beyond = " (no measured document was nearly of this size)" if answer["extrapolated"] else ""
    if answer["response_ms"] is None:
        return f"{limit}{beyond}: this load is too much."
    response = f"The mean response is {_digits(answer['response_ms'])} ms"
    return f"{limit}{beyond}. {response}, at {answer['utilization']:.0%} load."


def _within(ci95: float | None) -> str:
    """Half of an interval."""
    return "-" if ci95 is None else f"± {_digits(ci95)}"


def _digits(value: float | None) -> str:
    """Three significant digits; a dash for a value that is not determined."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
