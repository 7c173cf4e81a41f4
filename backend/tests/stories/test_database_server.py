"""Two gateways whose databases are on one server: it is restarted and crashes while they send, and a gateway that was
stopped is replaced by one on another machine.
"""

import asyncio
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from postgres_server import PostgresServer
from sieve import demo
from stories.pair import FORKED, FREE, Pair, again
from stories.replicated import database_server, on_server

DOCUMENTS = 24
RESTARTS = (signal.SIGINT, signal.SIGQUIT, signal.SIGINT, signal.SIGQUIT)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with database_server() as server:
        yield server


async def answered(api: httpx.AsyncClient, path: str) -> httpx.Response:
    """The answer, once the gateway can give one."""
    while True:
        answer = await api.get(path)
        if answer.status_code != 503:
            return answer
        assert "asyncpg" not in answer.text and "/" not in answer.json()["detail"], "people do not learn the server"
        # Only an answer of the gateway, another process, shows that its database is back.
        await asyncio.sleep(0.1)


async def delivered(both: Pair, transfers: list[str]) -> None:
    async with both.author as api:
        for transfer in transfers:
            while (state := (await answered(api, f"/transfers/{transfer}")).json()["state"]) != "delivered":
                assert state in ("queued", "sending")
                # The gateway is another process, and only its API shows the state.
                await asyncio.sleep(0.1)


async def uploaded(both: Pair) -> tuple[list[str], list[str]]:
    """The texts, and the ids of their documents."""
    texts = [f"Berth <$S>{number:04}<$E> opens.\n" for number in range(DOCUMENTS)]
    return texts, [await both.upload(text.encode(), name=f"{number}.txt") for number, text in enumerate(texts)]


async def check_each_arrived_once(both: Pair, sent: list[str], texts: list[str]) -> None:
    await delivered(both, sent)
    async with both.cleared as api:
        entries = (await answered(api, "/inbox?limit=100")).json()["items"]
        assert sorted(entry["transfer_id"] for entry in entries) == sorted(sent)
    for transfer, text in zip(sent, texts, strict=True):
        assert (await both.download(transfer, "full")).decode() == text.replace("<$S>", "").replace("<$E>", "")


async def test_restarts_of_the_server_lose_and_double_nothing(tmp_path: Path, server: PostgresServer) -> None:
    async with on_server(tmp_path, server) as both:
        texts, documents = await uploaded(both)
        sent: list[str] = []
        for how in RESTARTS:
            sent += [await both.dispatch(document) for document in documents[len(sent) : len(sent) + 6]]
            server.halt(how)
            server.run()
            async with both.author as api:
                await answered(api, "/me")
        await check_each_arrived_once(both, sent, texts)

        # Another gateway never gets the database, also while it is not in use.
        wrong = both.settings["bravo"] | {"SIEVE_DATABASE_URL": server.address("alpha")}
        both.bravo.stop()
        for _ in range(2):
            with pytest.raises(demo.DemoError):
                again(both.bravo, tmp_path, wrong)
            both.alpha.stop()
        log = (tmp_path / "bravo.log").read_text()
        assert "is in use by the gateway alpha; stop that one" in log
        assert "belongs to the gateway alpha, and this one is bravo" in log


async def test_a_gateway_that_was_stopped_is_replaced_and_writes_nothing_more(
    tmp_path: Path, server: PostgresServer
) -> None:
    async with on_server(tmp_path, server) as both:
        texts, documents = await uploaded(both)
        sent = [await both.dispatch(document) for document in documents]
        first = both.alpha
        first.process.send_signal(signal.SIGSTOP)
        # Another machine: a data folder of its own, and the same identity, master key and blobs.
        other = tmp_path / "other"
        (other / "alpha").mkdir(parents=True)
        shutil.copy(first.folder / "admin.token", other / "alpha")
        shared = {
            "SIEVE_BLOBS": str(first.folder / "blobs"),
            "SIEVE_MASTER_KEY_FILE": str(first.folder / "master.key"),
        }
        try:
            both.alpha = await asyncio.to_thread(
                demo.start,
                *("alpha", other, tmp_path / "identities", FREE),
                extra=both.settings["alpha"] | shared,
                log_file=tmp_path / "other.log",
                launch=FORKED,
            )
            await check_each_arrived_once(both, sent, texts)
            kept = await units(server)
        finally:
            first.process.send_signal(signal.SIGCONT)
        assert await asyncio.to_thread(first.process.wait, 60) != 0
        assert await units(server) == kept
        log = (tmp_path / "alpha.log").read_text()
        assert "over while this one was stopped or cut off" in log or "is in use by the gateway alpha" in log
        assert [state for _, state in kept] == ["ended"], "what is left of the first"


async def units(server: PostgresServer) -> list[tuple[int, str]]:
    """The last unit of each gateway that was replaced."""
    connection = await server.connect("alpha")
    rows = await connection.fetch("SELECT unit, state FROM sieve_units WHERE state = 'ended' ORDER BY writer")
    await connection.close()
    return [(row[0], row[1]) for row in rows]
