"""Raw samples: one JSON object a line, appended as they are taken, never changed. `is` says what a line holds, `at_s`
how many seconds after the run's beginning it was written."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Sample = dict[str, Any]


class RawFile:
    """The file of one run; each line is flushed, so that a run that is broken off keeps what it measured."""

    def __init__(self, results: Path, form: str) -> None:
        folder = results / "raw"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{form}.jsonl"
        self._out = self.path.open("x")
        self._began = time.monotonic()

    def add(self, kind: str, **values: Any) -> None:
        """Appends one sample."""
        at_s = round(time.monotonic() - self._began, 3)
        self._out.write(json.dumps({"is": kind, "at_s": at_s, **values}) + "\n")
        self._out.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.close()


def read(path: Path) -> Iterator[Sample]:
    """The samples of a run, in the order in which they were taken."""
    with path.open() as lines:
        for line in lines:
            yield json.loads(line)


def latest(results: Path) -> Path:
    """The newest raw file.

    Raises:
        FileNotFoundError: nothing was measured yet.
    """
    found = sorted((results / "raw").glob("*.jsonl"))
    if not found:
        raise FileNotFoundError(f"{results / 'raw'} holds no samples; measure first: python -m benchmarks run")
    return found[-1]
