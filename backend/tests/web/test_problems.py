"""Every refusal is a problem, every answer is guarded, and no refusal repeats what it was given."""

import json
from typing import Any

import asyncpg
import httpx
import pytest
from fastapi import FastAPI

from cases import each
from sieve.core.errors import MarkupError, NotUtf8, SieveError
from sieve.gateway import errors as gateway_errors
from sieve.store import errors as store_errors
from sieve.store import postgres_errors
from sieve.store.errors import DatabaseBusy, DatabaseUnusable
from sieve.web.errors import STATUS, NotSignedIn, problem_of
from sieve.web.metrics import Metrics
from sieve.web.request_guard import MAX_BODY, SECURITY_HEADERS, RequestGuard
from sieve.web.request_limits import UPLOAD, Pace, RequestLimits
from web_world import World

SECRET = "<$S>the secret<$E>"


def _problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    for name, value in SECURITY_HEADERS.items():
        assert answer.headers[name] == value
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["title"] and problem["detail"]
    assert SECRET not in answer.text
    return problem


async def test_no_such_path_and_no_such_method(world: World) -> None:
    async with world.client("anna") as api:
        _problem(await api.get("/nothing"), 404)
        _problem(await api.get("http://alpha/"), 404)
        answer = await api.put("/documents")
        _problem(answer, 405)
        assert "GET" in answer.headers["allow"] or "POST" in answer.headers["allow"]


@each(
    "body",
    [
        f'{{"name": "{SECRET}", "display_name": 1}}',
        f'{{"name": ["{SECRET}"]}}',
        f'{{"name": "a", "display_name": "b", "{SECRET}": 1}}',
        f'{{"{SECRET}',
        f'"{SECRET}"',
        "",
    ],
)
async def test_a_malformed_body_is_not_repeated(world: World, body: str) -> None:
    async with world.client("root") as api:
        answer = await api.post("/people", content=body.encode(), headers={"Content-Type": "application/json"})
    problem = _problem(answer, 422)
    assert problem["errors"][0]["where"].startswith("body")


async def test_a_large_body_is_refused_by_its_head(world: World) -> None:
    async with world.client("root") as api:
        answer = await api.post("/people", content=b"x" * (MAX_BODY + 1))
    assert str(MAX_BODY) in _problem(answer, 413)["detail"]


async def test_a_large_body_without_a_length_is_refused_as_it_comes(world: World) -> None:
    async def endless() -> Any:
        while True:
            yield b"x" * 65536

    async with world.client("root") as api:
        answer = await api.post("/people", content=endless())
    _problem(answer, 413)


async def test_a_defect_says_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()

    @app.get("/broken/{name}")
    async def broken(name: str) -> None:
        raise RuntimeError(SECRET)

    app.add_middleware(
        RequestGuard,
        metrics=Metrics(),
        limits=RequestLimits(100, Pace(1.0), UPLOAD),
        who=_raising(NotSignedIn("nobody")),
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://alpha") as api:
        problem = _problem(await api.get("/broken/report.txt"), 500)
    assert problem["detail"] == "this gateway failed; its log says why"
    assert caplog.messages == ["GET /broken/{name}: RuntimeError"]


async def test_a_busy_database_asks_to_come_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world.client("anna") as api:
        monkeypatch.setattr("sieve.store.queries.document_list.page", _raising(DatabaseBusy("busy; try again")))
        answer = await api.get("/documents")
    assert _problem(answer, 503)["detail"] == "busy; try again"
    assert answer.headers["retry-after"] == "1"


def _raising(error: Exception) -> Any:
    async def raises(*_: object, **__: object) -> None:
        raise error

    return raises


async def test_every_answer_is_guarded(world: World) -> None:
    async with world.client("anna") as api:
        for path in ("/me", "/documents", "/openapi.json", "http://alpha/healthz", "http://alpha/metrics"):
            answer = await api.get(path)
            assert answer.status_code == 200
            for name, value in SECURITY_HEADERS.items():
                assert answer.headers[name] == value, (path, name)


def test_an_error_that_is_not_in_the_table_keeps_its_text() -> None:
    problem = problem_of(SieveError(SECRET))
    assert problem.status_code == 500
    assert SECRET.encode() not in problem.body


def test_what_is_wrong_with_the_database_is_not_shown_to_clients() -> None:
    problem = problem_of(DatabaseUnusable("the database /var/lib/sieve/sieve.db is damaged"))
    assert problem.status_code == 503
    assert b"/var/lib" not in problem.body and b"its log says why" in problem.body


_BY_CODE = (
    *postgres_errors.BUSY,
    *postgres_errors.AWAY,
    "08006",
    "25006",
    "28P01",
    "3D000",
    "42501",
    "53100",
    "58030",
    "XX001",
)


@pytest.mark.parametrize(
    "failure",
    [
        *(asyncpg.PostgresError.new({"C": code, "M": "it says no"}) for code in _BY_CODE),
        asyncpg.exceptions.TargetServerAttributeNotMatched("none is the primary"),
        asyncpg.exceptions.ConnectionDoesNotExistError("it was closed"),
        ConnectionRefusedError(111, "Connection refused"),
    ],
    ids=lambda failure: getattr(failure, "sqlstate", None) or type(failure).__name__,
)
def test_people_do_not_learn_the_server_of_the_database(failure: Exception) -> None:
    error = postgres_errors.of_driver(failure, "sieve at db.example.org")
    assert error is not None
    problem = problem_of(error)
    assert problem.status_code in (503, 507)
    assert b"example" not in problem.body and b"SIEVE_" not in problem.body


def test_the_place_of_a_fault_is_reported() -> None:
    problem = json.loads(bytes(problem_of(NotUtf8(3, 4)).body))
    assert (problem["status"], problem["line"], problem["column"]) == (422, 3, 4)


_OF_COMMANDS = gateway_errors.BackupError, gateway_errors.KeyChangeError, gateway_errors.StoreMoveError


def test_errors_that_people_can_meet_are_in_the_table() -> None:
    """Not met through the API: what keeps a gateway from starting, what sending meets, which goes on by itself, as
    forwarding the audit log does, and what the commands for backups, moves and master keys meet."""
    met = {MarkupError, store_errors.BlobDamaged, store_errors.DatabaseBusy, store_errors.StorageFull} | {
        kind
        for kind in vars(gateway_errors).values()
        if isinstance(kind, type)
        and issubclass(kind, gateway_errors.GatewayError)
        and not issubclass(kind, _OF_COMMANDS)
        and kind
        not in (
            gateway_errors.GatewayError,
            gateway_errors.StartError,
            gateway_errors.UnreadableNow,
            gateway_errors.ForwardingFailed,
        )
    }
    assert met <= set(STATUS)
