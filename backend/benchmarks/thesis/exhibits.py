"""All figures and tables, in the thesis's order, and the union of their cases."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.cases import PROPORTIONS, SIZES_MB, Case, case
from benchmarks.thesis import batches, many_channels, one_channel, wireless
from benchmarks.thesis.decisions import is_open
from benchmarks.thesis.readings import Rows

EXHIBITS = (*one_channel.EXHIBITS, *wireless.EXHIBITS, *many_channels.EXHIBITS, *batches.EXHIBITS)

AUTO = tuple(case("channels", x, p, "auto") for x in SIZES_MB for p in PROPORTIONS)
"""The planner's choice beside both modes, at every x and P: a target of ours, in no figure of the thesis."""
BASE = tuple(case("channels", x, p, mode) for x in SIZES_MB for p in PROPORTIONS for mode in ("sieve", "secure-only"))


def cases() -> tuple[Case, ...]:
    """Everything that is measured or worked out, each once."""
    return tuple(dict.fromkeys([*BASE, *AUTO, *(case for exhibit in EXHIBITS for case in exhibit.cases())]))


def undecided(looks: Sequence[Rows]) -> tuple[Case, ...]:
    """What is measured for the claims that a run has not decided after these looks, each case once."""
    found: list[Case] = []
    for exhibit in EXHIBITS:
        for claim in exhibit.claims:
            evidence = [claim.check(exhibit, rows) for rows in looks]
            if is_open(evidence):
                found += evidence[-1].cases
    return tuple(
        dict.fromkeys(
            replace(case, emulated=None, ap_ms_per_mb=0.0) if not case.is_measured else case for case in found
        )
    )
