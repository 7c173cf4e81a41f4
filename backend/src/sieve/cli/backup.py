"""`sieve backup` and `sieve restore`: on the gateway's own machine, with its settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sieve import config
from sieve.cli.errors import BadInput, Failed

if TYPE_CHECKING:
    from sieve.gateway.backups.folder import Manifest, Places

# What works with the data is imported where it is needed: the other commands start in half the time without it.


def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The backup's folder: a new one, or an empty one.")],
    master_key: Annotated[
        Path | None,
        typer.Option(
            "--master-key", metavar="FILE", help="Copy the master key, too: into FILE, apart from the backup."
        ),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Make none: check the one in DIR, file by file.")] = False,
) -> None:
    """Back up the gateway's database, documents and identity, whether or not it runs. The master key is not in it."""
    from sieve.gateway.backups import backup as backups
    from sieve.gateway.backups.folder import Manifest

    if verify:
        if master_key is not None:
            raise BadInput("--verify makes no backup, so it takes no --master-key")
        manifest, _ = Manifest.read(folder)
        manifest.check(folder)
        print(f"whole: {_described(manifest)}")
        _say_damaged(manifest)
        return
    settings = config.load()
    places = _places(settings)
    made = backups.make(places, settings.name, folder, master_key)
    print(f"backed up: {_described(made.manifest)}, {made.blob_bytes:,} bytes of documents")
    if made.linked:
        print(
            f"{made.linked:,} files are hard links on the gateway's own disk: they outlive a deletion, not the disk. "
            f"Copy {folder} elsewhere"
        )
    if master_key is None and made.manifest.master_keys:
        print(
            f"the master key is not in it, and nothing classified opens without: keep a copy of {places.master_key} "
            f"(needed: {', '.join(made.manifest.master_keys)}) apart from the backup"
        )
    if made.manifest.damaged:
        raise Failed(
            "the backup is made, but files of documents are missing or changed at the gateway: "
            f"{_damaged(made.manifest)}; keep this backup, and look for them in earlier ones"
        )


def restore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `sieve backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Move aside what is there; nothing is deleted.")] = False,
) -> None:
    """Put a backup in the place of the gateway's data. The gateway must be stopped."""
    from sieve.gateway.backups import restore as restores

    places = _places(config.load())
    restored = restores.restore(places, folder, replace=replace)
    manifest = restored.manifest
    if restored.finished:
        print("finished a restore that was cut off")
    print(f"restored: {_described(manifest)}")
    if restored.aside:
        print(f"what was there lies in {', '.join(map(str, restored.aside))}")
    print(_master_key(places.master_key, manifest))
    print(
        f"not in it is what happened after {manifest.taken_at}: ask senders to send again what was received since; "
        "people, tokens, links and peers that were removed or disabled since are back"
    )
    _say_damaged(manifest)


def _places(settings: config.Settings) -> "Places":
    from sieve.gateway.backups.folder import Places
    from sieve.store.database import Database

    return Places(
        data=settings.data_dir,
        database=Database(settings.database).path.absolute(),
        blobs=settings.blobs_path,
        identity=settings.identity_path,
        master_key=settings.master_key_path,
    )


def _described(manifest: "Manifest") -> str:
    files = sum(name.startswith("blobs/") for name in manifest.files)
    return f"{manifest.gateway} as of {manifest.taken_at}: database, {files:,} files of documents, identity"


def _master_key(path: Path, manifest: "Manifest") -> str:
    """Whether the master key that is configured opens what was restored."""
    from sieve.store.errors import MasterKeyError
    from sieve.store.keys import MasterKeys

    needed = ", ".join(manifest.master_keys)
    if not needed:
        return "it needs no master key"
    try:
        MasterKeys.load_or_create(path, manifest.master_keys)
    except MasterKeyError as error:
        return f"before you start the gateway: {error}"
    return f"{path} holds the master key that it needs ({needed})"


def _damaged(manifest: "Manifest") -> str:
    others = f" and {len(manifest.damaged) - 1:,} others" if len(manifest.damaged) > 1 else ""
    return f"{manifest.damaged[0]}{others}"


def _say_damaged(manifest: "Manifest") -> None:
    if manifest.damaged:
        print(f"files of documents were missing or changed at the gateway when it was made: {_damaged(manifest)}")
