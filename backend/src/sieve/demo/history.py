"""The demo's history: some hundred transfers between alpha and bravo, as if they had been sent in the last two days.

The gateways really sieve, send, store and acknowledge each document, and record how long that took. Only their clock is
set back (`past_clock`), and it moves on between bursts of transfers. Once bravo is down for some seconds: that makes
retries, a missed deadline, a cancelled transfer, and one that fails because bravo does not know its recipient.
"""

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from sieve.demo.documents import MB, marked
from sieve.demo.gateways import NO_TLS, SIEVE, DemoError, Running, add_person, pair, start, two_gateways
from sieve.demo.past_clock import set_back
from sieve.demo.ports import Binds

TRANSFERS: Final = 320
MINUTE_S: Final = 60
HOUR_S: Final = 3600
NS_PER_S: Final = 1_000_000_000
DESK, ARCHIVE = "desk", "archive"
"""The people who send and receive, so that the people of the demo keep empty lists."""
OUTAGE_AGO_S: Final = 25 * MINUTE_S
"""When bravo goes down, and starts again."""

_BURSTS: Final = (1, 3, 5, 11)
"""How often somebody sends in a burst."""
_TRANSFERS_OF_A_BURST: Final = 8
"""On average, because some documents are sent together."""
_TOGETHER: Final = (1,) * 9 + (3, 6)
_USUAL: Final = ((40_000, 0.1), (300_000, 0.5), (3_000_000, 0.1))
"""Sizes and shares classified of three in four documents, so that there are enough of each to compare the modes."""
_SIZES: Final = (6_000, 40_000, 90_000, 300_000, 600_000, 1_200_000)
_SHARES: Final = (0.0, 0.1, 0.5, 0.9, 1.0)
_MODES: Final = ("sieve",) * 4 + ("secure-only",) * 4 + ("auto",)
_DOCUMENTS_OF_A_KIND: Final = 3
_SUBJECTS: Final = ("Tide tables", "Crew list", "Survey report", "Berth plan", "Cargo manifest", "Council minutes")
_PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.01
_TRANSFERS: Final = re.compile(r'^sieve_transfers\{state="(\w+)"\} (\S+)$', re.MULTILINE)


def send_history(folder: Path, identities: Path, binds: Binds, transfers: int = TRANSFERS) -> None:
    """Sends about that many transfers between the gateways whose data is in `folder`. They must not run.

    Raises:
        DemoError: a gateway does not start, refuses a request, or does not finish.
    """
    clock = folder / "clock"
    started = partial(
        start,
        # The documents are made up, so the leak check has no secrets to look for.
        extra={"SIEVE_OPEN_FINDINGS": "off"},
        log_file=folder / "history.log",
        program=(sys.executable, "-m", "sieve.demo.past_clock", str(clock), *SIEVE[2:]),
    )
    before, after = _times(max(6, transfers // _TRANSFERS_OF_A_BURST))
    set_back(clock, before[0] * NS_PER_S)
    try:
        with ExitStack() as stack:
            alpha, bravo = stack.enter_context(two_gateways(folder, identities, binds, started))
            pair(alpha, bravo)
            # A desk finds the other one's people, so both need theirs first.
            tokens = [_add_people(gateway) for gateway in (alpha, bravo)]
            draw = random.Random(15)  # noqa: S311 -- the same history each time
            desks = [
                _Desk(ours, token, theirs.name, draw)
                for ours, token, theirs in zip((alpha, bravo), tokens, (bravo, alpha), strict=True)
            ]
            for desk in desks:
                stack.callback(desk.client.close)

            def send_bursts(times: Sequence[int]) -> None:
                for ago_s in times:
                    set_back(clock, ago_s * NS_PER_S)
                    for _ in range(draw.choice(_BURSTS)):
                        # Two thirds go from alpha to bravo.
                        desks[draw.random() < 1 / 3].send()
                    _wait_until_idle(desks)

            send_bursts(before)
            set_back(clock, OUTAGE_AGO_S * NS_PER_S)
            bravo.stop()
            waiting = desks[0].send_while_down()
            bravo.process = started(bravo.name, folder, identities, bravo.listeners).process
            for transfer in waiting:
                desks[0].try_again(transfer)
            _wait_until_idle(desks)
            send_bursts(after)
    finally:
        clock.unlink(missing_ok=True)


def _times(bursts: int) -> tuple[Sequence[int], Sequence[int]]:
    """When the bursts are sent, in seconds ago, before and after bravo is down: most of them in the last hour."""
    before = [(48 * HOUR_S, 24 * HOUR_S, bursts // 6), (24 * HOUR_S, HOUR_S, bursts // 3)]
    before.append((HOUR_S, OUTAGE_AGO_S, bursts // 4))
    after = OUTAGE_AGO_S - MINUTE_S, MINUTE_S // 2, bursts // 4
    return [ago_s for each in before for ago_s in _evenly(*each)], [*_evenly(*after)]


def _evenly(first_s: int, last_s: int, count: int) -> Iterator[int]:
    return (first_s - (first_s - last_s) * number // count for number in range(count))


def _add_people(gateway: Running) -> str:
    """Adds those who send and receive; returns the token of the desk."""
    add_person(gateway, ARCHIVE, "Archive", is_recipient=True)
    return add_person(gateway, DESK, "Registry desk", is_author=True, is_recipient=True, cleared=True)


def _wait_until_idle(desks: Sequence["_Desk"]) -> None:
    _wait(lambda: not any(desk.transfers("queued", "sending") for desk in desks))


def _wait(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not holds():
        if time.monotonic() > until:
            raise DemoError(f"the demo's transfers are not over after {_PATIENCE_S:.0f} s; see history.log")
        time.sleep(_POLL_S)  # nothing announces the end of several transfers


class _Desk:
    """The desk of one gateway, which sends what `draw` chooses to the desk of the other."""

    def __init__(self, gateway: Running, token: str, peer: str, draw: random.Random) -> None:
        self._gateway, self._peer, self._draw = gateway, peer, draw
        headers = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=gateway.url, headers=headers, timeout=30, trust_env=False, verify=NO_TLS)
        self._documents: dict[tuple[int, float, int], str] = {}

    def send(self) -> None:
        """Sends one document, or now and then several together."""
        documents = {self._document(): None for _ in range(self._draw.choice(_TOGETHER))}
        channels = self._draw.choice((1, 1, 1, 2))
        self._send(list(documents), mode=self._draw.choice(_MODES), secure_channels=channels, plain_channels=channels)

    def send_while_down(self) -> Sequence[str]:
        """Sends several documents while the other gateway is down. One misses its deadline, one is cancelled, and one
        names a person who does not exist there. Returns the ids of those that can be tried again.
        """
        waiting = [self._send([self._document()]), self._send([self._document()], recipients=["nobody"])]
        late = self._send([self._document()], deadline_s=0.1)
        cancelled = self._send([self._document()])
        for transfer in (*waiting, late, cancelled):
            _wait(partial(self._was_tried, transfer))
        self._ask("POST", f"/transfers/{cancelled}/cancel")
        return waiting

    def try_again(self, transfer: str) -> None:
        """Makes it due now, unless an attempt at it has begun already."""
        answer = self.client.post(f"/api/v1/transfers/{transfer}/requeue")
        if answer.status_code not in (202, 409):
            raise DemoError(f"{self._gateway.name}: trying again: {answer.text}")

    def _was_tried(self, transfer: str) -> bool:
        """Whether an attempt at it has failed."""
        return self._ask("GET", f"/transfers/{transfer}")["reason"] is not None

    def transfers(self, *states: str) -> int:
        """How many transfers are in these states."""
        counts = _TRANSFERS.findall(self.client.get("/metrics").text)
        return sum(int(float(count)) for state, count in counts if state in states)

    def _document(self) -> str:
        draw = self._draw
        size, share = draw.choice(_USUAL) if draw.random() < 0.75 else (draw.choice(_SIZES), draw.choice(_SHARES))
        kind = size, share, draw.randrange(_DOCUMENTS_OF_A_KIND)
        if kind not in self._documents:
            self._documents[kind] = self._upload(size, share)
        return self._documents[kind]

    def _upload(self, size: int, share: float) -> str:
        name = f"{self._draw.choice(_SUBJECTS)} {self._draw.randrange(1, 53)}.txt"
        # No two documents are alike.
        repeats = max(1, size // MB)
        content = marked(
            round(size / repeats * self._draw.uniform(0.6, 1.4)),
            share if share == 1 else share * self._draw.uniform(0.8, 1),
            repeats,
        )
        found: dict[str, str] = self._ask(
            "POST", "/documents", params={"name": name, "form": "marked"}, content=content
        )
        return found["id"]

    def _send(self, documents: Sequence[str], **wishes: Any) -> str:
        """Returns the id of the first transfer."""
        asked = {"peer": self._peer, "recipients": self._draw.choice(([DESK], [DESK, ARCHIVE])), **wishes}
        if len(documents) == 1:
            made = self._ask("POST", "/transfers", json={**asked, "document_id": documents[0]})
        else:
            [made, *_] = self._ask("POST", "/batches", json={**asked, "document_ids": documents})["transfers"]
        transfer: str = made["id"]
        return transfer

    def _ask(self, method: str, path: str, **arguments: Any) -> Any:
        answer = self.client.request(method, f"/api/v1{path}", **arguments)
        if answer.status_code >= 400:
            raise DemoError(f"{self._gateway.name}: {method} {path}: {answer.text}")
        return answer.json()
