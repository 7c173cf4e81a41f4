"""What an admin reads of the audit log."""

from typing import Any

from web_world import World


async def entries(world: World, query: str = "") -> Any:
    """A page of the log."""
    async with world.client("root") as api:
        answer = await api.get(f"/audit{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def chain(world: World, *heads: str) -> Any:
    """What is known of the chain, and of these heads."""
    async with world.client("root") as api:
        answer = await api.get("/audit/chain", params={"head": list(heads)})
    assert answer.status_code == 200, answer.text
    return answer.json()
