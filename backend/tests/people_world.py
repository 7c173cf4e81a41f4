"""More admins of a world."""

from sieve.store.queries import people, tokens
from web_world import World


async def add_admin(world: World, name: str, *, confirmed: bool = True) -> None:
    """Another admin: as `sieve admin create --another` makes one, or whom no second admin confirmed."""
    async with world.database.write() as session:
        added = await people.add(
            session, name=name, display_name=name.title(), is_admin=True, admin_confirmed=confirmed, now_ns=1
        )
        world.people[name], world.tokens[name] = added, f"sieve_{name}"
        await tokens.add(session, user_id=added.id, token=f"sieve_{name}", label="test", now_ns=1)
