"""Both channels' progress on a terminal; nothing anywhere else."""

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn


class ChannelBars:
    """Two bars on stderr, fed with the gateway's progress events."""

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._secure = self._bar("secure")
        self._plain = self._bar("plain ")

    def _bar(self, name: str) -> TaskID:
        return self._progress.add_task(name, total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, event: dict[str, Any]) -> None:
        """Shows one progress event."""
        for bar, name in ((self._secure, "secure"), (self._plain, "plain")):
            total = event[f"{name}_total"]
            self._progress.update(bar, completed=event[f"{name}_sent"], total=total or None)
