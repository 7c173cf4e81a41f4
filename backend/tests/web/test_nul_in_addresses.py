"""No part of an address may have the character NUL, with any database: PostgreSQL takes no text with one, and in
SQLite's full-text index it would end what is looked for.
"""

from collections.abc import Iterator
from typing import Any

from sieve.web.openapi import schema
from web_world import World


def parameters() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each text in an address: the method, the path, and the parameter."""
    for path, operations in schema()["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] in ("query", "path"):
                    yield method, path, parameter


async def test_a_nul_in_any_parameter_is_refused_in_one_sentence(world: World) -> None:
    """No matter who asks: the rest of the request is not looked at."""
    asked = 0
    async with world.client("root") as api:
        for method, path, parameter in parameters():
            at = path.removeprefix("/api/v1")
            name = parameter["name"]
            in_path = parameter["in"] == "path"
            for value in ("a\0b", "\0"):
                address = at.replace(f"{{{name}}}", value.replace("\0", "%00")) if in_path else at
                answer = await api.request(method, address, params={} if in_path else {name: value})
                assert answer.status_code == 422, (method, path, name, answer.text)
                assert answer.json()["detail"] == "the address of the request has the character NUL; remove it"
                asked += 1
    assert asked > 200
