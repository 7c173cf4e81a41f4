"""`sieve timings`: how long transfers take, for admins."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_change, show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples
from sieve.cli.plan import duration

timings = typer.Typer(rich_markup_mode=None)

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_FIGURES: Final = ("response", "total", "stored", "waiting")
_PERCENTILES: Final = (("median", "p50_ms"), ("p95", "p95_ms"), ("p99", "p99_ms"))
_PHASES: Final = (
    "waiting",
    "sieve",
    "split",
    "establishment",
    "data_transfer",
    "combine",
    "integrate",
    "storing",
)


@timings.callback(
    invoke_without_command=True,
    epilog=examples(
        "sieve timings", "sieve timings --since 7d --by peer", "sieve timings --since 30d --by size --csv > timings.csv"
    ),
)
def show(
    context: typer.Context,
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="AGO",
            help="The start of the range: minutes, hours or days ago (90m, 24h, 7d), or a time (2026-11-23T06:00Z).",
            show_default=True,
        ),
    ] = "24h",
    by: Annotated[
        Literal["peer", "mode", "size", "share"] | None,
        typer.Option("--by", help="Show where the time goes, by this."),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Show how long transfers take, for admins.

    Without --by: how many transfers ended, and how long they took, beside the range of the same length before. With
    --by: the mean time of each phase of delivered transfers.
    """
    if (command := context.invoked_subcommand) is not None:
        sources = map(context.get_parameter_source, context.params)
        if any(source is not None and source.name == "COMMANDLINE" for source in sources):
            # The command would not see them, and ask another gateway.
            raise BadInput(f"give options after {command}")
        return
    if as_csv and as_json:
        raise BadInput("an answer is either CSV or JSON; give --csv or --json, not both")
    path = "/timings/summary" if by is None else "/timings/phases"
    asked = {"since": begin(since, datetime.now(UTC)).isoformat()} | ({} if by is None else {"by": by})
    with Api(url, token_file) as api:
        if as_csv:
            sys.stdout.buffer.write(api.text(path, params={**asked, "format": "csv"}))
            return
        found = api.call("GET", path, params=asked)
    if as_json:
        show_json(found)
    elif by is None:
        _warn(found["progress"])
        table.show(["", "since then", "before"], _summary(found["current"], found["previous"]))
    else:
        table.show([by, "transfers", *(_words(phase) for phase in _PHASES)], map(_group, found["groups"]))


@timings.command(epilog=examples("sieve timings rebuild"))
def rebuild(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """Compute all sums again, in the background, from the timings of single transfers that are still kept.

    `sieve timings` says how far this is.
    """
    with Api(url, token_file) as api:
        api.call("POST", "/timings/rebuild")
    show_change({"rebuilding": True}, as_json=as_json)


def begin(text: str, now: datetime) -> datetime:
    """The time that --since names.

    Raises:
        BadInput: it names none.
    """
    try:
        if found := re.fullmatch(r"([0-9]{1,6})([mhd])", text):
            return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise BadInput("--since is not a time; write it like 90m, 24h, 7d or 2026-11-23T06:00Z") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _summary(current: Mapping[str, Any], previous: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for name in ("transfers", "delivered", "failed", "cancelled", "retries", "secure_bytes", "plain_bytes"):
        yield [_words(name), f"{current[name]:,}", f"{previous[name]:,}"]
    yield ["bytes not encrypted", *(_share(each["plain_share"]) for each in (current, previous))]
    yield ["took about as long as estimated", *(_as_expected(each) for each in (current, previous))]
    for figure in _FIGURES:
        for name, key in _PERCENTILES:
            yield [f"{figure} {name}", *(_time(each[figure][key]) for each in (current, previous))]


def _group(group: Mapping[str, Any]) -> Sequence[str]:
    means = group["mean_ms"]
    return [group["label"], f"{group['count']:,}", *(_time(means[phase]) for phase in _PHASES)]


def _warn(progress: Mapping[str, Any]) -> None:
    if not progress["import_done"]:
        done = progress["imported_percent"]
        print(f"sieve: older transfers are still being added: {done:.0f} % so far", file=sys.stderr)
    if (rebuilt := progress["rebuild_percent"]) is not None:
        print(f"sieve: all sums are being computed again: {rebuilt:.0f} % so far", file=sys.stderr)


def _time(ms: float | None) -> str:
    return "-" if ms is None else duration(ms)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _as_expected(found: Mapping[str, Any]) -> str:
    """Of the transfers whose authors were shown an estimate, those within half and twice of it."""
    many = found["expected"]
    return f"{found['expected_within_two'] / many:.1%} of {many:,}" if many else "-"


def _words(name: str) -> str:
    return name.replace("_", " ")
