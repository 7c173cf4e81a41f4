"""What watchers of the gateway are told, and who may watch."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from web_world import Ground, World, build, close

Building = Callable[..., Awaitable[World]]


@pytest.fixture
async def with_settings(tmp_path: Path, ground: Ground) -> AsyncIterator[Building]:
    worlds: list[World] = []

    async def make(**settings: Any) -> World:
        worlds.append(await build(tmp_path, ground, new_app=True, **settings))
        return worlds[-1]

    yield make
    for world in worlds:
        await close(world)


async def test_it_lives_and_is_ready(world: World) -> None:
    async with world.client() as api:
        assert (await api.get("http://alpha/healthz")).json() == {"status": "ok"}
        assert (await api.get("http://alpha/readyz")).json()["status"] == "ready"


async def test_it_is_not_ready_without_its_database(world: World) -> None:
    await world.database.dispose()
    for path in world.folder.glob("sieve.db*"):
        path.unlink()
    shutil.copyfile(__file__, world.folder / "sieve.db")
    async with world.client() as api:
        answer = await api.get("http://alpha/readyz")
        assert (await api.get("http://alpha/healthz")).status_code == 200
    assert answer.status_code == 503


async def test_metrics_count_by_route_and_never_by_path(with_settings: Building) -> None:
    world = await with_settings()
    document_id = await world.upload(b"a")
    await world.send(b"b")
    async with world.client("anna") as api:
        await api.get(f"/documents/{document_id}")
        await api.get("/no/such/report.txt")
        text = (await api.get("http://alpha/metrics")).text
    assert 'sieve_http_requests_total{method="GET",route="/documents/{document_id}",status="200"} 1.0' in text
    assert 'sieve_http_requests_total{method="GET",route="",status="404"} 1.0' in text
    assert 'sieve_transfers{state="queued"} 1.0' in text
    assert document_id not in text and "report.txt" not in text


async def test_metrics_want_their_token_if_there_is_one(with_settings: Building) -> None:
    world = await with_settings(metrics_token="0123456789abcdef")
    for given, status in (("0123456789abcdef", 200), ("0123456789abcdeg", 401), ("", 401)):
        async with world.client(headers={"Authorization": f"Bearer {given}"}) as api:
            assert (await api.get("http://alpha/metrics")).status_code == status
    async with world.client("root") as api:
        assert (await api.get("http://alpha/metrics")).status_code == 401


@pytest.mark.parametrize("web_bind", ["10.0.0.1:8080", "127.0.0.1:8080"])
async def test_behind_a_proxy_metrics_want_a_token(with_settings: Building, web_bind: str) -> None:
    """What the proxy passes on comes from anywhere, also where the proxy is on this machine."""
    world = await with_settings(web_bind=web_bind, trusted_proxy="10.0.0.2")
    async with world.client() as api:
        answer = await api.get("http://alpha/metrics")
    assert answer.status_code == 403
    assert "SIEVE_METRICS_TOKEN" in answer.json()["detail"]
