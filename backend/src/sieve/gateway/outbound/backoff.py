"""When to try again: exponential backoff with full jitter, so that many senders to one sick peer spread out."""

from collections.abc import Callable


def backoff_s(tries: int, first_s: float, cap_s: float, draw: Callable[[], float]) -> float:
    """Seconds to wait after `tries` failed attempts (1 or more); `draw` gives a number in [0, 1).

    Full jitter: between 0 and `first_s`, doubled with each try, at most `cap_s`.
    """
    # 2**62 s is beyond every cap; the exponent is bounded so that a long-lived transfer cannot overflow a float.
    ceiling = min(cap_s, first_s * 2.0 ** min(tries - 1, 62))
    return ceiling * draw()
