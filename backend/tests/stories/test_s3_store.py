"""Two gateways whose blobs are in an S3 store: they are killed, and the store goes away, while documents travel."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import s3_server
from s3_server import S3Server
from sieve import demo
from stories.pair import Pair, again, pair

ROUNDS = 6
LARGE = 5_000_000
"""Bytes of the largest documents. With the padding, their blobs are larger than a part of an upload."""


@pytest.fixture
def server() -> Iterator[S3Server]:
    server = S3Server.start()
    server.make_bucket("documents")
    yield server
    server.stop()


def settings(server: S3Server, name: str) -> dict[str, str]:
    return {
        "SIEVE_BLOBS": f"s3://documents/{name}",
        "SIEVE_S3_ENDPOINT": server.endpoint,
        "AWS_ACCESS_KEY_ID": s3_server.KEY,
        "AWS_SECRET_ACCESS_KEY": s3_server.SECRET,
        "AWS_REGION": "us-east-1",
    }


async def test_kills_and_an_outage_of_the_store_lose_and_double_nothing(tmp_path: Path, server: S3Server) -> None:
    draw = random.Random(20_261_128)
    own = {name: settings(server, name) for name in demo.NAMES}
    async with pair(tmp_path, alpha_settings=own["alpha"], bravo_settings=own["bravo"]) as both:
        texts: dict[str, bytes] = {}
        for number in range(ROUNDS):
            for size in (100, LARGE):
                text = b"Berth <$S>%04d<$E> opens. " % number + draw.randbytes(size // 2).hex().encode()
                texts[await both.dispatch(await both.upload(text, f"{number}-{size}.txt"))] = text
            await asyncio.sleep(draw.random() * 0.3)  # where the kill hits is the chance that this story plays with
            if number % 3 == 2:
                server.halt()
                server.run()
            else:
                restart(both, demo.NAMES[number % 2])
        for transfer, text in texts.items():
            found = await both.ended(transfer)
            assert found["state"] == "delivered", found
            assert await both.download(transfer, "full") == text.replace(b"<$S>", b"").replace(b"<$E>", b"")
        async with both.cleared as api:
            entries = (await api.get("/inbox?limit=100")).json()["items"]
        assert sorted(entry["transfer_id"] for entry in entries) == sorted(texts)

        # A machine that lost its spool has lost nothing.
        both.bravo.stop()
        spool = tmp_path / "bravo" / "spool"
        spool.rename(tmp_path / "lost")
        both.bravo = again(both.bravo, tmp_path, both.settings["bravo"])
        for transfer, text in texts.items():
            assert await both.download(transfer, "full") == text.replace(b"<$S>", b"").replace(b"<$E>", b"")
        server.halt()
        async with both.cleared as api:
            answer = await api.get(f"/inbox/{transfer}/content", params={"edition": "full"})
            assert answer.status_code == 503 and "S3" not in answer.text, "people do not learn the store"
        async with both.author as api:
            ready = await api.get(both.alpha.url + "/readyz")
            assert ready.status_code == 503 and "s3://documents/alpha cannot be used right now" in ready.text
        server.run()


def restart(both: Pair, name: str) -> None:
    """Kills a gateway, and starts it again."""
    gateway: demo.Running = getattr(both, name)
    gateway.process.kill()
    gateway.process.wait()
    setattr(both, name, again(gateway, both.folder, both.settings[name]))
