"""A file of measured rows: CSV with a heading, or a JSON list of objects, with the same names.

Each row is of `transfers` alike: `mode`, `size_bytes` and `classified_share` of one document, `secure_channels`,
`plain_channels` and `batch` (documents together), and how long they took: `service_ms` without any queue,
`response_ms` at `arrival_rate_per_s`, or both.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sieve.channel.attempt import MODES
from sieve.cli.errors import BadInput
from sieve.cli.files import display_name, read_source
from sieve.lab.demand import MeasuredService, Work
from sieve.lab.errors import LabError
from sieve.lab.queueing import MeasuredPoint

NEEDED: Final = ("mode", "size_bytes", "classified_share")
COUNTS: Final = {"secure_channels": 1, "plain_channels": 1, "batch": 1, "transfers": 1}
MOST: Final = 10**12
TIMES: Final = ("service_ms", "arrival_rate_per_s", "response_ms")


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One row. `service` and `point` are not both None. A point of batches counts batches."""

    work: Work
    service: MeasuredService | None
    point: MeasuredPoint | None


def read_rows(source: str) -> Sequence[MeasuredRow]:
    """The rows of a file; `-` is standard input.

    Raises:
        BadInput: the file cannot be read, or a row is not valid; the message names the row.
    """
    name = display_name(source)
    try:
        text = read_source(source).decode("utf-8-sig")
        found = json.loads(text) if text.lstrip().startswith("[") else list(csv.DictReader(io.StringIO(text)))
    except (ValueError, RecursionError, csv.Error) as error:
        raise BadInput(f"{name} is neither CSV in UTF-8 nor a JSON list: {error}") from error
    rows = []
    for number, row in enumerate(found, 1):
        try:
            rows.append(_row(row))
        except LabError as error:
            raise BadInput(f"{name}, row {number}: {error}") from error
    if not rows:
        raise BadInput(f"{name} has no rows; each needs {', '.join(NEEDED)} and service_ms or a rate and response_ms")
    return rows


def _row(row: Any) -> MeasuredRow:
    if not isinstance(row, Mapping):
        raise LabError("a row must be an object with names and values")
    if None in row:  # where `csv` keeps the cells beyond the heading
        raise LabError("it has more cells than there are columns")
    # A CSV file has empty cells where JSON has none.
    cells = {name: value for name, value in row.items() if value not in ("", None)}
    unknown = [name for name in cells if name not in (*NEEDED, *COUNTS, *TIMES)]
    if unknown:
        raise LabError(f"{unknown[0]} is not a known column; known are {', '.join((*NEEDED, *COUNTS, *TIMES))}")
    missing = [name for name in NEEDED if name not in cells]
    if missing:
        raise LabError(f"{missing[0]} is missing")
    if cells["mode"] not in MODES:
        raise LabError(f"a mode is sieve or secure-only, not {cells['mode']}")
    counts = {name: _count(name, cells.get(name, default)) for name, default in COUNTS.items()}
    transfers = counts.pop("transfers")
    work = Work(cells["mode"], _number("size_bytes", cells), _number("classified_share", cells), **counts)
    service = MeasuredService(work, _number("service_ms", cells), transfers) if "service_ms" in cells else None
    point = None
    if "response_ms" in cells:
        if "arrival_rate_per_s" not in cells:
            raise LabError("response_ms needs the arrival_rate_per_s at which it was measured")
        point = MeasuredPoint(_number("arrival_rate_per_s", cells), _number("response_ms", cells), transfers)
    if service is None and point is None:
        raise LabError("service_ms, or arrival_rate_per_s and response_ms, are missing")
    return MeasuredRow(work, service, point)


def _number(name: str, cells: Mapping[str, Any]) -> float:
    try:
        return float(cells[name])
    except (TypeError, ValueError):
        raise LabError(f"{name} must be a number, not {cells[name]}") from None


def _count(name: str, value: Any) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.5
    if not (1 <= number <= MOST and number == int(number)):
        raise LabError(f"{name} must be a whole number from 1 to {MOST:,}, not {value}")
    return int(number)
