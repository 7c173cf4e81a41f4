"""Shows the progress of a transfer until it ends, also across restarts of the gateway."""

import json
import time
from collections.abc import Iterator
from typing import Any

from sieve.cli.api import Api, Unreachable
from sieve.cli.table import visible

FINAL = {"delivered", "failed", "cancelled"}
PATIENCE_S = 30.0
"""The longest absence of the gateway, such as a restart, before watching fails."""
_PAUSE_S = 0.2


def watch(api: Api, transfer: dict[str, Any], until: float | None) -> dict[str, Any]:
    """Returns the transfer once it has ended, or at the time `until`; waits for a gateway that restarts. Says once for
    each reason why the transfer waits.
    """
    # Imported here: the help of all commands is shown faster without rich.
    from sieve.cli.progress import ChannelBars

    last_seen = time.monotonic()
    said: set[str] = set()
    with ChannelBars() as bars:
        while True:
            try:
                for event in _events(api, transfer["id"], until):
                    bars.show(event)
                    if event["state"] == "queued" and event["reason"] and event["reason"] not in said:
                        said.add(event["reason"])
                        bars.say(visible(f"{transfer['name']} waits: {event['reason']}; the gateway keeps trying"))
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
            # The stream ended, or the gateway is away: ask again after a pause.
            time.sleep(_PAUSE_S)


def _events(api: Api, transfer_id: str, until: float | None) -> Iterator[dict[str, Any]]:
    import httpx

    # The gateway sends an event at least every 15 s. A shorter timeout ends the stream, and the caller checks `until`.
    left = None if until is None else max(0.1, until - time.monotonic())
    timeout = httpx.Timeout(10, read=60 if left is None else min(60, left))
    with api.stream(f"/transfers/{transfer_id}/events", timeout=timeout) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))
            if until is not None and time.monotonic() >= until:
                return
