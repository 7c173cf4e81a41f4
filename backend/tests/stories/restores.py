"""What stories of backups share: the work of an author meanwhile, copies of folders, and what must hold afterwards."""

import asyncio
import itertools
import random
import shutil
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx

from sieve import demo
from stories.pair import PATIENCE_S

SIZES: Final = (100, 60_000, 400_000)
DRAFT: Final = 60_000
"""Bytes, about: more than a row holds."""
KEPT: Final = 6
"""So many documents the author keeps; the oldest one that arrived goes."""


@dataclass(frozen=True)
class Sent:
    """A document that the gateway accepted, and its bytes without marks."""

    document: str
    content: bytes


@dataclass
class Work:
    """An author sends documents one after the other, saves a draft in between, and removes old documents."""

    author: httpx.AsyncClient
    accepted: dict[str, Sent] = field(default_factory=dict)
    """By the transfer."""
    removed: set[str] = field(default_factory=set)
    """The documents that the author removed."""
    draft: str = ""
    saves: dict[int, bytes] = field(default_factory=dict)
    """What the gateway answered with 200 to, by the revision."""
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def run(self) -> None:
        draw = random.Random(20_261_128)
        for number in itertools.count():
            text = b"Berth <$S>%06d<$E> opens. " % number + draw.randbytes(SIZES[number % 3] // 2).hex().encode()
            await self._save(text[:100] + draw.randbytes(DRAFT // 2).hex().encode())
            asked = {"name": f"{number}.txt", "media_type": "text/plain", "form": "marked"}
            document = (await self._asked("POST", "/documents", params=asked, content=text)).json()["id"]
            to = {"document_id": document, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": "sieve"}
            transfer = (await self._asked("POST", "/transfers", json=to)).json()["id"]
            async with self._more:
                self.accepted[transfer] = Sent(document, without_marks(text))
                self._more.notify_all()
            await self._remove_the_oldest()

    async def _save(self, text: bytes) -> None:
        if not self.draft:
            asked = {"name": "draft.txt", "form": "marked"}
            answer = await self._asked("POST", "/drafts", params=asked, content=text)
            self.draft = answer.json()["id"]
        else:
            match = {"If-Match": f'"{max(self.saves)}"'}
            path = f"/drafts/{self.draft}"
            answer = await self._asked("PUT", path, params={"form": "marked"}, content=text, headers=match)
        self.saves[answer.json()["revision"]] = without_marks(text)

    async def _remove_the_oldest(self) -> None:
        kept = [(transfer, sent) for transfer, sent in self.accepted.items() if sent.document not in self.removed]
        if len(kept) > KEPT:
            transfer, sent = kept[0]
            if (await self._asked("GET", f"/transfers/{transfer}")).json()["state"] == "delivered":
                self.removed.add(sent.document)
                await self._asked("DELETE", f"/documents/{sent.document}")

    async def _asked(self, method: str, path: str, **more: object) -> httpx.Response:
        answer = await self.author.request(method, path, **more)  # type: ignore[arg-type]  # passed on as they are
        assert answer.is_success, answer.text
        return answer

    async def accepts(self, more: int) -> dict[str, Sent]:
        """All that was accepted, once it is so many more than now."""
        async with asyncio.timeout(PATIENCE_S), self._more:
            goal = len(self.accepted) + more
            await self._more.wait_for(lambda: len(self.accepted) >= goal)
            return dict(self.accepted)


@asynccontextmanager
async def working(author: httpx.AsyncClient) -> AsyncIterator[Work]:
    """An author at work, until the block ends or the gateway dies."""
    async with author:
        work = Work(author)
        running = asyncio.create_task(work.run())
        try:
            yield work
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, httpx.TransportError):
                await running


@dataclass(frozen=True)
class Before:
    """What there was at the moment to which the gateways go back: what the sender had accepted, what of it was in the
    recipient's inbox, and the saves of the draft.
    """

    accepted: dict[str, Sent]
    delivered: dict[str, Sent]
    saves: dict[int, bytes]


async def seen(work: Work, reader: httpx.AsyncClient) -> Before:
    """What there is now."""
    accepted, saves = dict(work.accepted), dict(work.saves)
    async with reader:
        entries = {entry["transfer_id"] for entry in (await reader.get("/inbox?limit=200")).json()["items"]}
    return Before(accepted, {transfer: sent for transfer, sent in accepted.items() if transfer in entries}, saves)


async def remove_from_inbox(reader: httpx.AsyncClient, before: Before) -> str:
    """The recipient removes a document, which the backup brings back; returns its transfer."""
    [transfer, *_] = before.delivered
    async with reader:
        entries = (await reader.get("/inbox?limit=200")).json()["items"]
        [entry] = [entry["id"] for entry in entries if entry["transfer_id"] == transfer]
        answer = await reader.post("/inbox/changes", json={"ids": [entry], "change": "delete forever"})
        assert answer.status_code == 200 and answer.json()["ids"] == [entry], answer.text
    return transfer


def without_marks(text: bytes) -> bytes:
    return text.replace(b"<$S>", b"").replace(b"<$E>", b"")


def copied(source: Path, to: Path) -> None:
    """Copies as `rsync --archive source/ to` does: what is new or changed. Removes nothing."""
    to.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in source.rglob("*"):
        target = to / path.relative_to(source)
        with suppress(FileNotFoundError):  # it was removed meanwhile
            if path.is_dir():
                target.mkdir(exist_ok=True, mode=0o700)
            elif not target.exists() or _stamp(path) != _stamp(target):
                shutil.copy2(path, target)


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


async def check_sender(author: httpx.AsyncClient, work: Work, before: Before) -> None:
    """What holds at a restored sender."""
    async with author, asyncio.timeout(PATIENCE_S):
        for transfer, sent in before.accepted.items():
            while (found := (await author.get(f"/transfers/{transfer}")).json())["state"] != "delivered":
                assert found["state"] in ("queued", "sending"), found
                await asyncio.sleep(0.1)  # the gateway is another process, and only its API shows the state
            seen = (await author.get(f"/transfers/{transfer}/verification")).json()
            assert seen["valid"], seen
            if sent.document not in work.removed:
                answer = await author.get(f"/documents/{sent.document}/content")
                assert answer.status_code == 200 and answer.content == sent.content, answer.text[:500]
        shown = (await author.get(f"/drafts/{work.draft}")).json()
        assert shown["revision"] >= max(before.saves)
        answer = await author.get(f"/drafts/{work.draft}/content")
        assert answer.status_code == 200 and answer.content == work.saves[shown["revision"]], answer.text[:500]


async def check_inbox(reader: httpx.AsyncClient, work: Work, at_least: Collection[str]) -> None:
    """What holds at the receiver. `at_least`: what must be there."""
    async with reader:
        page = (await reader.get("/inbox", params={"limit": "200"})).json()
        entries = [entry["transfer_id"] for entry in page["items"]]
        assert page["next"] is None and len(entries) == len({*entries}), "a document was delivered twice"
        assert {*at_least} <= {*entries}, "a document is missing"
        for transfer in entries:
            answer = await reader.get(f"/inbox/{transfer}/content", params={"edition": "full"})
            assert answer.status_code == 200, answer.text
            if transfer in work.accepted:  # of the last one, the author may not have got the answer
                assert answer.content == work.accepted[transfer].content
            seen = (await reader.get(f"/inbox/{transfer}/verification")).json()
            assert seen["valid"], seen
