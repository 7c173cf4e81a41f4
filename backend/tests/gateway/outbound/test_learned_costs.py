"""What the planner learned is stored and read again; what is invalid is forgotten."""

import json
import math

import pytest
from hypothesis import given

from gateway.outbound.planner.simulated_peer import work
from gateway.outbound.planner.test_choice import habits
from gateway.outbound.planner.test_costs import SIEVE, after, histories
from sieve.gateway.outbound.learned_costs import Learned
from sieve.gateway.outbound.planner.choice import Habit
from sieve.gateway.outbound.planner.costs import NUMBERS, Costs, Way, Work


@given(histories, habits)
def test_what_is_stored_is_what_was_learned(history: list[tuple[Work, Way, float]], habit: Habit) -> None:
    learned = Learned(after(history), habit)
    assert Learned.from_json(learned.to_json()) == learned


@pytest.mark.parametrize(
    "change",
    [
        {"costs": {"v": 2}},
        {"costs": {"means": [1.0]}},
        {"costs": {"means": None}},
        {"costs": {"covariance": [[1.0]]}},
        {"costs": {"seen": "many"}},
        {"costs": {"plain_setup_ms": math.inf}},
        {"costs": {"means": [math.nan] * NUMBERS}},
        {"costs": {"means": [-1.0] * NUMBERS}},
        {"habit": {"mode": "fast"}},
        {"habit": {"allowance": -0.1}},
        {"habit": {"dear": "x"}},
    ],
)
def test_what_another_version_stored_is_forgotten(change: dict[str, dict[str, object]]) -> None:
    stored = json.loads(Learned(Costs().learn(work(1, 0.5), SIEVE, 100.0), Habit("sieve", 0.1, 1.0)).to_json())
    changed = {name: part | change.get(name, {}) for name, part in stored.items()}
    assert Learned.from_json(json.dumps(changed)) == Learned()


@pytest.mark.parametrize("text", ["", "[]", '{"costs": 1}', '{"costs": {}, "habit": null}'])
def test_nonsense_is_nothing_learned(text: str) -> None:
    assert Learned.from_json(text) == Learned()
