"""The latest progress of each transfer, for its watchers here and at the other replicas. In memory only; the rows are
authoritative."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal, Self, TypeAlias

from sieve.gateway.telemetry.announcements import Announcements

KEPT = 1000
TOLD_EVERY_S: Final = 0.5
"""How often other replicas hear of the bytes of a transfer."""

ChannelKind: TypeAlias = Literal["secure", "plain"]


@dataclass(frozen=True, slots=True)
class ChannelProgress:
    """The progress of one channel's sub-stream, in bytes, including those that another channel carried."""

    kind: ChannelKind
    number: int
    sent: int
    total: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of one transfer; sizes in bytes. `verified`: every byte has arrived, the receipt has not."""

    transfer_id: str
    state: str
    secure_sent: int = 0
    secure_total: int = 0
    plain_sent: int = 0
    plain_total: int = 0
    verified: bool = False
    reason: str | None = None
    next_try_at_ns: int | None = None
    channels: tuple[ChannelProgress, ...] = ()

    def carried(self, at: int, size: int) -> Self:
        """The progress after `size` more bytes of the channel with index `at`."""
        channel = self.channels[at]
        more = min(size, channel.total - channel.sent)  # bytes that are sent again do not count
        moved = replace(channel, sent=channel.sent + more)
        return replace(
            self,
            secure_sent=self.secure_sent + (more if channel.kind == "secure" else 0),
            plain_sent=self.plain_sent + (more if channel.kind == "plain" else 0),
            channels=(*self.channels[:at], moved, *self.channels[at + 1 :]),
        )


@dataclass(slots=True)
class ProgressBus:
    """Gives watchers of a transfer its latest progress; a slow watcher skips what it missed. `tell`: tells the other
    replicas."""

    announcements: Announcements = field(default_factory=Announcements)
    tell: Callable[[dict[str, Any]], None] | None = None
    _told_at: dict[str, float] = field(default_factory=dict)
    _latest: dict[str, Progress] = field(default_factory=dict)
    watchers: dict[str, set[asyncio.Event]] = field(default_factory=dict)
    _closed: bool = False

    def latest(self, transfer_id: str) -> Progress | None:
        """The latest progress of a transfer that was under way since the gateway started."""
        return self._latest.get(transfer_id)

    def publish(self, progress: Progress, author_id: str | None = None) -> None:
        """Publishes the transfer's progress, also to its author's event streams if the author is given."""
        self._publish(progress)
        if self.tell is not None:
            self._tell_others(self.tell, progress)
        if author_id is not None:
            self.announcements.transfer_changed(author_id, progress.transfer_id)

    def told(self, progress: dict[str, Any]) -> None:
        """Another replica tells the progress of a transfer."""
        channels = tuple(ChannelProgress(**channel) for channel in progress.pop("channels"))
        self._publish(Progress(**progress, channels=channels))

    def _tell_others(self, tell: Callable[[dict[str, Any]], None], progress: Progress) -> None:
        now = time.monotonic()
        if progress.state != "sending":
            self._told_at.pop(progress.transfer_id, None)
        elif now - self._told_at.get(progress.transfer_id, 0.0) < TOLD_EVERY_S:
            return
        else:
            self._told_at[progress.transfer_id] = now
        tell(asdict(progress))

    def _publish(self, progress: Progress) -> None:
        self._latest.pop(progress.transfer_id, None)
        self._latest[progress.transfer_id] = progress
        while len(self._latest) > KEPT:
            del self._latest[next(iter(self._latest))]
        for watcher in self.watchers.get(progress.transfer_id, ()):
            watcher.set()

    def close(self) -> None:
        """Ends all watching, now and later: the gateway is stopping."""
        self._closed = True
        for watchers in self.watchers.values():
            for watcher in watchers:
                watcher.set()

    async def watch(self, transfer_id: str) -> AsyncIterator[Progress]:
        """The latest progress at once, then each change, until the gateway stops."""
        changed = asyncio.Event()
        watchers = self.watchers.setdefault(transfer_id, set())
        watchers.add(changed)
        try:
            sent: Progress | None = None
            while not self._closed:
                latest = self._latest.get(transfer_id)
                if latest is not None and latest != sent:
                    sent = latest
                    yield latest
                    continue
                changed.clear()
                await changed.wait()
        finally:
            watchers.discard(changed)
            if not watchers:
                self.watchers.pop(transfer_id, None)
