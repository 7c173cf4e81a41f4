"""The laboratory of the web interface: quick experiments, each in a process of its own."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest

from secret_variables import SECRET_VARIABLES, set_secret_variables
from sieve.web.app import create_app
from sieve.web.laboratory_runs import ARGUMENTS, COMMAND, Laboratory
from web_world import World

CELL = {
    "system": "batching",
    "rate_per_s": 1.0,
    "quantity": "turnaround",
    "printed": 3.53,
    "mean": 3.5,
    "ci95_of_five_runs": 0.1,
    "inside": True,
}
PRINTS = f"print({json.dumps(json.dumps({'table': [CELL]}))})"
HANGS = "import time; time.sleep(600)"
"""An experiment that ends only when it is stopped: no test waits for it."""
FAILS = "import sys; sys.exit('sieve: gmpy2 is missing')"


def _command(code: str) -> Sequence[str]:
    return (sys.executable, "-c", code)


def _with_laboratory(world: World, code: str) -> tuple[Laboratory, httpx.AsyncClient]:
    laboratory = Laboratory(lambda: 10**9, _command(code))
    services = replace(world.services, laboratory=laboratory)
    headers = {"Authorization": f"Bearer {world.tokens['root']}"}
    transport = httpx.ASGITransport(create_app(services))
    return laboratory, httpx.AsyncClient(transport=transport, base_url="http://alpha/api/v1", headers=headers)


async def _ended(api: httpx.AsyncClient, name: str) -> dict[str, Any]:
    while True:
        found: list[dict[str, Any]] = (await api.get("/laboratory")).json()["experiments"]
        one = next(each for each in found if each["name"] == name)
        if one["state"] != "running":
            return one
        # The experiment is another process, and only the API shows its end.
        await asyncio.sleep(0.01)


async def test_without_the_setting_there_is_no_laboratory(world: World) -> None:
    async with world.client("root") as api:
        answer = await api.get("/laboratory")
        assert answer.status_code == 404 and "SIEVE_LABORATORY" in answer.text
        assert (await api.post("/laboratory/batching/run")).status_code == 404
        assert (await api.get("/session")).json()["laboratory"] is False


async def test_an_experiment_runs_and_shows_what_it_found(world: World) -> None:
    _, api = _with_laboratory(world, PRINTS)
    async with api:
        assert (await api.get("/session")).json()["laboratory"] is True
        started = await api.post("/laboratory/batching/run")
        assert started.status_code == 202
        assert started.json()["experiments"][0]["state"] == "running"
        found = await _ended(api, "batching")
        assert (found["state"], found["batching"]) == ("done", {"table": [CELL]})
        assert found["batch_rsa"] is None and found["reason"] is None


async def test_one_runs_at_a_time_and_can_be_stopped(world: World) -> None:
    _, api = _with_laboratory(world, HANGS)
    async with api:
        await api.post("/laboratory/batching/run")
        assert (await api.post("/laboratory/batch-rsa/run")).status_code == 409
        states = [each["state"] for each in (await api.post("/laboratory/stop")).json()["experiments"]]
        assert states == ["stopped", "not-run", "not-run"]


def _tls_split_cells() -> list[dict[str, Any]]:
    factors = {"one-process": 1.0, "through-handler": 1.5, "direct": 1.2}
    figures = ("initiation_ms", "resumption_ms", "processor_ms")
    return [
        {"round": number, "design": design, "clients": 100, "size_kb": size, **dict.fromkeys(figures, factor * size)}
        for number in range(2)
        for size in (2, 200)
        for design, factor in factors.items()
    ]


async def test_what_tls_split_found_is_beside_the_thesis(world: World) -> None:
    found = json.dumps({"cells": _tls_split_cells()})
    _, api = _with_laboratory(world, f"print({json.dumps(found)})")
    async with api:
        await api.post("/laboratory/tls-split/run")
        ended = await _ended(api, "tls-split")
        assert (ended["state"], ended["tls_split"]["clients"]) == ("done", [100])
        shown = {(each["duration"], each["size_kb"]): each for each in ended["tls_split"]["overheads"]}
        assert set(shown) == {(name, size) for name in ("initiation", "resumption", "processor") for size in (2, 200)}
        assert shown["resumption", 200]["printed"] == pytest.approx(120.7, abs=0.05)
        assert shown["resumption", 200]["through_handler"] == pytest.approx(50)
        assert shown["processor", 2]["direct"] == pytest.approx(20)
        assert shown["processor", 2]["printed"] is None


async def test_a_failure_says_its_last_line(world: World) -> None:
    _, api = _with_laboratory(world, FAILS)
    async with api:
        await api.post("/laboratory/batch-rsa/run")
        found = await _ended(api, "batch-rsa")
        assert (found["state"], found["reason"]) == ("failed", "sieve: gmpy2 is missing")


async def test_a_run_gets_no_secret_of_the_gateway_s_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    set_secret_variables(monkeypatch)
    code = f"import os, sys; sys.exit(str(sorted(os.environ.keys() & set({SECRET_VARIABLES}))))"
    _, api = _with_laboratory(world, code)
    async with api:
        await api.post("/laboratory/batching/run")
        assert (await _ended(api, "batching"))["reason"] == "[]"


async def test_the_gateway_ends_a_run_when_it_stops(world: World) -> None:
    laboratory = Laboratory(lambda: 1, _command(HANGS))
    laboratory.start("batching")
    await laboratory.stop()
    assert laboratory.runs["batching"].state == "stopped"


async def test_the_command_of_each_experiment_exists() -> None:
    for arguments in ARGUMENTS.values():
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, "--help", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        assert await process.wait() == 0
