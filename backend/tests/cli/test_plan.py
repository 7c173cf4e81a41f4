"""What `sieve plan` and `sieve send` print of a plan."""

from typing import Any

import pytest

from sieve.cli.plan import at_most, duration, plan_line

SIEVE = {"mode": "sieve", "secure_channels": 2, "plain_channels": 3}
SECURE = {"mode": "secure-only", "secure_channels": 1, "plain_channels": 0}


def estimate(**changes: Any) -> dict[str, Any]:
    return {"reason": "faster", "predicted_ms": 7.0, "other_ms": 12.4, "break_even": 0.934, "measured": True} | changes


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (
            SIEVE | {"estimate": estimate()},
            "sieve (2 secure, 3 plain): about 7.0 ms; secure-only: about 12 ms; "
            "sieve is faster if at most 93% is classified",
        ),
        (
            SECURE | {"estimate": estimate(reason="requested", break_even="never", measured=False)},
            "secure-only (1 secure), as requested: about 7.0 ms; sieve: about 12 ms; sieve is never faster; "
            "nothing has been sent to this gateway yet, so this is a rough estimate",
        ),
        (
            SECURE | {"estimate": estimate(reason="plain-failed", break_even="always")},
            "secure-only (1 secure), because the plain channel failed: about 7.0 ms; sieve: about 12 ms; "
            "sieve is always faster",
        ),
        (
            SIEVE | {"estimate": estimate(reason="measuring", break_even=1)},
            "sieve (2 secure, 3 plain), to measure how long it takes: about 7.0 ms; secure-only: about 12 ms; "
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
    ("share", "text"),
    [(0.003, "under 1%"), (0.01, "at most 1%"), (0.29, "at most 29%"), (0.996, "at most 99%"), (1, "at most 99%")],
)
def test_shares_for_people(share: float, text: str) -> None:
    assert at_most(share) == text
