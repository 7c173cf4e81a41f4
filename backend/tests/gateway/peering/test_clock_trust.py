"""What ends the doubt about a clock that is far from what is expected: a peer's clock, or a long time in which none
said another time. Until then no restart does.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.by_hand import partials
from gateway.inbound.test_partials import broke_off
from gateway.two_gateways import Pair, paired, until
from sieve.gateway.clock import Clock, now_ns
from sieve.gateway.peering.clock_trust import AGREES_NS, DAY_NS, RUN_NS, ClockTrust
from sieve.gateway.peering.links import Link

HOUR_NS = DAY_NS // 24
YEAR_NS = 365 * DAY_NS


@dataclass
class Machine:
    """Both clocks of a machine: how far its wall clock is ahead, and how much more time has passed than really did."""

    ahead_ns: int = 0
    passed_ns: int = 0

    def clock(self) -> Clock:
        return Clock(lambda: now_ns() + self.ahead_ns + self.passed_ns, lambda: time.monotonic_ns() + self.passed_ns)


@pytest.fixture
def machine() -> Machine:
    """Bravo's."""
    return Machine()


@pytest.fixture
def other() -> Machine:
    """Alpha's."""
    return Machine()


@pytest.fixture
async def pair(tmp_path: Path, template: Path, machine: Machine, other: Machine) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template, alpha={"clock": other.clock}, bravo={"clock": machine.clock}) as made:
        yield made


def trust(pair: Pair) -> ClockTrust:
    return pair.bravo.gateway.services.clock_trust


async def again(pair: Pair) -> ClockTrust:
    """Bravo's, after a restart."""
    await pair.bravo.stop()
    await pair.bravo.start()
    return trust(pair)


async def test_a_clock_that_is_ahead_at_the_start_removes_no_partial(pair: Pair, machine: Machine) -> None:
    first = await broke_off(pair)
    await first.cut()
    await until(lambda: not pair.bravo.attempts.peers_under_way())
    await pair.bravo.stop()
    await pair.alpha.stop()
    machine.ahead_ns = YEAR_NS
    for _ in range(3):
        await again(pair)
        for _ in range(2):
            await trust(pair).look()
            await pair.bravo.attempts.deps.partials.purge(lambda _: True)
            machine.passed_ns += 2 * HOUR_NS
    assert len(await partials(pair)) == 1
    machine.ahead_ns = 0
    await again(pair)
    assert trust(pair).problem is None
    await pair.bravo.attempts.deps.partials.purge(lambda _: True)
    assert await partials(pair) == [], "its deadline is over now"


async def test_a_peer_confirms_a_gateway_that_was_off_for_long(
    pair: Pair, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    """Both clocks are right; but only bravo was off, for three days."""
    machine.ahead_ns = -3 * DAY_NS
    await trust(pair).look()
    trust(pair).clock.confirm()  # three days ago
    await pair.bravo.stop()
    machine.ahead_ns = 0
    await pair.bravo.start()
    assert trust(pair).clock.is_doubted
    assert "3.0 days later than expected" in (trust(pair).problem or "")
    with caplog.at_level("INFO"):
        await trust(pair).look()
    assert not trust(pair).clock.is_doubted and trust(pair).problem is None
    assert "the clock of alpha confirms this machine's" in caplog.text
    assert not (await again(pair)).clock.is_doubted


@pytest.mark.parametrize("ahead_ns", [YEAR_NS, -YEAR_NS], ids=["ahead", "behind"])
async def test_a_peer_that_says_another_time_keeps_the_doubt(pair: Pair, machine: Machine, ahead_ns: int) -> None:
    await pair.bravo.stop()
    machine.ahead_ns = ahead_ns
    await pair.bravo.start()
    for _ in range(3):
        machine.passed_ns += RUN_NS
        await trust(pair).look()
        assert trust(pair).clock.is_doubted
        assert "a peer's clock disagrees" in (trust(pair).problem or "")
    # Its time starts over each time a peer says another one.
    await pair.alpha.stop()
    machine.passed_ns += RUN_NS - HOUR_NS
    await trust(pair).look()
    assert trust(pair).clock.is_doubted
    await pair.bravo.stop()
    machine.ahead_ns = 0
    await pair.bravo.start()
    assert trust(pair).problem is None and not trust(pair).clock.is_doubted


async def test_a_peer_that_doubts_its_own_clock_confirms_none(pair: Pair, machine: Machine, other: Machine) -> None:
    """Two gateways on one machine, or that ask one wrong server for the time."""
    await pair.bravo.stop()
    machine.ahead_ns = other.ahead_ns = YEAR_NS
    await pair.bravo.start()
    assert pair.alpha.gateway.services.clock_trust.clock.is_doubted
    await trust(pair).look()
    assert trust(pair).clock.is_doubted and trust(pair).contradicted == set()
    pair.alpha.gateway.services.clock_trust.clock.confirm()
    await trust(pair).look()
    assert not trust(pair).clock.is_doubted


@pytest.mark.parametrize("by_ns", [-AGREES_NS - 60 * 10**9, AGREES_NS + 60 * 10**9])
async def test_clocks_that_differ_by_more_than_an_hour_do_not_agree(pair: Pair, machine: Machine, by_ns: int) -> None:
    machine.ahead_ns = 3 * DAY_NS
    assert trust(pair).clock.is_doubted
    pair.alpha.gateway.services.clock_trust.clock.confirm()
    machine.ahead_ns = by_ns
    trust(pair).clock.begin(now_ns() - 3 * DAY_NS, 0)
    await trust(pair).look()
    assert trust(pair).clock.is_doubted
    machine.ahead_ns = by_ns // 2
    trust(pair).clock.begin(now_ns() - 3 * DAY_NS, 0)
    await trust(pair).look()
    assert not trust(pair).clock.is_doubted


@pytest.mark.parametrize("said", [10**30, -1, 2**63, True, "noon"])
async def test_a_time_that_makes_no_sense_counts_as_none(
    pair: Pair, machine: Machine, monkeypatch: pytest.MonkeyPatch, said: object
) -> None:
    async def hello(*_: object, **__: object) -> dict[str, object]:
        return {"now_ns": said}

    monkeypatch.setattr(Link, "ask", hello)
    machine.ahead_ns = YEAR_NS
    trust(pair).clock.begin(now_ns(), 0)
    await trust(pair).look()
    assert trust(pair).clock.is_doubted and trust(pair).contradicted == set()
    assert "disagrees" not in (trust(pair).problem or "")


async def test_without_a_peer_that_answers_a_long_time_ends_it_over_restarts(pair: Pair, machine: Machine) -> None:
    await pair.alpha.stop()
    await pair.bravo.stop()
    machine.ahead_ns = YEAR_NS
    await pair.bravo.start()
    for _ in range(7):
        await trust(pair).look()
        assert trust(pair).clock.is_doubted
        machine.passed_ns += DAY_NS - HOUR_NS // 2
        await again(pair)
    await trust(pair).look()
    assert trust(pair).clock.is_doubted
    machine.passed_ns += 4 * HOUR_NS
    await trust(pair).look()
    assert not trust(pair).clock.is_doubted and trust(pair).problem is None
    assert not (await again(pair)).clock.is_doubted


async def test_a_gateway_that_is_off_each_weekend_believes_its_clock_again(pair: Pair, machine: Machine) -> None:
    """No other clock is there. What it ran from Monday to Friday adds up, to seven days in the second week."""
    await pair.alpha.stop()
    believed = []
    for _ in range(4):
        await pair.bravo.stop()
        machine.ahead_ns += 2 * DAY_NS + 12 * HOUR_NS  # only the wall clock goes on meanwhile
        await pair.bravo.start()
        await trust(pair).look()
        assert trust(pair).clock.is_doubted
        for _ in range(4):
            machine.passed_ns += DAY_NS
            await trust(pair).look()
        believed.append(not trust(pair).clock.is_doubted)
    assert believed == [False, True, False, True]


async def test_a_crash_ends_no_doubt(pair: Pair, machine: Machine) -> None:
    """Without the note at the end of a run."""
    services = pair.bravo.gateway.services
    await services.clock_trust.look()
    machine.ahead_ns = YEAR_NS
    for _ in range(3):
        killed = ClockTrust(services.database, machine.clock(), services.peers, services.links)
        await killed.load()
        assert killed.clock.is_doubted
        machine.passed_ns += 2 * HOUR_NS
        assert killed.clock.is_doubted


async def test_a_replica_follows_the_leader(pair: Pair, machine: Machine) -> None:
    services = pair.bravo.gateway.services
    leader = services.clock_trust
    await leader.look()
    machine.ahead_ns = YEAR_NS
    replica = ClockTrust(services.database, machine.clock(), services.peers, services.links, lambda: False)
    await replica.look()
    assert replica.clock.is_doubted and leader.clock.is_doubted
    await leader.look()
    await replica.look()
    assert replica.clock.is_doubted
    leader.clock.confirm()
    await leader.look()
    await replica.look()
    assert not replica.clock.is_doubted
