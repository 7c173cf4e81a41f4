"""Progress bars for the channels; only on a terminal."""

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn


class ChannelBars:
    """One bar for each channel on stderr, driven by the gateway's progress events."""

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
        self._bars: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, line: str) -> None:
        """Prints a line on stderr, above the bars."""
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, event: dict[str, Any]) -> None:
        """Shows one progress event."""
        for channel in event["channels"]:
            name = f"{channel['kind']:6} {channel['number'] + 1}"
            if name not in self._bars:
                self._bars[name] = self._progress.add_task(name, total=None)
            self._progress.update(self._bars[name], completed=channel["sent"], total=channel["total"])
