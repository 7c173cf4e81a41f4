"""The bars of `sieve send`: one for each channel, on a terminal alone."""

import io
from typing import Any

from rich.console import Console

from sieve.cli.progress import ChannelBars


def channel(kind: str, number: int, sent: int, total: int) -> dict[str, Any]:
    return {"kind": kind, "number": number, "sent": sent, "total": total}


def shown(*events: list[dict[str, Any]], terminal: bool) -> str:
    out = io.StringIO()
    with ChannelBars(Console(file=out, force_terminal=terminal, width=100)) as bars:
        for channels in events:
            bars.show({"channels": channels})
    return out.getvalue()


def test_each_channel_has_a_bar() -> None:
    before = [channel("secure", 0, 0, 500), channel("secure", 1, 0, 400), channel("plain", 0, 0, 0)]
    after = [channel("secure", 0, 500, 500), channel("secure", 1, 100, 400), channel("plain", 0, 0, 0)]
    out = shown([], before, after, terminal=True)
    for said in ("secure 1", "secure 2", "plain  1", "500/500 bytes", "100/400 bytes"):
        assert said in out


def test_in_a_pipe_there_is_nothing() -> None:
    assert shown([channel("secure", 0, 1, 2)], terminal=False) == ""
