"""Ctrl-C that waits until an answer is there: what was asked for meanwhile could not be taken back unseen."""

import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Self


class CtrlC:
    """A block in which Ctrl-C waits from `wait` on: it counts at the end of the block, a second one at once.

    Where Ctrl-C does not interrupt, as in a script's background, nothing changes.
    """

    def __init__(self) -> None:
        self._is_ours = self._came = False

    def __enter__(self) -> Self:
        return self

    def wait(self) -> None:
        """From here on it waits."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._is_ours = True

    def after(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces; once all of them are taken, it waits."""
        yield from pieces
        self.wait()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        self._give_back()

    def _give_back(self) -> None:
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_ours = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()
        if self._came and error is None:
            raise KeyboardInterrupt
