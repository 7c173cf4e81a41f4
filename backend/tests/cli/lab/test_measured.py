"""The measurement of arrivals, on a gateway that is made up: a queue with two servers and known service times."""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sieve import demo
from sieve.channel.attempt import Mode
from sieve.cli import main
from sieve.cli.lab import measured
from sieve.cli.lab.measured import Measured, Plan, Ran, ServiceTimes, Simulation, Step, measure, to_json
from sieve.cli.lab.open_loop import Due, Sent
from sieve.lab.arrivals import Policy, figures, poisson_times, simulate
from sieve.lab.not_enough_data import NotEnoughData

SERVERS = 2
PLAN = Plan(seconds=2.0, services=4)


def service_s(batch: int) -> float:
    return 0.020 + 0.005 * (batch - 1)


class MadeUp:
    """What `measure` uses of two gateways. With the planner's settings it takes what waits."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.alone = bool(settings)
        self.sent: list[tuple[Mode, int, tuple[float, ...]]] = []

    def run(self, mode: Mode, batch: int, arrived_s: Sequence[float]) -> Ran:
        self.sent.append((mode, batch, tuple(arrived_s)))
        policy = Policy(batch, SERVERS) if self.alone else Policy(4, SERVERS, longest_wait_s=0.0)
        return Ran(simulate(arrived_s, lambda each, _: service_s(each), policy, random.Random(0)), 0, batch)


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[MadeUp]:
    found: list[MadeUp] = []

    @contextmanager
    def paired(folder: Path, identities: Path, settings: dict[str, str], plan: Plan) -> Iterator[MadeUp]:
        found.append(MadeUp(settings))
        yield found[-1]

    monkeypatch.setattr(measured, "paired", paired)  # it would start two gateways
    monkeypatch.setattr(demo, "make_identities", lambda folder: None)
    return found


def test_each_mode_and_batch_gets_the_same_arrivals(pairs: list[MadeUp]) -> None:
    found = measure(PLAN, lambda _: None)
    assert found.plan.loads == (0.25, 0.5, 1.0, 1.5)
    rates = [step.rate_per_s for step in found.steps if step.batching == "planner" and step.mode == "sieve"]
    # One server needs 20 ms for a document: 50 a second.
    assert rates == [12.0, 25.0, 50.0, 75.0]
    for rate in rates:
        steps = [step for step in found.steps if step.rate_per_s == rate]
        assert len(steps) == 2 * (len(PLAN.batches) + 1)
        assert len({tuple(step.arrived_s) for step in steps}) == 1
        assert len(steps[0].arrived_s) == max(40, 10 * round(rate * PLAN.seconds / 10))
    assert {batch for _, batch, _ in pairs[0].sent} == set(PLAN.batches)
    assert {batch for _, batch, _ in pairs[1].sent} == {1}


def test_the_simulation_finds_the_servers_and_agrees_with_what_was_measured(pairs: list[MadeUp]) -> None:
    found = measure(replace(PLAN, loads=(0.5, 1.5), seconds=0.5), lambda _: None)
    simulation = Simulation(found)
    for mode, fit in simulation.fitted.items():
        assert (fit.mode, fit.servers) == (mode, SERVERS)
        assert fit.relative_rms < 1e-9 < fit.relative_rms_one_server
        assert not isinstance(fit.demand, NotEnoughData)
    for each in simulation.compared():
        assert each.servers is not None and each.one_server is not None
        mean_s = each.step.measured.mean_turnaround_s
        assert each.servers.mean_turnaround_s.value == pytest.approx(mean_s)
        assert each.one_server.mean_turnaround_s.value >= mean_s - 1e-9


def test_planners_batches_of_unknown_service_times_are_not_simulated() -> None:
    arrived_s = poisson_times(50.0, 40, random.Random(1))
    run = simulate(arrived_s, lambda _, __: 0.02, Policy(), random.Random(0))
    steps = [
        Step("sieve", "full", 1, 50.0, arrived_s, figures(run), 0, 1.0),
        Step("sieve", "planner", 1, 50.0, arrived_s, figures(run), 0, 1.0),
        Step("secure-only", "full", 1, 50.0, arrived_s, figures(run), 0, 1.0),
    ]
    services = [ServiceTimes(mode, 1, [20.0] * 12) for mode in ("sieve", "secure-only")]
    full, planner, _ = Simulation(Measured(PLAN, 0.5, services, steps)).compared()
    assert full.servers is not None
    assert planner.servers is None
    assert to_json(Measured(PLAN, 0.5, services, steps))["steps"][1]["simulated"] is None


def test_the_command_prints_the_same_as_json_and_as_a_table(
    pairs: list[MadeUp], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["lab", "arrivals", "--seconds", "0.5", "--batch", "1", "--batch", "4", "--load", "0.5"]
    assert main([*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["mean_ms"] for each in found["services"]] == [20, 35, 20, 35]
    assert {each["servers"] for each in found["fitted"]} == {SERVERS}
    assert len(found["steps"]) == 6
    assert main(options) == 0
    table = capsys.readouterr().out
    step = found["steps"][0]
    assert f"25\tsieve\t1\t{step['requests']}\t{step['measured']['mean_ms']:.0f}\t" in table
    assert "planner's 1.0" in table


@pytest.mark.parametrize(
    ("option", "said"),
    [(("--batch", "33"), "--batch must be at most 32"), (("--load", "0"), "--load must be more than 0")],
)
def test_silly_options_are_refused(option: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "arrivals", *option]) == 2
    assert said in capsys.readouterr().err


def test_documents_of_a_refused_batch_have_no_arrival() -> None:
    due = [Due(1.0, b""), Due(2.0, b""), Due(3.0, b"")]
    sent = Sent(due, 0.0, [{"transfers": [{"id": "a"}, {"id": "b"}]}, None, {"id": "e"}])
    found = list(measured.arrivals_of(sent, [[0.5, 1.0], [1.5, 2.0], [3.0]]))
    assert found == [("a", 0.5), ("b", 1.0), ("e", 3.0)]
