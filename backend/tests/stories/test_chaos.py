"""A short form of `make chaos`: gateways are killed, stopped, and cut off, and nothing is lost or delivered twice.

Of the forty steps at which `make chaos` kills a gateway, every second is played here.
"""

from pathlib import Path

import pytest

from chaos import restores, steps, trials
from chaos.world import world
from stories.proxies import Proxy

WAYS = ("1+1", "3+2", "batch")


@pytest.mark.parametrize(("victim", "named"), [("alpha", steps.SENDER[::2]), ("bravo", steps.RECEIVER[::2])])
async def test_killed_at_every_second_step_and_at_random_delivers_exactly_once(
    tmp_path: Path, victim: str, named: tuple[str, ...]
) -> None:
    async with world(tmp_path, seed=1) as pair:
        for number, step in enumerate(named):
            await trials.kill_at_step(pair, victim, step, WAYS[number % 3])
        await trials.kill_at_random(pair, victim)
        assert pair.broken == []
        assert pair.book["kill at a named step"]["documents"] > len(named) / 2


async def test_each_named_step_is_reached(tmp_path: Path) -> None:
    async with world(tmp_path, seed=4) as pair:
        for name in ("alpha", "bravo"):
            pair.asks(name, "steps", "")
        for way in WAYS:
            await pair.check(await pair.send(way), "none")
        assert set(steps.SENDER) - pair.steps_of("alpha") == set()
        assert set(steps.RECEIVER) - pair.steps_of("bravo") == set()


async def test_a_receipt_that_is_cut_off_costs_nothing(tmp_path: Path) -> None:
    cutter = trials.ReceiptCutter()
    async with world(tmp_path, seed=2, secure_proxy=Proxy(cutter.pump)) as pair:
        for place in trials.PLACES:
            await trials.lose_receipt(pair, cutter, place)
        assert pair.broken == []
        assert cutter.cut == len(trials.PLACES)


async def test_children_that_die_and_gateways_that_stop_cost_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, seed=3) as pair:
        await trials.kill_child(pair, "plain listener")
        await trials.kill_child(pair, "reading process")
        for victim in ("alpha", "bravo"):
            await trials.stop_past_lease(pair, victim)
        assert pair.broken == []


async def test_a_clock_that_is_wrong_costs_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, seed=4) as pair:
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
