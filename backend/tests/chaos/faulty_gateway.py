"""A gateway that reads from a folder how it is to fail.

- FOLDER/die-at: the step (see `chaos.steps`) at which it kills itself with SIGKILL.
- FOLDER/tell-at: the step at which it creates FOLDER/reached, before it goes on.
- FOLDER/steps: if the file exists, the gateway appends each step that it reaches.
- FOLDER/clock: seconds by which its wall clock is wrong; read at each look at the clock.

Files that are missing ask for nothing, so one start serves for the end of one trial and the way to the next.
"""

import asyncio
import functools
import importlib
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaos.steps import CALLS
from sieve.gateway.telemetry import timing_marks
from stories import forked


def run(folder: Path) -> int:
    """Runs the gateway in this process, which is for it alone: clock, timing marks and calls are replaced."""
    faults = _Faults(folder)
    faults.set_clock()
    faults.report_marks()
    faults.report_calls()
    return forked.gateway()


@dataclass(frozen=True)
class _Faults:
    folder: Path

    def set_clock(self) -> None:
        true_time_ns = time.time_ns
        time.time_ns = lambda: true_time_ns() + self._offset_ns()
        time.time = lambda: time.time_ns() / 1e9

    def _offset_ns(self) -> int:
        try:
            return int(float((self.folder / "clock").read_text()) * 1e9)
        except (FileNotFoundError, ValueError):  # no wrong clock, or one that is just being written
            return 0

    def report_marks(self) -> None:
        at = timing_marks.TimingMarks.at

        def reported(
            marks_: timing_marks.TimingMarks,
            name: timing_marks.TimingMarkName,
            channel: str = "",
            at_ns: int | None = None,
        ) -> None:
            at(marks_, name, channel, at_ns)
            self.reached(f"{name} {channel}".rstrip())

        # The gateway under trial reports its steps.
        timing_marks.TimingMarks.at = reported  # type: ignore[assignment, method-assign]  # replaced for the trial

    def report_calls(self) -> None:
        for name in CALLS:
            module, _, path = name.partition(":")
            *owners, last = path.split(".")
            owner = functools.reduce(getattr, owners, importlib.import_module(module))
            setattr(owner, last, self._reported(getattr(owner, last), name))

    def _reported(self, call: Callable[..., Any], name: str) -> Callable[..., Any]:
        if asyncio.iscoroutinefunction(call):

            @functools.wraps(call)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                self.reached(f"before {name}")
                result = await call(*args, **kwargs)
                self.reached(f"after {name}")
                return result

            return awaited

        @functools.wraps(call)
        def called(*args: Any, **kwargs: Any) -> Any:
            self.reached(f"before {name}")
            result = call(*args, **kwargs)
            self.reached(f"after {name}")
            return result

        return called

    def reached(self, step: str) -> None:
        """Does what the folder asks for at this step."""
        with suppress(FileNotFoundError), (self.folder / "steps").open("r+") as file:
            file.seek(0, os.SEEK_END)
            file.write(f"{step}\n")
        with suppress(FileNotFoundError):
            if (self.folder / "tell-at").read_text() == step:
                (self.folder / "reached").touch()
        with suppress(FileNotFoundError):
            if (self.folder / "die-at").read_text() == step:
                os.kill(os.getpid(), signal.SIGKILL)
