"""Two gateways whose databases are on one server, which is restarted and crashes while they send."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from postgres_server import PostgresServer, in_thread
from sieve import demo
from stories.pair import Pair, again, pair

DOCUMENTS = 24
RESTARTS = (signal.SIGINT, signal.SIGQUIT, signal.SIGINT, signal.SIGQUIT)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer.start()

    async def prepare() -> None:
        connection = await server.connect("postgres")
        await connection.execute("CREATE ROLE gateway LOGIN")
        for name in demo.NAMES:
            await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
        await connection.close()

    in_thread(prepare())
    yield server
    server.stop()


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


async def test_restarts_of_the_server_lose_and_double_nothing(tmp_path: Path, server: PostgresServer) -> None:
    settings = {name: {"SIEVE_DATABASE_URL": server.address(name)} for name in demo.NAMES}

    def prepare() -> None:
        for name in demo.NAMES:
            (tmp_path / name / "sieve.db").unlink()
            token = tmp_path / name / "admin.token"
            token.unlink()
            made = demo.sieve_command(
                "admin",
                *("create", "admin", "--out-token", str(token)),
                env={"SIEVE_DATA_DIR": str(tmp_path / name), **settings[name]},
            )
            assert made.returncode == 0

    async with pair(
        tmp_path, alpha_settings=settings["alpha"], bravo_settings=settings["bravo"], prepare=prepare
    ) as both:
        texts = [f"Berth <$S>{number:04}<$E> opens.\n" for number in range(DOCUMENTS)]
        documents = [await both.upload(text.encode(), name=f"{number}.txt") for number, text in enumerate(texts)]
        sent: list[str] = []
        for how in RESTARTS:
            sent += [await both.dispatch(document) for document in documents[len(sent) : len(sent) + 6]]
            server.halt(how)
            server.run()
            async with both.author as api:
                await answered(api, "/me")
        await delivered(both, sent)
        async with both.cleared as api:
            entries = (await answered(api, "/inbox?limit=100")).json()["items"]
            assert sorted(entry["transfer_id"] for entry in entries) == sorted(sent)
        for transfer, text in zip(sent, texts, strict=True):
            assert (await both.download(transfer, "full")).decode() == text.replace("<$S>", "").replace("<$E>", "")

        # Another gateway never gets the database, also while it is not in use.
        wrong = settings["bravo"] | {"SIEVE_DATABASE_URL": server.address("alpha")}
        both.bravo.stop()
        for _ in range(2):
            with pytest.raises(demo.DemoError):
                again(both.bravo, tmp_path, wrong)
            both.alpha.stop()
        log = (tmp_path / "bravo.log").read_text()
        assert "is in use by the gateway alpha; stop that one" in log
        assert "belongs to the gateway alpha, and this one is bravo" in log
