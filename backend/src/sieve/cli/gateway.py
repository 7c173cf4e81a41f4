"""`sieve gateway` and `sieve admin`: what is done on the gateway's own machine, with its settings."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sieve import addresses, config
from sieve.cli.errors import BadInput, Failed
from sieve.separated_folder import write_private

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from sieve.gateway.auditing.audit_log import Action

admin = typer.Typer(help="Work on the gateway's data folder itself.", no_args_is_help=True, rich_markup_mode=None)

# The gateway's parts are imported where they are needed: the other commands start in half the time without them.


def gateway(
    adopt_blobs: Annotated[
        bool,
        typer.Option(
            "--adopt-blobs",
            help="Take what is in the blob folder as this database's: files that it does not know go to quarantine, "
            "however many they are. For one start.",
        ),
    ] = False,
) -> None:
    """Run a gateway, with the settings of SIEVE_* variables or of the TOML file that SIEVE_CONFIG names."""
    # Nothing that a start makes is garbage; looking for some would take a tenth of it. `collector` looks again.
    gc.disable()
    from sieve.main import run

    raise typer.Exit(run(config.load, adopt_blobs=adopt_blobs))


@admin.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")],
    out_token: Annotated[
        Path | None, typer.Option("--out-token", metavar="FILE", help="Write the token there, not to stdout.")
    ] = None,
    display_name: Annotated[str | None, typer.Option("--display-name", help="Instead of the login.")] = None,
    another: Annotated[bool, typer.Option("--another", help="Although there is an admin already.")] = False,
) -> None:
    """Make the first admin. Prints a token, and a link by which they set a password, once and within a week."""
    from pydantic import TypeAdapter, ValidationError

    from sieve.web.person import Login

    try:
        login: str = TypeAdapter(Login).validate_python(name)
    except ValidationError:
        raise BadInput("a login is 1 to 63 of a-z, 0-9 and . _ @ - between them") from None
    settings = config.load()
    token, path = asyncio.run(_create(settings, login, display_name or login, another=another))
    if out_token is None:
        print(token)
    else:
        write_private(out_token, f"{token}\n".encode())
    print(_address(settings, path))


@admin.command()
def link(name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")]) -> None:
    """Print a new link by which somebody sets a password, once and within a week. Earlier ones are over."""
    settings = config.load()
    print(_address(settings, asyncio.run(_link(settings, name))))


async def _create(settings: config.Settings, name: str, display_name: str, *, another: bool) -> tuple[str, str]:
    """The new admin's token, and the path of their link."""
    from sieve.gateway.clock import now_ns
    from sieve.store.queries import people
    from sieve.web.tokens.new_token import new_token
    from sieve.web.tokens.schemas import TokenAsked
    from sieve.web.welcome.new_link import new_link

    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Failed(f"cannot make the data folder {settings.data_dir}: {error.strerror}") from error
    async with _writing(settings) as session:
        if not another and await people.any_admin(session):
            raise Failed("there is an admin already; use that account, or say --another")
        if await people.by_name(session, name) is not None:
            raise Failed(f"there is somebody named {name} already; choose another name")
        user = await people.add(session, name=name, display_name=display_name, is_admin=True, now_ns=now_ns())
        await _note(session, "person-added", name, {"admin": True})
        made = await new_token(session, user, TokenAsked(label="sieve admin create"))
        return made.token, (await new_link(session, user)).url


async def _link(settings: config.Settings, name: str) -> str:
    """The path of the new link."""
    from sieve.store.queries import people
    from sieve.web.welcome.new_link import new_link

    async with _writing(settings) as session:
        user = await people.by_name(session, name)
        if user is None:
            raise BadInput(f"there is nobody named {name}")
        await _note(session, "link-given", user.name)
        return (await new_link(session, user)).url


async def _note(
    session: "AsyncSession", action: "Action", subject: str, details: dict[str, bool] | None = None
) -> None:
    """What is done on the gateway's own machine is in its audit log, too: by whoever has the data folder."""
    from sieve.gateway.clock import now_ns
    from sieve.store.models import new_id
    from sieve.store.queries import audit

    await audit.add(
        session,
        entry_id=new_id(),
        actor="(sieve admin)",
        action=action,
        subject=subject,
        details=json.dumps(details or {}),
        reason=None,
        now_ns=now_ns(),
    )


@asynccontextmanager
async def _writing(settings: config.Settings) -> "AsyncIterator[AsyncSession]":
    """A writing transaction in the gateway's database, whether or not the gateway runs."""
    from sieve.gateway.runtime.data_folder import check_not_half_restored
    from sieve.store.database import Database

    check_not_half_restored(settings.data_dir)
    database = Database(settings.database)
    try:
        await database.migrate()
        async with database.write() as session:
            yield session
    finally:
        await database.dispose()


def _address(settings: config.Settings, path: str) -> str:
    """Where a browser finds `path`; behind a proxy, or on a port that is not chosen yet, only they know."""
    if settings.trusted_proxy is not None or addresses.bind(settings.web_bind).port == 0:
        return path
    return f"http://{settings.web_bind}{path}"
