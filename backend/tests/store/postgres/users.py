"""Units of a test: each writes one user."""

from sieve.store.database import Database
from sieve.store.queries import people
from store_rows import a_user


async def names(database: Database) -> list[str]:
    """Of all users."""
    async with database.read() as session:
        return [user.name for user in await people.everybody(session)]


async def write(database: Database, name: str) -> None:
    """One unit with that user."""
    async with database.write() as session:
        await a_user(session, name)
