"""When a clock may be wrong: how far it may be from what is expected of it."""

from typing import Final

GAP_NS: Final = 24 * 3600 * 1_000_000_000
"""A clock that differs by more may be wrong, or the gateway was off for so long: only another clock can tell."""


def is_far(now_ns: int, expected_ns: int) -> bool:
    """Whether a clock that reads `now_ns` may be wrong, where one that was right would read about `expected_ns`."""
    return abs(now_ns - expected_ns) > GAP_NS
