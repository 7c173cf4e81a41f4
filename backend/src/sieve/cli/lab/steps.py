"""The steps of an experiment, one after the other, with a bar on a terminal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@dataclass(frozen=True, slots=True)
class Step:
    """`name`: for the bar. `result`: under which its findings are collected."""

    name: str
    result: str
    run: Callable[[], Any]


def run(steps: Sequence[Step], console: Console | None = None) -> Iterator[tuple[Step, Any]]:
    """Runs each step; yields it with what it found."""
    console = console or Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as progress:
        bar = progress.add_task("", total=len(steps))
        for step in steps:
            progress.update(bar, description=step.name)
            yield step, step.run()
            progress.advance(bar)
