"""What `sieve plan` and `sieve send` print of a plan."""

from typing import Any

import pytest

from sieve.cli.plan import at_most, duration, plan_line, roughly

SIEVE = {"mode": "sieve", "secure_channels": 2, "plain_channels": 3}
SECURE = {"mode": "secure-only", "secure_channels": 1, "plain_channels": 0}


def estimate(**changes: Any) -> dict[str, Any]:
    found = {"reason": "faster", "predicted_ms": 7.0, "other_ms": 12.4, "break_even": 0.934, "measured": True}
    return found | {"expected_ms": 60.0} | changes


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (
            SIEVE | {"estimate": estimate()},
            "sieve (2 secure, 3 plain): under a second; sieve is faster if at most 93% is classified",
        ),
        (
            SECURE | {"estimate": estimate(reason="requested", expected_ms=None)},
            "secure-only (1 secure), as requested; there is no reliable estimate yet of how long it takes",
        ),
        (
            SECURE | {"estimate": estimate(reason="plain-failed", break_even="always", expected_ms=7400.0)},
            "secure-only (1 secure), because the plain channel failed: about 7 s; sieve is always faster",
        ),
        (
            SECURE | {"estimate": estimate(reason="as-estimated", break_even=1)},
            "secure-only (1 secure), as estimated before sending: under a second; "
            "sieve is faster if at most 99% is classified",
        ),
    ],
)
def test_a_plan_is_one_line(plan: dict[str, Any], line: str) -> None:
    assert plan_line(plan) == line


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0.04, "0.0 ms"),
        (7.24, "7.2 ms"),
        (9.96, "10 ms"),
        (12.4, "12 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (84_000, "84 s"),
    ],
)
def test_times_for_people(ms: float, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (999, "under a second"),
        (1400, "about 1 s"),
        (23_000, "about 25 s"),
        (59_000, "about a minute"),
        (118_000, "about 2 minutes"),
        (3_600_000, "about an hour"),
        (9_100_000, "about 3 hours"),
    ],
)
def test_estimates_in_words(ms: float, words: str) -> None:
    assert roughly(ms) == words


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.003, "under 1%"), (0.01, "at most 1%"), (0.29, "at most 29%"), (0.996, "at most 99%"), (1, "at most 99%")],
)
def test_shares_for_people(share: float, text: str) -> None:
    assert at_most(share) == text
