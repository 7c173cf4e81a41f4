"""Two gateways under trial, and the book of what they accepted: at the end of a trial each accepted document is in the
recipient's inbox exactly once, with the author's bytes.
"""

import asyncio
import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from chaos import faulty_gateway
from sieve import demo
from stories import forked
from stories.documents import report
from stories.pair import Pair, again, pair
from stories.proxies import Proxy

WAYS: Final = ("1+1", "3+2", "batch", "secure-only")
ENDED: Final = ("delivered", "failed", "cancelled")
SETTINGS: Final = {"SIEVE_LEASE_S": "2"}
PATIENCE_S: Final = 300.0


class TrialFailed(Exception):
    """A trial could not be played as it was meant; the message says which and why."""


@dataclass
class World:
    """A pair of faulty gateways. `gateways["alpha"]` sends, `gateways["bravo"]` receives."""

    both: Pair
    draw: random.Random
    book: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Of each fault: how many trials and accepted documents there were, and how many were lost, changed or doubled."""
    broken: list[str] = field(default_factory=list)
    """A sentence for each broken promise."""
    _contents: dict[str, bytes] = field(default_factory=dict)
    _delivered: set[str] = field(default_factory=set)
    _number: int = 0

    # --- faults ----------------------------------------------------------------------------------------------------

    def asks(self, name: str, what: str, value: str | None) -> None:
        """Asks a gateway to fail in some way (see `faulty_gateway`); None asks for nothing any more."""
        file = self._folder(name) / what
        if value is None:
            file.unlink(missing_ok=True)
        else:
            # In one step: the gateway may read at any moment.
            written = file.with_suffix(".new")
            written.write_text(value)
            written.rename(file)

    def has_reached(self, name: str) -> bool:
        """Whether a gateway came to the step of "tell-at" since this was asked last."""
        try:
            (self._folder(name) / "reached").unlink()
        except FileNotFoundError:
            return False
        return True

    def steps_of(self, name: str) -> set[str]:
        """The steps that a gateway has reached since "steps" was asked for."""
        return set((self._folder(name) / "steps").read_text().splitlines())

    def gateway(self, name: str) -> demo.Running:
        found: demo.Running = getattr(self.both, name)
        return found

    async def start_again(self, name: str) -> None:
        """Starts a gateway that has ended, at the same addresses."""
        gateway = self.gateway(name)
        await asyncio.to_thread(gateway.stop)
        launch = _launch(self.both.folder)
        started = await asyncio.to_thread(again, gateway, self.both.folder, self.both.settings[name], launch)
        setattr(self.both, name, started)

    def _folder(self, name: str) -> Path:
        folder = _faults(self.both.folder, name)
        folder.mkdir(exist_ok=True)
        return folder

    # --- documents -------------------------------------------------------------------------------------------------

    async def send(self, way: str) -> list[str]:
        """Uploads and sends fresh documents; returns the ids of the documents that were uploaded.

        The sender may die at any moment of it: what it had accepted counts, and `check` finds out what that was.
        """
        self._number += 1
        sizes = (30_000, 400_000, 9_000) if way == "batch" else (self.draw.choice((50, 9_000, 400_000)),)
        documents = []
        with contextlib.suppress(httpx.TransportError):
            for size in sizes:
                made = report(size, spans=size % 11, seed=self.draw.getrandbits(32))
                document_id = await self.both.upload(made.marked, f"chaos {self._number}.txt")
                self._contents[document_id] = made.content
                documents.append(document_id)
            if way == "batch":
                await self.both.dispatch_together(documents)
            else:
                channels = {"secure_channels": 3, "plain_channels": 2} if way == "3+2" else {}
                mode = "secure-only" if way == "secure-only" else "sieve"
                await self.both.dispatch(documents[0], mode, **channels)
        return documents

    async def check(self, documents: Sequence[str], fault: str) -> None:
        """Waits until every accepted transfer of these documents has ended, and notes how in the book."""
        counts = self.book[fault]
        transfers = await self.transfers_of(documents)
        counts["trials"] += 1
        counts["documents"] += len(transfers)
        for transfer_id, document_id in transfers.items():
            ended = await self.ended(transfer_id)
            if ended["state"] != "delivered":
                self.note(fault, "lost", f"transfer {transfer_id} is {ended['state']}: {ended['reason']}")
                continue
            self._delivered.add(transfer_id)
            await self.compare(transfer_id, document_id, fault)
        entries = await self.inbox()
        for transfer_id in transfers.keys() & self._delivered:
            if (number := entries[transfer_id]) != 1:
                outcome = "doubled" if number else "lost"
                self.note(fault, outcome, f"transfer {transfer_id} is {number} times in the inbox")

    async def compare(self, transfer_id: str, document_id: str, fault: str) -> None:
        """Notes whether the recipient downloads other bytes than the author sent."""
        if await self.both.download(transfer_id, "full") != self._contents[document_id]:
            self.note(fault, "changed", f"transfer {transfer_id} arrived with other bytes")

    def note(self, fault: str, outcome: str, detail: str) -> None:
        """Notes a broken promise."""
        self.book[fault][outcome] += 1
        self.broken.append(f"{fault}: {detail}")

    async def ended(self, transfer_id: str) -> dict[str, Any]:
        """How a transfer ended, or its state when our patience is over."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self.both.ended(transfer_id)
        except TimeoutError:
            return await self.both.transfer(transfer_id)

    async def transfers_of(self, documents: Sequence[str]) -> dict[str, str]:
        """The accepted transfers of these documents: transfer id to document id."""
        async with self.both.author as api:
            answer = await api.get("/transfers", params={"limit": 50})
        if answer.status_code != 200:
            raise TrialFailed(f"the sent documents cannot be listed: {answer.text}")
        page = answer.json()
        return {each["id"]: each["document_id"] for each in page["items"] if each["document_id"] in documents}

    async def inbox(self) -> Counter[str]:
        """How often each transfer is in the recipient's inbox."""
        entries: Counter[str] = Counter()
        after: dict[str, Any] = {}
        async with self.both.cleared as api:
            while True:
                page = (await api.get("/inbox", params={"limit": 200} | after)).json()
                entries.update(entry["transfer_id"] for entry in page["items"])
                if page["next"] is None:
                    return entries
                after = {"after": page["next"]}


def _faults(folder: Path, name: str) -> Path:
    """Where a gateway reads how it is to fail."""
    return folder / f"{name}-faults"


def _launch(folder: Path) -> demo.Launch:
    """Starts faulty gateways."""

    def launch(environment: Mapping[str, str], log_file: Path | None) -> demo.Process:
        run = partial(faulty_gateway.run, _faults(folder, environment["SIEVE_NAME"]))
        return forked.fork(run)(environment, log_file)

    return launch


@asynccontextmanager
async def world(
    folder: Path,
    seed: int,
    *,
    secure_proxy: Proxy | None = None,
    plain_proxy: Proxy | None = None,
    bravo_settings: dict[str, str] | None = None,
) -> AsyncIterator[World]:
    """Two faulty gateways, the way between them through these proxies if there are any."""
    settings = dict(bravo_settings or {})
    async with contextlib.AsyncExitStack() as stack:
        for channel, proxy in (("secure", secure_proxy), ("plain", plain_proxy)):
            if proxy is not None:
                await stack.enter_async_context(proxy.serving())
                scheme = "https" if channel == "secure" else "http"
                settings[f"SIEVE_{channel.upper()}_URL"] = f"{scheme}://{proxy.address}"
        # The gateways are stopped before the proxies.
        both = await stack.enter_async_context(
            pair(folder, alpha_settings=SETTINGS, bravo_settings=SETTINGS | settings, launch=_launch(folder))
        )
        for channel, proxy in (("secure", secure_proxy), ("plain", plain_proxy)):
            if proxy is not None:
                proxy.upstream = both.bravo.listeners[channel]
        yield World(both, random.Random(seed))
