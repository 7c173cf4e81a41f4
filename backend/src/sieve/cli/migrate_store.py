"""`sieve migrate-store`: moves documents and database of a stopped gateway, on its own machine, with its settings."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sieve.cli.api import show_json
from sieve.cli.errors import BadInput
from sieve.cli.options import Json

if TYPE_CHECKING:
    from sieve.config import Settings
    from sieve.gateway.backups.store_move import Moved

# The gateway's modules are imported in the functions: other commands start in half the time without them.

_KEYS = ("database_url", "blobs", "s3_endpoint", "s3_ca", "spool_bytes")


def migrate_store(
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="FILE",
            help="A TOML file with the new place: database_url, blobs, s3_endpoint, s3_ca, spool_bytes. What it leaves "
            "out stays.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Move the documents and the database to another place, such as PostgreSQL and an S3 store. Stop the gateway first.

    An interrupted move continues with the same command. The old place keeps everything, and no gateway starts with it
    any more.
    """
    from sieve import load_config

    settings = load_config.load()
    place = load_config.read(to, "--to")
    for key in place:
        if key not in _KEYS:
            raise BadInput(f"{key} in {to} is not part of a place; it may have {', '.join(_KEYS)}")
    if "blobs" in place and not str(place["blobs"]).startswith("s3:"):
        place = {"s3_endpoint": None, "s3_ca": None} | place
    target = load_config.changed(settings, place, to)
    moved = asyncio.run(_move(settings, target, quiet=as_json))
    if as_json:
        show_json({"blobs": moved.blobs, "blob_bytes": moved.blob_bytes, "rows": moved.rows})
        return
    rows = "the database stays" if moved.rows is None else f"{moved.rows:,} rows"
    print(f"copied and compared {moved.blobs:,} files of documents ({moved.blob_bytes:,} bytes); {rows}")
    names = ", ".join(f"SIEVE_{key.upper()}" for key, value in place.items() if value is not None)
    print(f"now set {names} as in {to}, and start the gateway")


async def _move(settings: "Settings", target: "Settings", *, quiet: bool) -> "Moved":
    from sieve import serving
    from sieve.gateway.backups import store_move
    from sieve.gateway.clock import now_ns
    from sieve.gateway.runtime import data_folder
    from sieve.store.key_source import key_source
    from sieve.store.open_store import open_store

    old, new = (store_move.Where(each.database, serving.blob_place(each)) for each in (settings, target))
    data_folder.check_user(settings.data_dir, "sieve migrate-store")
    lock_fd = data_folder.lock(settings.data_dir)
    try:
        data_folder.check_not_half_restored(settings.data_dir)
        keys = key_source(settings.master_key_command, settings.master_key_path)
        store = await open_store(old.database_url, old.blobs, keys, None, now_ns=now_ns())
        try:
            return await store_move.move(store, old, new, copied=_quiet if quiet else _progress)
        finally:
            await store.close()
    finally:
        os.close(lock_fd)


def _quiet(_done: int, _all: int) -> None:
    pass


def _progress(done: int, all_of_them: int) -> None:
    if done % 1000 == 0 or done == all_of_them:
        print(f"{done:,} of {all_of_them:,} files of documents", file=sys.stderr)
