"""`sieve backup` and `sieve restore`: commands for the gateway's own machine, with its settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sieve.cli.api import show_json
from sieve.cli.errors import BadInput, Failed
from sieve.cli.options import Json

if TYPE_CHECKING:
    from sieve.config import Settings
    from sieve.gateway.backups.backup import Made
    from sieve.gateway.backups.folder import Manifest, Places
    from sieve.store.key_source import KeySource

# The gateway's modules are imported in the functions: other commands start in half the time without them.


def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder for the backup, new or empty.")],
    master_key: Annotated[
        Path | None,
        typer.Option("--master-key", metavar="FILE", help="Also copy the master key, to FILE outside of the backup."),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check the backup in DIR instead, file by file.")] = False,
    as_json: Json = False,
) -> None:
    """Back up the gateway's data, also while it runs. Without the master key."""
    from sieve.gateway.backups import backup as backups
    from sieve.gateway.backups.folder import Manifest

    if verify:
        if master_key is not None:
            raise BadInput("--verify makes no backup; use it without --master-key")
        manifest, _ = Manifest.read(folder)
        manifest.check(folder)
        if as_json:
            show_json(_facts(manifest))
            return
        print(f"complete: {_described(manifest)}")
        _print_damaged(manifest)
        return
    from sieve import load_config

    settings = load_config.load()
    places = places_of(settings)
    if master_key is not None and settings.master_key_command is not None:
        raise BadInput("SIEVE_MASTER_KEY_COMMAND prints the master key, so there is no file to copy; omit --master-key")
    made = backups.make(places, settings.name, folder, master_key)
    if as_json:
        show_json({**_facts(made.manifest), "blob_bytes": made.blob_bytes, "linked": made.linked})
    else:
        _print_made(made, folder, None if master_key else _key_source(settings))
    if made.manifest.damaged:
        raise Failed(
            "the backup is made, but files of documents are missing or changed at the gateway: "
            f"{_damaged(made.manifest)}; keep this backup, and look for these files in earlier ones"
        )


def restore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `sieve backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Move existing data aside; nothing is deleted.")] = False,
    as_json: Json = False,
) -> None:
    """Restore the gateway's data from a backup. The gateway must be stopped."""
    from sieve import load_config
    from sieve.gateway.backups import restore as restores

    settings = load_config.load()
    places = places_of(settings)
    restored = restores.restore(places, folder, replace=replace)
    manifest = restored.manifest
    if as_json:
        aside = [str(folder) for folder in restored.aside]
        show_json({**_facts(manifest), "aside": aside, "finished": restored.finished})
        return
    if restored.finished:
        print("finished a restore that was interrupted")
    print(f"restored: {_described(manifest)}")
    if restored.aside:
        print(f"the earlier data is in {', '.join(map(str, restored.aside))}")
    print(_master_key(_key_source(settings), manifest))
    print(
        f"the backup has nothing from after {manifest.taken_at}: ask senders to send later documents again; people, "
        "tokens, links and peers that were removed or disabled later are back"
    )
    _print_damaged(manifest)


def _print_made(made: "Made", folder: Path, keys: "KeySource | None") -> None:
    """`keys`: where the master key is, if it was not copied, too."""
    print(f"backed up: {_described(made.manifest)}, {made.blob_bytes:,} bytes of documents")
    if made.linked:
        print(
            f"{made.linked:,} files are hard links on the gateway's own disk: they survive a deletion, but not a disk "
            f"failure. Copy {folder} to another disk"
        )
    if keys is not None and made.manifest.master_keys:
        print(
            f"the backup does not include the master key, and classified data cannot be opened without it: keep a copy "
            f"of {keys} ({', '.join(made.manifest.master_keys)}) outside of the backup"
        )


def _facts(manifest: "Manifest") -> dict[str, Any]:
    """What a backup is, for programs."""
    return {
        "gateway": manifest.gateway,
        "taken_at": manifest.taken_at,
        "files": len(manifest.files),
        "master_keys": list(manifest.master_keys),
        "damaged": list(manifest.damaged),
    }


def places_of(settings: "Settings") -> "Places":
    """Where these settings keep what a backup is of. A relative path counts from the current folder."""
    from sieve.gateway.backups.folder import Places
    from sieve.store.database_from_url import database_from_url
    from sieve.store.sqlite_database import SQLiteDatabase

    if settings.bucket is not None:
        raise Failed(
            f"the documents are in the bucket {settings.blobs}: back it up with the store's own means, and the "
            f"database, {settings.identity_path} and, separately, the master key; docs/operations.md (S3 store) "
            "has the steps"
        )
    database = database_from_url(settings.database)
    if not isinstance(database, SQLiteDatabase):
        raise Failed(
            f"the database {database.name} is on a server: back it up with pg_dump, or continuously with the server's "
            f"own means, and copy {settings.blobs_path}, {settings.identity_path} and, separately, the master key; "
            "docs/operations.md (PostgreSQL) has the steps"
        )
    return Places(
        data=settings.data_dir,
        database=database.path.absolute(),
        blobs=settings.blobs_path,
        identity=settings.identity_path,
        master_key=settings.master_key_path,
    )


def _key_source(settings: "Settings") -> "KeySource":
    from sieve.store.key_source import key_source

    return key_source(settings.master_key_command, settings.master_key_path)


def _described(manifest: "Manifest") -> str:
    files = sum(name.startswith("blobs/") for name in manifest.files)
    return f"{manifest.gateway} as of {manifest.taken_at}: database, {files:,} files of documents, identity"


def _master_key(source: "KeySource", manifest: "Manifest") -> str:
    """Tells whether the configured master key opens the restored data."""
    from sieve.store.errors import MasterKeyError

    needed = ", ".join(manifest.master_keys)
    if not needed:
        return "the backup needs no master key"
    try:
        source.load(manifest.master_keys)
    except MasterKeyError as error:
        return f"before you start the gateway: {error}"
    return f"{source} holds the master key that the backup needs ({needed})"


def _damaged(manifest: "Manifest") -> str:
    others = f" and {len(manifest.damaged) - 1:,} others" if len(manifest.damaged) > 1 else ""
    return f"{manifest.damaged[0]}{others}"


def _print_damaged(manifest: "Manifest") -> None:
    if manifest.damaged:
        print(f"when the backup was made, files of documents were missing or changed: {_damaged(manifest)}")
