"""Two real gateways in processes of their own, paired, with people: what the stories play with.

Made with the functions of `make demo`; what a story does goes through the web API, as an application would.
"""

import asyncio
import atexit
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from reserved_ports import ReservedPorts
from sieve import demo
from stories import forked

FREE = {"web": "127.0.0.1:0", "secure": "127.0.0.1:0", "plain": "127.0.0.1:0"}
PATIENCE_S = 90.0
FAST = {
    # Retries follow each other quickly: the stories are about what happens, not about how long it takes.
    "SIEVE_RETRY_FIRST_S": "0.05",
    "SIEVE_RETRY_CAP_S": "0.3",
    "SIEVE_PLAIN_TIMEOUT_S": "0.3",
    # Random bytes between gateways would only disturb the stories about what travels.
    "SIEVE_PROBES": "false",
    "SIEVE_LOG_LEVEL": "info",
    # Nor are they about what is in the documents.
    "SIEVE_OPEN_FINDINGS": "off",
}
FORKED = forked.fork(forked.gateway)
COMMAND = demo.command(sys.executable, "-m", "sieve.cli", "gateway")
"""`launch` of stories about what forked gateways do not have: a start, or memory, of their own."""


@dataclass
class Pair:
    """Alpha (sender) and bravo (receiver)."""

    folder: Path
    alpha: demo.Running
    bravo: demo.Running
    author_token: str
    cleared_token: str
    reader_token: str
    settings: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def author(self) -> httpx.AsyncClient:
        return client(self.alpha, self.author_token)

    @property
    def cleared(self) -> httpx.AsyncClient:
        return client(self.bravo, self.cleared_token)

    @property
    def reader(self) -> httpx.AsyncClient:
        return client(self.bravo, self.reader_token)

    async def upload(self, marked: bytes, name: str = "report.txt") -> str:
        """The id of the new document."""
        async with self.author as api:
            answer = await api.post(
                "/documents", params={"name": name, "media_type": "text/plain", "form": "marked"}, content=marked
            )
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

    async def dispatch(self, document_id: str, mode: str = "sieve", **more: Any) -> str:
        """The id of the new transfer."""
        return str((await self._ask("/transfers", document_id=document_id, mode=mode, **more))["id"])

    async def dispatch_together(self, document_ids: list[str], mode: str = "sieve", **more: Any) -> list[str]:
        """Sends them in one batch; the ids of the new transfers, in that order."""
        batch = await self._ask("/batches", document_ids=document_ids, mode=mode, **more)
        return [str(transfer["id"]) for transfer in batch["transfers"]]

    async def _ask(self, path: str, **asked: Any) -> dict[str, Any]:
        """What the gateway answers to who asks it to send to both people at bravo."""
        to = {"peer": "bravo", "recipients": [demo.RECIPIENT, demo.READER]}
        async with self.author as api:
            answer = await api.post(path, json=to | asked)
            assert answer.status_code == 202, answer.text
            found: dict[str, Any] = answer.json()
            return found

    async def transfer(self, transfer_id: str) -> dict[str, Any]:
        """The transfer as its author sees it."""
        async with self.author as api:
            answer = await api.get(f"/transfers/{transfer_id}")
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return found

    async def ended(self, transfer_id: str) -> dict[str, Any]:
        """The transfer once it is over."""
        return await self.becomes(transfer_id, lambda t: t["state"] in ("delivered", "failed", "cancelled"))

    async def becomes(self, transfer_id: str, wanted: Any) -> dict[str, Any]:
        """The transfer as soon as `wanted` holds for it; follows its events, as a browser would."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                found = await self.transfer(transfer_id)
                if wanted(found):
                    return found
                try:
                    async with self.author as api, api.stream("GET", f"/transfers/{transfer_id}/events") as events:
                        async for line in events.aiter_lines():
                            if line.startswith("data:") and wanted(await self.transfer(transfer_id)):
                                break
                except httpx.TransportError:
                    pass  # the gateway is going down or coming up: ask again
                await asyncio.sleep(0)

    async def download(self, transfer_id: str, edition: str) -> bytes:
        """What the cleared recipient downloads."""
        async with self.cleared as api:
            answer = await api.get(f"/inbox/{transfer_id}/content", params={"edition": edition})
            assert answer.status_code == 200, answer.text
            return answer.content

    async def send(self, marked: bytes, mode: str = "sieve", **more: Any) -> tuple[str, dict[str, Any]]:
        """Uploads, sends, waits; the transfer's id and how it ended."""
        [sent] = await self.send_all([marked], mode, **more)
        return sent

    async def send_all(
        self, several: Sequence[bytes], mode: str = "sieve", **more: Any
    ) -> list[tuple[str, dict[str, Any]]]:
        """The same, of each, in that order; in one batch, if there are several."""
        kept = [await self.upload(marked) for marked in several]
        if len(kept) > 1:
            transfers = await self.dispatch_together(kept, mode, **more)
        else:
            transfers = [await self.dispatch(kept[0], mode, **more)]
        return [(transfer_id, await self.ended(transfer_id)) for transfer_id in transfers]

    async def sieve(self, name: str, *arguments: str) -> str:
        """What a `sieve` command says, run with that gateway's settings."""
        settings = {
            "SIEVE_NAME": name,
            "SIEVE_DATA_DIR": str(self.folder / name),
            "SIEVE_IDENTITY_DIR": str(self.folder / "identities" / name),
        }
        done = await asyncio.to_thread(forked.command, *arguments, env=settings)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def everything_stored(self) -> dict[str, bytes]:
        """Every file that either gateway keeps, and what they logged."""
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}


def client(gateway: demo.Running, token: str) -> httpx.AsyncClient:
    """A client of that gateway's web API."""
    return httpx.AsyncClient(
        base_url=f"{gateway.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
        trust_env=False,
        verify=demo.NO_TLS,
    )


@asynccontextmanager
async def pair(
    folder: Path,
    *,
    alpha_settings: dict[str, str] | None = None,
    bravo_settings: dict[str, str] | None = None,
    launch: demo.Launch = FORKED,
    prepare: Callable[[], None] = lambda: None,
) -> AsyncIterator[Pair]:
    """Both gateways, paired and peopled; stopped at the end. `prepare` changes their folders before the first start."""
    settings = {"alpha": FAST | (alpha_settings or {}), "bravo": FAST | (bravo_settings or {})}
    running: dict[str, demo.Running] = {}
    ports = ReservedPorts()

    def begin(name: str) -> None:
        running[name] = _start(name, folder, ports.binds(), settings[name], launch)

    await asyncio.to_thread(shutil.copytree, await asyncio.to_thread(installed), folder, dirs_exist_ok=True)
    await asyncio.to_thread(prepare)
    try:
        # Both are waited for, also if one fails: what was started must be known to be stopped.
        begun = (asyncio.to_thread(begin, name) for name in demo.NAMES)
        for failure in await asyncio.gather(*begun, return_exceptions=True):
            if failure is not None:
                raise failure
        alpha, bravo = (running[name] for name in demo.NAMES)
        await asyncio.to_thread(demo.pair, alpha, bravo)
        author = await asyncio.to_thread(demo.add_person, alpha, demo.AUTHOR, "Anna", is_author=True)
        cleared = await asyncio.to_thread(
            demo.add_person, bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True
        )
        reader = await asyncio.to_thread(demo.add_person, bravo, demo.READER, "Rosa", is_recipient=True)
        both = Pair(folder, alpha, bravo, author, cleared, reader, settings)
        try:
            yield both
        finally:
            running.update(alpha=both.alpha, bravo=both.bravo)
    finally:
        await asyncio.gather(*(asyncio.to_thread(gateway.stop) for gateway in running.values()))
        ports.close()


def again(gateway: demo.Running, folder: Path, settings: dict[str, str], launch: demo.Launch = FORKED) -> demo.Running:
    """Starts a gateway that has ended, at the addresses that its peer knows."""
    return _start(gateway.name, folder, gateway.listeners, settings, launch)


def _start(
    name: str, folder: Path, binds: dict[str, str], settings: dict[str, str], launch: demo.Launch
) -> demo.Running:
    """Starts a gateway that logs into a file beside its data."""
    log_file = folder / f"{name}.log"
    return demo.start(name, folder, folder / "identities", binds, extra=settings, log_file=log_file, launch=launch)


@cache
def installed() -> Path:
    """A folder to copy: both gateways' identities, and their data with an admin each, as before the first start."""
    folder = Path(tempfile.mkdtemp(prefix="sieve-installed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    def install(name: str) -> None:
        data = folder / name
        data.mkdir(mode=0o700)
        forked.create_admin(data)

    demo.make_identities(folder / "identities")
    with ThreadPoolExecutor() as threads:
        list(threads.map(install, demo.NAMES))
    return folder
