"""Announces changes to the open event streams of the people concerned, here and at the other replicas.

Invariant: an announcement names the person, the kind and the id of what changed, and nothing of its content; watchers
read the rows. Equal announcements are merged until they are read, and a watcher that falls too far behind is asked to
reload everything. So a slow watcher costs bounded memory, and announcing never waits.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["everything", "transfer", "inbox", "draft", "timings"]

MOST_WAITING: Final = 1000
"""Changes that wait for one watcher. With one more, `EVERYTHING` replaces them."""


class Change(NamedTuple):
    """A change of something of that kind, with its id if that is known."""

    kind: Kind
    id: str = ""


EVERYTHING: Final = Change("everything")


class Watcher:
    """The changes that one open stream has not sent yet. `EVERYTHING` comes first: earlier data may be out of date."""

    def __init__(self) -> None:
        self._waiting: dict[Change, None] = {EVERYTHING: None}
        self._news = asyncio.Event()
        self.closed = False

    def announce(self, change: Change) -> None:
        """Remembers a change, unless it waits already."""
        if change in self._waiting or EVERYTHING in self._waiting:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            change = EVERYTHING
        self._waiting[change] = None
        self._news.set()

    def close(self) -> None:
        """Ends the watcher: no more announcements follow."""
        self.closed = True
        self._news.set()

    def take(self, *, but: Kind | None = None) -> Change | None:
        """The change that has waited longest and is not of the kind `but`; None if there is none."""
        found = next((change for change in self._waiting if change.kind != but), None)
        if found is not None:
            del self._waiting[found]
        return found

    @property
    def waits(self) -> bool:
        """Whether there is anything to take."""
        return bool(self._waiting)

    async def wait(self, until: float) -> None:
        """Returns at the next new change, when this is closed, or at the loop's time `until`."""
        if self.closed:
            return
        self._news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await self._news.wait()


@dataclass(slots=True)
class Announcements:
    """The watchers of all people. Only for the event loop's thread. `tell`: tells the other replicas about a change."""

    watchers: dict[str, set[Watcher]] = field(default_factory=dict)
    tell: Callable[[str, Change], None] | None = None
    _closed: bool = False

    def transfer_changed(self, author_id: str, transfer_id: str) -> None:
        """A transfer of that author is new, or its state changed."""
        self._tell(author_id, Change("transfer", transfer_id))

    def inbox_changed(self, user_ids: Iterable[str]) -> None:
        """An entry in these people's inboxes arrived, was deleted, restored, or marked as read or unread."""
        for user_id in user_ids:
            self._tell(user_id, Change("inbox"))

    def draft_changed(self, owner_id: str, draft_id: str) -> None:
        """A draft of that author was created, saved, deleted or restored."""
        self._tell(owner_id, Change("draft", draft_id))

    def timings_changed(self, admin_ids: Iterable[str]) -> None:
        """There are new timings; only admins see them."""
        for user_id in admin_ids:
            self._tell(user_id, Change("timings"))

    def account_changed(self, user_id: str) -> None:
        """Their sign-ins, roles or clearance changed: streams without a valid sign-in end at once."""
        self._tell(user_id, EVERYTHING)

    @contextmanager
    def watching(self, user_id: str) -> Iterator[Watcher]:
        """A watcher of that person's changes, until the block ends."""
        watcher = Watcher()
        watchers = self.watchers.setdefault(user_id, set())
        watchers.add(watcher)
        if self._closed:
            watcher.close()
        try:
            yield watcher
        finally:
            watchers.discard(watcher)
            if not watchers and self.watchers.get(user_id) is watchers:
                del self.watchers[user_id]

    def close(self) -> None:
        """Ends all streams, now and later: the gateway is stopping."""
        self._closed = True
        for watchers in self.watchers.values():
            for watcher in watchers:
                watcher.close()

    def told(self, user_id: str, kind: Kind, of_id: str) -> None:
        """Another replica tells about a change."""
        self._announce(user_id, Change(kind, of_id))

    def missed(self) -> None:
        """Changes at other replicas may be missing: everybody reloads."""
        for user_id in self.watchers:
            self._announce(user_id, EVERYTHING)

    def _tell(self, user_id: str, change: Change) -> None:
        self._announce(user_id, change)
        if self.tell is not None:
            self.tell(user_id, change)

    def _announce(self, user_id: str, change: Change) -> None:
        for watcher in self.watchers.get(user_id, ()):
            watcher.announce(change)
