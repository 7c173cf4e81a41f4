"""The schema as a file, and names in it from which readable code can be made."""

import json
from pathlib import Path
from typing import Any

import pytest

from sieve.web.openapi import main
from sieve.web.openapi import schema as build_schema
from web_world import World


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """Built once: that makes a whole app."""
    return build_schema()


def test_the_schema_is_written_without_a_gateway(tmp_path: Path, schema: dict[str, Any]) -> None:
    out = tmp_path / "made" / "openapi.json"
    assert main([str(out)]) == 0
    assert json.loads(out.read_text()) == schema


async def test_it_is_the_one_that_the_gateway_serves(world: World, schema: dict[str, Any]) -> None:
    async with world.client() as api:
        assert (await api.get("/openapi.json")).json() == schema


def test_operations_are_named_once_and_shortly(schema: dict[str, Any]) -> None:
    names = [operation["operationId"] for path in schema["paths"].values() for operation in path.values()]
    assert len(set(names)) == len(names)
    assert {"transfers_listed", "inbox_one", "people_add"} <= set(names)
    assert all(len(name) < 40 for name in names)


def test_a_token_or_a_cookie_opens_what_is_not_for_all(schema: dict[str, Any]) -> None:
    schemes = schema["components"]["securitySchemes"]
    assert (schemes["token"]["scheme"], schemes["cookie"]["in"], schemes["cookie"]["name"]) == (
        "bearer",
        "cookie",
        "sieve-NAME",
    )
    assert schema["paths"]["/api/v1/me"]["get"]["security"] == [{"token": []}, {"cookie": []}]
    assert "security" not in schema["paths"]["/api/v1/session"]["post"]


def test_what_is_wrong_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
