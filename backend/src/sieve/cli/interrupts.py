"""Ctrl-C that waits for an answer: a request that the gateway has carried out must not go unnoticed."""

import signal
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Self


class DeferredInterrupt:
    """A block in which Ctrl-C is deferred from `defer` to the end of the block; a second Ctrl-C interrupts at once.

    Where Ctrl-C does not interrupt, as in a script's background, nothing changes.
    """

    def __init__(self) -> None:
        self._is_deferring = self._interrupted = False

    def __enter__(self) -> Self:
        return self

    def defer(self) -> None:
        """Defers Ctrl-C from now on."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._is_deferring = True

    def defer_after(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yields the pieces, then defers Ctrl-C."""
        yield from pieces
        self.defer()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._interrupted = True
        self._restore()

    def _restore(self) -> None:
        if self._is_deferring:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_deferring = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self._interrupted and error is None:
            raise KeyboardInterrupt
