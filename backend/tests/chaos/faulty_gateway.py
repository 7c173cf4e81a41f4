"""A gateway that reads from a folder how it is to fail: python faulty_gateway.py FOLDER

- FOLDER/die-at: the step (see `chaos.steps`) at which it kills itself with SIGKILL.
- FOLDER/tell-at: the step at which it creates FOLDER/reached, before it goes on.
- FOLDER/clock: seconds by which its wall clock is wrong; read at each look at the clock.

Files that are missing ask for nothing, so one start serves for the end of one trial and the way to the next.
"""

import asyncio
import functools
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
_true_time_ns = time.time_ns


def _offset_ns() -> int:
    try:
        return int(float((FOLDER / "clock").read_text()) * 1e9)
    except (FileNotFoundError, ValueError):  # no wrong clock, or one that is just being written
        return 0


# Before the gateway's modules take these names.
time.time_ns = lambda: _true_time_ns() + _offset_ns()
time.time = lambda: time.time_ns() / 1e9

from chaos.steps import CALLS  # noqa: E402 -- after the clock
from sieve import config, main  # noqa: E402 -- after the clock
from sieve.gateway import marks  # noqa: E402 -- after the clock


def reached(step: str) -> None:
    """Does what the folder asks for at this step."""
    with suppress(FileNotFoundError):
        if (FOLDER / "tell-at").read_text() == step:
            (FOLDER / "reached").touch()
    with suppress(FileNotFoundError):
        if (FOLDER / "die-at").read_text() == step:
            os.kill(os.getpid(), signal.SIGKILL)


def _report_marks() -> None:
    at = marks.Marks.at

    def reported(self: marks.Marks, name: marks.MarkName, channel: str = "", at_ns: int | None = None) -> None:
        at(self, name, channel, at_ns)
        reached(f"{name} {channel}".rstrip())

    marks.Marks.at = reported  # type: ignore[method-assign]  # the gateway under trial reports its steps


def _reported(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    if asyncio.iscoroutinefunction(call):

        @functools.wraps(call)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            reached(f"before {name}")
            result = await call(*args, **kwargs)
            reached(f"after {name}")
            return result

        return awaited

    @functools.wraps(call)
    def called(*args: Any, **kwargs: Any) -> Any:
        reached(f"before {name}")
        result = call(*args, **kwargs)
        reached(f"after {name}")
        return result

    return called


def _report_calls() -> None:
    for name in CALLS:
        module, _, path = name.partition(":")
        *owners, last = path.split(".")
        owner = functools.reduce(getattr, owners, importlib.import_module(module))
        setattr(owner, last, _reported(getattr(owner, last), name))


if __name__ == "__main__":
    _report_marks()
    _report_calls()
    sys.exit(main.run(config.load))
