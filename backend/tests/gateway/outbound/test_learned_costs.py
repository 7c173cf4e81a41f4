"""What the planner learned is stored and read again; what is invalid is forgotten."""

import json
import math
from typing import Any

import pytest
from hypothesis import given

from gateway.outbound.planner.simulated_peer import work
from gateway.outbound.planner.test_choice import modes
from gateway.outbound.planner.test_costs import SIEVE, after, histories
from sieve.channel.attempt import Mode
from sieve.gateway.outbound.learned_costs import Learned
from sieve.gateway.outbound.planner.costs import NUMBERS, Costs, Way, Work
from sieve.gateway.outbound.planner.forecasts import Record


@given(histories, modes)
def test_what_is_stored_is_what_was_learned(history: list[tuple[Work, Way, float]], last: Mode | None) -> None:
    learned = Learned(after(history), last, Record((True, False), 12.5))
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
        {"last": "fast"},
        {"record": {"good": [1, 2]}},
        {"record": {"good": [True] * 21}},
        {"record": {"beside_ms": 0.0}},
    ],
)
def test_what_another_version_stored_is_forgotten(change: dict[str, Any]) -> None:
    stored = json.loads(Learned(Costs().learn(work(1, 0.5), SIEVE, 100.0), "sieve").to_json())
    for name, part in change.items():
        stored[name] = stored[name] | part if isinstance(part, dict) else part
    assert Learned.from_json(json.dumps(stored)) == Learned()


@pytest.mark.parametrize("text", ["", "[]", '{"costs": 1}', '{"costs": {}, "record": null}'])
def test_nonsense_is_nothing_learned(text: str) -> None:
    assert Learned.from_json(text) == Learned()
