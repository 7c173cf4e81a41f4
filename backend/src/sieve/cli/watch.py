"""Watching a transfer until it is over: each channel's progress, through restarts of the gateway."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx

from sieve.cli.api import Api, Unreachable
from sieve.cli.progress import ChannelBars

FINAL = {"delivered", "failed", "cancelled"}
PATIENCE_S = 30.0
"""How long a gateway that was there may be away, as when it is started anew, before we stop watching."""
_PAUSE_S = 0.2


def watch(api: Api, transfer: dict[str, Any], until: float | None) -> dict[str, Any]:
    """The transfer as it is once it is over, or as it is at `until`. A gateway that goes away and comes back meanwhile
    is waited for.
    """
    last_seen = time.monotonic()
    with ChannelBars() as bars:
        while True:
            try:
                for event in _events(api, transfer["id"], until):
                    bars.show(event)
                transfer = api.call("GET", f"/transfers/{transfer['id']}")
            except Unreachable:
                if time.monotonic() - last_seen > PATIENCE_S:
                    raise
            else:
                last_seen = time.monotonic()
                if transfer["state"] in FINAL:
                    return transfer
            if until is not None and time.monotonic() >= until:
                return transfer
            # The stream ended, or the gateway is away: where it tells nothing by itself, it is asked now and then.
            time.sleep(_PAUSE_S)


def _events(api: Api, transfer_id: str, until: float | None) -> Iterator[dict[str, Any]]:
    # The gateway says something every 15 s at least; a shorter wait of ours ends the reading, and the caller looks.
    left = None if until is None else max(0.1, until - time.monotonic())
    timeout = httpx.Timeout(10, read=60 if left is None else min(60, left))
    with api.stream(f"/transfers/{transfer_id}/events", timeout=timeout) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))
            if until is not None and time.monotonic() >= until:
                return
