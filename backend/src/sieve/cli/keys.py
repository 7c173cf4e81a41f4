"""`sieve keys` and `sieve rotate-key`: the master keys, on the gateway's own machine, with its settings."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sieve.cli import table
from sieve.cli.api import show_json
from sieve.cli.errors import BadInput, Failed
from sieve.cli.options import Json

if TYPE_CHECKING:
    from sieve.config import Settings
    from sieve.gateway.keys.rewrap import Wrapped
    from sieve.gateway.keys.rotation import Where

# The gateway's modules are imported in the functions: other commands start in half the time without them.


def keys(as_json: Json = False) -> None:
    """List the master keys: which one wraps, and how many rows of the database need each."""
    from sieve import load_config
    from sieve.store.key_source import KeyFile, key_source

    settings = load_config.load()
    source = key_source(settings.master_key_command, settings.master_key_path)
    if isinstance(source, KeyFile) and not source.path.exists():
        raise Failed(f"there is no master key at {source}; the gateway makes it at its first start")
    rows = asyncio.run(_rows_by_key(settings.database))
    here = source.load(())
    states = dict.fromkeys(rows, "missing") | dict.fromkeys(here.lost, "lost") | dict.fromkeys(here.ids, "earlier")
    states[here.current] = "current"
    ids = sorted(states, key=lambda key: (states[key] != "current", key))
    found = [{"id": key, "state": states[key], "rows": rows.get(key, 0)} for key in ids]
    shown = ([key, states[key], f"{rows.get(key, 0):,}"] for key in ids)
    table.show_list(found, as_json, ["id", "state", "rows"], shown)


async def _rows_by_key(address: str) -> dict[str, int]:
    from sieve.store.database_from_url import database_from_url
    from sieve.store.queries import keys_in_use

    database = database_from_url(address)
    try:
        await database.check()
        async with database.browse() as session:
            return await keys_in_use.counted(session)
    finally:
        await database.dispose()


def rotate_key(
    retire: Annotated[
        bool,
        typer.Option("--retire", help="Remove the earlier keys, once nothing needs them. Needs one of the next two."),
    ] = False,
    save_to: Annotated[
        Path | None,
        typer.Option("--save-to", metavar="FILE", help="Where to put the removed keys; earlier backups need them."),
    ] = None,
    discard: Annotated[
        bool, typer.Option("--discard", help="Delete the removed keys: earlier backups cannot be opened any more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Change the master key: make a new one, and wrap all keys again under it. The gateway must be stopped.

    An interrupted change continues with the same command.
    """
    from sieve import load_config
    from sieve.gateway.keys import rotation
    from sieve.store.key_source import KeyFile

    if not retire and (save_to is not None or discard):
        raise BadInput("--save-to and --discard say what happens to retired keys; use them with --retire")
    settings = load_config.load()
    where = _where(settings)
    is_file = isinstance(where.keys, KeyFile)
    if not retire:
        done = asyncio.run(rotation.rotate(where))
        if as_json:
            show_json(asdict(done))
            return
        print(f"{'made' if done.made else 'kept'} the master key {done.current}; it wrapped {_counted(done.wrapped)}")
        if done.earlier:
            print(
                f"when all is well, remove {', '.join(done.earlier)}: "
                + ("sieve rotate-key --retire --save-to FILE" if is_file else "sieve rotate-key --retire")
            )
        return
    if is_file and (save_to is None) != discard:
        raise BadInput("say what happens to the removed keys: --save-to FILE, or --discard")
    if not is_file and (save_to is not None or discard):
        raise BadInput("SIEVE_MASTER_KEY_COMMAND prints the keys: use --retire alone, then let it print the first only")
    retired = asyncio.run(rotation.retire(where, save_to))
    if as_json:
        show_json({"retired": list(retired)})
        return
    removed = ", ".join(retired)
    if is_file:
        print(f"removed {removed} from {where.keys}" + ("" if save_to is None else f"; {save_to} has it for backups"))
    else:
        print(f"nothing needs {removed}: the command of SIEVE_MASTER_KEY_COMMAND may stop printing it")


def _where(settings: "Settings") -> "Where":
    from sieve import serving
    from sieve.gateway.keys.rotation import Where
    from sieve.store.key_source import key_source

    keys = key_source(settings.master_key_command, settings.master_key_path)
    return Where(settings.data_dir, settings.database, serving.blob_place(settings), keys, settings.identity_path)


def _counted(wrapped: "Wrapped") -> str:
    counted = f"{wrapped.rows:,} keys"
    if wrapped.damaged:
        counted += f"; {wrapped.damaged:,} rows do not open and stay as they are"
    return counted
