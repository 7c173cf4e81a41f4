"""`sieve gateway` and `sieve admin`: commands for the gateway's own machine, with its settings."""

import gc
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sieve import addresses
from sieve.cli.api import show_change
from sieve.cli.errors import BadInput, Failed
from sieve.cli.files import write_target
from sieve.cli.options import Json, examples, group

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from sieve.config import Settings
    from sieve.gateway.auditing.audit_log import Action
    from sieve.store.database import Database

admin = group("Manage the gateway's data folder directly.")

# The gateway's modules are imported in the functions: other commands start in half the time without them.


def gateway(
    adopt_blobs: Annotated[
        bool,
        typer.Option(
            "--adopt-blobs",
            help="Accept the blob folder or the bucket as this database's: all blobs that the database does not know "
            "are removed after 7 days, also if they are many. For one start.",
        ),
    ] = False,
) -> None:
    """Run a gateway. Its settings are SIEVE_* variables, or are in the TOML file that SIEVE_CONFIG names."""
    # A start creates no garbage, and collecting would take a tenth of its time. `collector` enables it again.
    gc.disable()
    from sieve import load_config
    from sieve.main import run

    raise typer.Exit(run(load_config.load, adopt_blobs=adopt_blobs))


@admin.command(epilog=examples("sieve admin create ada", "sieve admin create ada --out-token /root/sieve-token"))
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")],
    out_token: Annotated[
        Path | None, typer.Option("--out-token", metavar="FILE", help="Write the token to FILE instead of stdout.")
    ] = None,
    display_name: Annotated[
        str | None, typer.Option("--display-name", help="The name to show; by default the login.")
    ] = None,
    another: Annotated[bool, typer.Option("--another", help="Create it although there is an admin already.")] = False,
    as_json: Json = False,
) -> None:
    """Create the first admin. Print a token, and a link to set a password, valid once and for a week."""
    import asyncio

    from pydantic import TypeAdapter, ValidationError

    from sieve import load_config
    from sieve.web.person import Login

    try:
        login: str = TypeAdapter(Login).validate_python(name)
    except ValidationError:
        raise BadInput("a login has 1 to 63 characters: a-z and 0-9, and between them . _ @ -") from None
    settings = load_config.load()
    token, path = asyncio.run(_create(settings, login, display_name or login, another=another))
    link = _address(settings, path)
    if out_token is not None:
        write_target(out_token, f"{token}\n".encode())
    made = {"login": login, "link": link}
    made |= {"token": token} if out_token is None else {"token_file": str(out_token)}
    show_change(made, link if out_token is not None else f"{token}\n{link}", as_json=as_json)


@admin.command(epilog=examples("sieve admin link ada"))
def link(name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")], as_json: Json = False) -> None:
    """Print a new link for a person to set a password, valid once and for a week. Earlier links end."""
    import asyncio

    from sieve import load_config

    settings = load_config.load()
    address = _address(settings, asyncio.run(_link(settings, name)))
    show_change({"login": name, "link": address}, address, as_json=as_json)


@admin.command("remove-factors", epilog=examples("sieve admin remove-factors ada"))
def remove_factors(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")], as_json: Json = False
) -> None:
    """Remove the second factors of a person who lost them, and end their sessions. The password stays."""
    import asyncio

    from sieve import load_config

    asyncio.run(_remove_factors(load_config.load(), name))
    show_change({"login": name, "second_factors": "removed"}, as_json=as_json)


@admin.command(epilog=examples("sieve admin confirm bruno"))
def confirm(name: Annotated[str, typer.Argument(metavar="NAME", help="The login.")], as_json: Json = False) -> None:
    """Agree, as the operator of this host, to all that waits for a second admin about a person.

    That is clearance for earlier documents, what a reset locked, and the role of an admin. First make sure that nobody
    else uses the account.
    """
    import asyncio

    from sieve import load_config

    done = asyncio.run(confirm_account(load_config.load(), name))
    if not done:
        raise BadInput(f"nothing about {name} waits for a second admin")
    show_change({"login": name, "confirmed": list(done)}, f"{name}: confirmed {' and '.join(done)}", as_json=as_json)


async def confirm_account(settings: "Settings", name: str) -> "Sequence[str]":
    """Confirms all that waits for a second admin about this person; returns what it was.

    Raises:
        BadInput: there is no such person.
    """
    from sieve.gateway.clock import now_ns
    from sieve.store.queries import approvals, people

    async with _writing(settings) as session:
        user = await people.by_name(session, name)
        if user is None:
            raise BadInput(f"no person has the login {name}")
        done = await approvals.confirm_all(session, user, now_ns())
        for kind in done:
            await _note(session, "approval-given", user.name, {"kind": kind, "in_effect": True})
        return done


async def _create(settings: "Settings", name: str, display_name: str, *, another: bool) -> tuple[str, str]:
    """Returns the new admin's token, and the path of their link."""
    from sieve.gateway.clock import now_ns
    from sieve.store.queries import people
    from sieve.web.one_time_links.new_link import new_link
    from sieve.web.tokens.new_token import new_token
    from sieve.web.tokens.schemas import TokenAsked

    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Failed(f"cannot make the data folder {settings.data_dir}: {error.strerror}") from error
    async with _writing(settings) as session:
        if not another and await people.any_admin(session):
            raise Failed("there is an admin already; use that account, or add --another")
        if await people.by_name(session, name) is not None:
            raise Failed(f"the login {name} exists already; choose another")
        user = await people.add(
            session, name=name, display_name=display_name, is_admin=True, admin_confirmed=True, now_ns=now_ns()
        )
        await _note(session, "person-added", name, {"admin": True})
        made = await new_token(session, user, TokenAsked(label="sieve admin create"))
        return made.token, (await new_link(session, user, made_by_id=None)).url


async def _link(settings: "Settings", name: str) -> str:
    """Returns the path of the new link."""
    from sieve.store.queries import people
    from sieve.web.one_time_links.new_link import new_link

    async with _writing(settings) as session:
        user = await people.by_name(session, name)
        if user is None:
            raise BadInput(f"no person has the login {name}")
        await _note(session, "link-given", user.name)
        return (await new_link(session, user, made_by_id=None)).url


async def _remove_factors(settings: "Settings", name: str) -> None:
    from sieve.store.queries import factors, people, sessions

    async with _writing(settings) as session:
        user = await people.by_name(session, name)
        if user is None:
            raise BadInput(f"no person has the login {name}")
        if not await factors.has_factor(session, user.id):
            raise Failed(f"{name} has no second factor")
        await factors.remove_all(session, user.id)
        await sessions.end_all(session, user.id)
        await _note(session, "factors-taken-away", user.name)


async def _note(
    session: "AsyncSession", action: "Action", subject: str, details: "Mapping[str, object] | None" = None
) -> None:
    """Adds an entry to the audit log; the actor is the owner of the data folder."""
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
async def _writing(settings: "Settings") -> "AsyncIterator[AsyncSession]":
    """A writing transaction in the gateway's database, whether or not the gateway runs."""
    from sieve.gateway.runtime.data_folder import check_not_half_restored
    from sieve.store.database_from_url import database_from_url

    check_not_half_restored(settings.data_dir)
    database = database_from_url(settings.database)
    try:
        await _bring_up_to_date(database, settings.data_dir)
        async with database.write() as session:
            yield session
    finally:
        await database.dispose()


async def _bring_up_to_date(database: "Database", data: Path) -> None:
    """Upgrades the tables, but not those of a file that another process uses. A server knows which gateways use it."""
    from sieve.gateway.runtime.data_folder import locked_if_free

    if database.folder is None:
        await database.migrate()
        return
    with locked_if_free(data) as is_free:
        if is_free:
            await database.migrate()
            return
        if not await database.has_usable_tables():
            raise Failed(
                f"another process uses the data folder {data}, with a database of another version: if it is a gateway, "
                "use the sieve admin of its version, or stop it; if it is a sieve command that upgrades the database, "
                "try again when it has ended"
            )


def _address(settings: "Settings", path: str) -> str:
    """The URL of `path`; only `path` behind a proxy, or if the port is not chosen yet."""
    if settings.trusted_proxy is not None or addresses.bind(settings.web_bind).port == 0:
        return path
    return f"http://{settings.web_bind}{path}"
