"""A short form of `make chaos`: gateways are killed, stopped, and cut off, and nothing is lost or delivered twice.

`make test` plays every fourth of the forty steps at which `make chaos` kills a gateway, and `make soak` every second.
Trials share two gateways where they can: starting those takes longer than a trial.
"""

from pathlib import Path

import pytest

from chaos import restores, steps, trials
from chaos.world import world
from stories.proxies import Proxy

WAYS = ("1+1", "3+2", "batch")


@pytest.mark.parametrize("first", [0, pytest.param(2, marks=pytest.mark.soak)])
async def test_killed_at_named_steps_and_at_random_delivers_exactly_once(tmp_path: Path, first: int) -> None:
    async with world(tmp_path, seed=1) as pair:
        for victim, named in (("alpha", steps.SENDER[first::4]), ("bravo", steps.RECEIVER[first + 1 :: 4])):
            for number, step in enumerate(named):
                await trials.kill_at_step(pair, victim, step, WAYS[number % 3])
            await trials.kill_at_random(pair, victim)
        assert pair.broken == []
        assert pair.book["kill at a named step"]["documents"] > 5


async def test_faults_that_end_no_gateway_cost_nothing(tmp_path: Path) -> None:
    """Receipts that are cut off, children that die, gateways that stop, wrong clocks. Each named step is reached."""
    cutter = trials.ReceiptCutter()
    async with world(tmp_path, seed=2, secure_proxy=Proxy(cutter.pump)) as pair:
        for name in ("alpha", "bravo"):
            pair.asks(name, "steps", "")
        for way in WAYS:
            await pair.check(await pair.send(way), "none")
        assert set(steps.SENDER) - pair.steps_of("alpha") == set()
        assert set(steps.RECEIVER) - pair.steps_of("bravo") == set()
        for name in ("alpha", "bravo"):
            pair.asks(name, "steps", None)

        for place in trials.PLACES:
            await trials.lose_receipt(pair, cutter, place)
        assert cutter.cut == len(trials.PLACES)
        await trials.kill_child(pair, "plain listener")
        await trials.kill_child(pair, "reading process")
        for victim in ("alpha", "bravo"):
            await trials.stop_past_lease(pair, victim)
        for offset_s in trials.CLOCKS:
            await trials.wrong_clock_while_running(pair, "alpha", offset_s)
        await trials.wrong_clock_at_start(pair, "alpha", trials.CLOCKS[-1])
        assert pair.broken == []


async def test_a_restore_under_load_loses_nothing_from_before_the_backup(tmp_path: Path) -> None:
    async with world(tmp_path, seed=5) as pair:
        for victim in ("alpha", "bravo"):
            await restores.restore(pair, victim)
        assert pair.broken == []
        assert {pair.book[fault]["trials"] for fault in restores.FAULTS.values()} == {1}
