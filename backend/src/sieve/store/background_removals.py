"""Removes objects from a store in the background: nobody who deletes a document waits for the store."""

import logging
import threading
from collections.abc import Callable
from typing import Final

log = logging.getLogger(__name__)

_AT_ONCE: Final = 1000
_AGAIN_S: Final = 15.0
_LAST_S: Final = 5.0


class Removals:
    """The objects to remove. What a process that ends leaves behind, no row names: the cleaning finds it."""

    def __init__(self, remove: Callable[[list[str]], None], again_s: float = _AGAIN_S) -> None:
        """`remove`: removes these objects, or raises OSError. `again_s`: how long to wait after a failure."""
        self._remove, self._again_s = remove, again_s
        self._waiting: dict[str, None] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, name: str) -> None:
        """Removes this object soon. Does not block."""
        with self._changed:
            self._waiting[name] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="s3-removals", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def has(self, name: str) -> bool:
        """Whether it is still to be removed."""
        with self._changed:
            return name in self._waiting

    def close(self, patience_s: float = _LAST_S) -> None:
        """Waits until everything is removed, but not for long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, patience_s)
            self._closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                names = list(self._waiting)[:_AT_ONCE]
            try:
                self._remove(names)
            except OSError as error:
                log.warning("deleted documents are not removed from the store yet: %s", error.strerror)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, self._again_s)
                continue
            with self._changed:
                for name in names:
                    self._waiting.pop(name, None)
                self._changed.notify_all()
