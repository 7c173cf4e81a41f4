"""Starts a gateway in this process: checks what a start needs, then imports and runs the gateway's parts.

The checks come first because the imports take more than a second: a start that cannot succeed ends at once, and the
process replaces itself for other suites of TLS 1.3 before the imports.
"""

import logging
import os
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from sieve import cipher_suites
from sieve.aes_speed import aes_is_fast
from sieve.config import PREFIX, Settings
from sieve.config_error import ConfigError
from sieve.core.errors import SieveError
from sieve.gateway.errors import StartError
from sieve.gateway.peering import openssl_config
from sieve.gateway.peering.identity import Identity
from sieve.gateway.runtime import data_folder
from sieve.gateway.runtime.allocator import keep_freed_memory
from sieve.gateway.runtime.confinement import keep_private
from sieve.store.errors import (
    TAKES_NOTHING,
    BlobsUnreachable,
    DatabaseBusy,
    DatabaseUnwritable,
    ReplicaEnded,
    StorageFull,
)

log = logging.getLogger("sieve")

TRY_AGAIN: Final = 75
"""The exit status if the same start may succeed later: sysexits.h calls it EX_TEMPFAIL."""
MUST_BE_MENDED: Final = 2
"""The exit status if a setting or a file must be mended first."""
_PASSING: Final = (
    DatabaseBusy,
    DatabaseUnwritable,
    StorageFull,
    BlobsUnreachable,
    ReplicaEnded,
    data_folder.InUseError,
)


def exit_status(error: BaseException) -> int:
    """The exit status of a start that failed. The same start may succeed later if a server did not answer, a disk took
    nothing, another process used the data folder, or other replicas ended this one.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _PASSING) or (isinstance(cause, OSError) and cause.errno in TAKES_NOTHING):
            return TRY_AGAIN
        cause = cause.__cause__
    return MUST_BE_MENDED


def _start_again(environment: Mapping[str, str]) -> None:
    """Replaces this process by the same command with another environment: same pid, same streams."""
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def run(load: Callable[[], Settings], *, adopt_blobs: bool = False) -> int:
    """Runs a gateway in this process until a signal stops it; returns the exit status. If it cannot start, one line on
    stderr says why.

    `adopt_blobs`: see `open_store`.
    """
    try:
        settings = load()
        logging.basicConfig(
            level=settings.log_level.upper(),
            stream=sys.stderr,
            format=f"%(asctime)s %(levelname)s {settings.name} %(name)s: %(message)s",
        )
        for chatty in ("uvicorn", "httpx", "httpcore", "sqlalchemy", "alembic", "pikepdf"):
            logging.getLogger(chatty).setLevel(logging.WARNING)
        openssl_config.put_in_force(
            cipher_suites.of_tls_1_3(settings.tls_suites or cipher_suites.fastest_first(aes_is_fast=aes_is_fast())),
            settings.openssl_config_path,
            os.environ,
            _start_again,
        )
        for name, text in settings.warnings.items():
            log.warning("%s%s: %s", PREFIX, name.upper(), text)
        # A core dump would hold clear text.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        confinement = keep_private()
        for mechanism in confinement.missing:
            log.warning("the kernel does not protect this process by: %s", mechanism)
        keep_freed_memory()
        lock_fd = data_folder.lock(Path(settings.data_dir))
        data_folder.check_not_half_restored(Path(settings.data_dir))
        identity = Identity.load(settings.identity_path)
        import uvloop

        from sieve import serving

        with suppress(KeyboardInterrupt):
            uvloop.run(serving.run(settings, identity, lock_fd, confinement=confinement, adopt_blobs=adopt_blobs))
    except (ConfigError, StartError, SieveError, BlobsUnreachable) as error:
        print(f"sieve gateway: {error}", file=sys.stderr)
        return exit_status(error)
    return 0
