"""The bounds of probes: random bytes that a gateway sends to a peer to measure both channels."""

from typing import Final

MAX_PROBE: Final = 1024 * 1024
"""The most bytes of a probe on each channel."""
BUDGET: Final = 8 * 1024 * 1024
BUDGET_S: Final = 600.0
"""The most bytes of all probes of one peer that a receiver takes within this time."""
PROBE_S: Final = 20.0
"""How long a probe may take."""
