"""`sieve gateway` and `sieve admin`: what is done on the gateway's own machine, with its settings."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from sieve import config
from sieve.cli.errors import BadInput, Failed
from sieve.separated_folder import write_private

admin = typer.Typer(help="Work on the gateway's data folder itself.", no_args_is_help=True, rich_markup_mode=None)

# The gateway's parts are imported where they are needed: the other commands start in half the time without them.


def gateway() -> None:
    """Run a gateway, with the settings of SIEVE_* variables or of the TOML file that SIEVE_CONFIG names."""
    from sieve.main import run

    raise typer.Exit(run(config.load))


@admin.callback()
def _group() -> None:
    """Makes `admin` a group although it has one command only."""


@admin.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")],
    out_token: Annotated[
        Path | None, typer.Option("--out-token", metavar="FILE", help="Write the token there, not to stdout.")
    ] = None,
    display_name: Annotated[str | None, typer.Option("--display-name", help="Instead of the login.")] = None,
    another: Annotated[bool, typer.Option("--another", help="Although there is an admin already.")] = False,
) -> None:
    """Make the first admin, and a token for them."""
    from pydantic import TypeAdapter, ValidationError

    from sieve.web.people.schemas import Login

    try:
        login: str = TypeAdapter(Login).validate_python(name)
    except ValidationError:
        raise BadInput("a login is 1 to 63 of a-z, 0-9 and . _ @ - between them") from None
    token = asyncio.run(_create(config.load(), login, display_name or login, another=another))
    if out_token is None:
        print(token)
    else:
        write_private(out_token, f"{token}\n".encode())


async def _create(settings: config.Settings, name: str, display_name: str, *, another: bool) -> str:
    from sieve.gateway.marks import now_ns
    from sieve.store.database import Database
    from sieve.store.queries import people
    from sieve.web.tokens.new_token import new_token
    from sieve.web.tokens.schemas import TokenAsked

    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Failed(f"cannot make the data folder {settings.data_dir}: {error.strerror}") from error
    database = Database(settings.database)
    try:
        await database.migrate()
        async with database.write() as session:
            if not another and await people.any_admin(session):
                raise Failed("there is an admin already; use that account, or say --another")
            if await people.by_name(session, name) is not None:
                raise Failed(f"there is somebody named {name} already; choose another name")
            user = await people.add(session, name=name, display_name=display_name, is_admin=True, now_ns=now_ns())
            made = await new_token(session, user, TokenAsked(label="sieve admin create"))
        return made.token
    finally:
        await database.dispose()
