"""What `sieve lab tls-split` found, as the page shows it."""

from collections.abc import Iterator, Mapping
from typing import Any

from sieve.lab.tls_split.comparison import DIRECT, THESIS, Measured
from sieve.lab.tls_split.printed_tables import INITIATION, RESUMPTION, SIZES_KB, increase_percent
from sieve.web.laboratory.schemas import Overhead, TlsSplitFound


def tls_split_found(found: Mapping[str, Any]) -> TlsSplitFound:
    """Each duration beside one process, over all numbers of clients that were measured.

    Raises:
        LookupError: it is not what the command prints.
    """
    measured = Measured(found)
    return TlsSplitFound(clients=measured.loads, overheads=list(_overheads(measured)))


def _overheads(measured: Measured) -> Iterator[Overhead]:
    # What one process takes is nothing in percent.
    for table, name in ((INITIATION, "initiation"), (RESUMPTION, "resumption"), (None, "processor")):
        for size_kb in measured.sizes_kb:
            through, direct = (measured.overhead(design, f"{name}_ms", size_kb) for design in (THESIS, DIRECT))
            if through is None or direct is None:
                continue
            printed = None
            if table and size_kb in SIZES_KB:
                printed = increase_percent(*table.averages[SIZES_KB.index(size_kb)])
            yield Overhead.model_validate(
                {
                    "duration": name,
                    "size_kb": size_kb,
                    "printed": printed,
                    "through_handler": through.value,
                    "through_handler_ci95": through.ci95,
                    "direct": direct.value,
                    "direct_ci95": direct.ci95,
                }
            )
