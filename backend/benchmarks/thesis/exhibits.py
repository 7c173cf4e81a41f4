"""All figures and tables, in the thesis's order, and the union of their cases."""

from benchmarks.cases import PROPORTIONS, SIZES_MB, Case, case
from benchmarks.thesis import batches, many_channels, one_channel, wireless

EXHIBITS = (*one_channel.EXHIBITS, *wireless.EXHIBITS, *many_channels.EXHIBITS, *batches.EXHIBITS)

AUTO = tuple(case("channels", x, p, "auto") for x in SIZES_MB for p in PROPORTIONS)
"""The planner's choice beside both modes, at every x and P: a target of ours, in no figure of the thesis."""
BASE = tuple(case("channels", x, p, mode) for x in SIZES_MB for p in PROPORTIONS for mode in ("sieve", "secure-only"))


def cases() -> tuple[Case, ...]:
    """Everything that is measured or worked out, each once."""
    return tuple(dict.fromkeys([*BASE, *AUTO, *(case for exhibit in EXHIBITS for case in exhibit.cases())]))
