"""`sieve plan`: how documents would be sent now, how long that would take, and why. It sends nothing."""

from typing import Annotated, Any, Final

import typer

from sieve.cli.api import Api, path_to, show_json
from sieve.cli.options import (
    DEFAULT_URL,
    Documents,
    Json,
    Marks,
    Mode,
    PlainChannels,
    SecureChannels,
    TokenFile,
    Unmarked,
    Url,
    Whole,
)
from sieve.cli.text_encoding import EncodingOption
from sieve.cli.upload import UploadOptions, sizes


def plan(
    files: Documents,
    peer: Annotated[str, typer.Option("--peer", metavar="NAME", help="The gateway to send to.")],
    mode: Mode = "auto",
    unmarked: Unmarked = False,
    marks: Marks = None,
    whole: Whole = False,
    encoding: EncodingOption = None,
    secure: SecureChannels = None,
    plain: PlainChannels = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Show how documents would be sent. Also show how long that would take."""
    given = UploadOptions(unmarked=unmarked, marks=marks, whole=whole, encoding=encoding)
    given.check(files)
    found = [sizes(file, given) for file in files]
    asked: dict[str, Any] = {
        "bytes": sum(size for size, _ in found),
        "classified": sum(classified for _, classified in found),
        "documents": len(files),
        "mode": mode,
        "secure_channels": secure,
        "plain_channels": plain,
    }
    with Api(url, token_file) as api:
        params = {name: value for name, value in asked.items() if value is not None}
        estimate = api.call("GET", f"{path_to('peers', peer)}/plan", params=params)
    if as_json:
        show_json(estimate)
    else:
        print(plan_line(estimate))


_WHY: Final = {
    "faster": "",
    "requested": ", as requested",
    "all-classified": ", because everything is classified",
    "plain-failed": ", because the plain channel failed",
    "as-estimated": ", as estimated before sending",
    "measuring": ", to measure how long it takes",
}


def plan_line(plan: dict[str, Any]) -> str:
    """A plan and its estimate in one line, as the API returns them."""
    mode, estimate = plan["mode"], plan["estimate"]
    channels = f"{plan['secure_channels']} secure" + (f", {plan['plain_channels']} plain" if mode == "sieve" else "")
    way = f"{mode} ({channels}){_WHY[estimate['reason']]}"
    if estimate["expected_ms"] is None:
        return f"{way}; there is no reliable estimate yet of how long it takes"
    match estimate["break_even"]:
        case "always" | "never" as often:
            faster = f"sieve is {often} faster"
        case edge:
            faster = f"sieve is faster if {at_most(edge)} is classified"
    return f"{way}: {roughly(estimate['expected_ms'])}; {faster}"


def roughly(ms: float) -> str:
    """A time in words, no more precise than an estimate is."""
    seconds = ms / 1000
    if seconds < 1:
        return "under a second"
    if seconds < 9.5:
        return f"about {seconds:.0f} s"
    if seconds < 57.5:
        return f"about {round(seconds / 5) * 5} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return "about a minute" if minutes == 1 else f"about {minutes} minutes"
    hours = round(minutes / 60)
    return "about an hour" if hours == 1 else f"about {hours} hours"


def at_most(share: float) -> str:
    """A share in whole percent, rounded down. 0% would mean "never" and 100% "always", which a plan says itself."""
    percent = min(99, round(share * 1000) // 10)
    return f"at most {percent}%" if percent else "under 1%"


def duration(ms: float) -> str:
    """A time with two significant digits."""
    if ms >= 999.5:
        seconds = ms / 1000
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{ms:.1f} ms" if ms < 9.95 else f"{ms:.0f} ms"
