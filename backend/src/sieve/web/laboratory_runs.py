"""Runs the quick experiments of the laboratory, one at a time, each in a process of its own with a low priority.

The process is the `sieve` command, and gets no setting or other secret of the gateway's environment. It computes, and
talks to itself over loopback.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from sieve.gateway.errors import Conflict
from sieve.gateway.runtime.child_environment import child_environment

Name = Literal["batching", "batch-rsa", "tls-split"]
State = Literal["not-run", "running", "done", "failed", "stopped"]
ARGUMENTS: Final[Mapping[Name, Sequence[str]]] = {
    "batching": ("batching", "--quick", "--rate", "1"),
    "batch-rsa": ("batch-rsa", "--quick"),
    # The smallest and the largest size show what the charts are about: whether the overhead grows with the document.
    "tls-split": ("tls-split", "--quick", "--gentle", "--size", "200", "--size", "2"),
}
COMMAND: Final = (sys.executable, "-m", "sieve.cli", "lab")
MOST_S: Final = 1800.0
_NICE: Final = 10
_REASON: Final = 300


@dataclass(slots=True)
class Run:
    """The last run of an experiment, or that in progress. `found`: what it printed. `reason`: why it failed."""

    state: State = "not-run"
    started_ns: int | None = None
    ended_ns: int | None = None
    found: Mapping[str, Any] | None = None
    reason: str | None = None


class Laboratory:
    """Keeps the last run of each experiment until the gateway stops."""

    def __init__(self, now_ns: Callable[[], int], command: Sequence[str] = COMMAND) -> None:
        self.runs: dict[Name, Run] = {name: Run() for name in ARGUMENTS}
        self._now_ns, self._command = now_ns, command
        self._task: asyncio.Task[None] | None = None

    def start(self, name: Name) -> None:
        """Starts it. Raises `Conflict` while one is running."""
        if self._task is not None and not self._task.done():
            raise Conflict("an experiment is running: stop it, or wait until it has ended")
        run = self.runs[name] = Run("running", self._now_ns())
        self._task = asyncio.create_task(self._run(name, run))

    async def stop(self) -> None:
        """Ends what is running, with all its processes."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        # A task that is cancelled before its first step never notices.
        for run in self.runs.values():
            if run.state == "running":
                run.state, run.ended_ns = "stopped", self._now_ns()

    async def _run(self, name: Name, run: Run) -> None:
        try:
            run.found = await self._answer(ARGUMENTS[name])
            run.state = "done"
        except (OSError, ValueError, TimeoutError, _Failed) as error:
            run.state, run.reason = "failed", str(error) or f"it took longer than {MOST_S / 60:g} minutes"
        run.ended_ns = self._now_ns()

    async def _answer(self, arguments: Sequence[str]) -> Mapping[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *arguments,
            "--json",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=child_environment(),
            start_new_session=True,
        )
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PGRP, process.pid, _NICE)
            async with asyncio.timeout(MOST_S):
                printed, complaint = await process.communicate()
        finally:
            # Its clients, too, which are in its group.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if process.returncode != 0:
            lines = complaint.decode(errors="replace").strip().splitlines()
            raise _Failed((lines[-1] if lines else "it ended without a word")[:_REASON])
        found = json.loads(printed)
        if not isinstance(found, dict):
            raise _Failed("it printed no answer")
        return found


class _Failed(Exception):
    """The message is for people."""
