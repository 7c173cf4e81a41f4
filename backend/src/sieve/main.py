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
from sieve.store.errors import BlobsUnreachable, DatabaseBusy, ReplicaEnded

log = logging.getLogger("sieve")

TRY_AGAIN: Final = 75
"""The exit status if a server that the gateway needs does not answer, or other replicas ended this one: sysexits.h
calls it EX_TEMPFAIL."""


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
    except (DatabaseBusy, BlobsUnreachable, ReplicaEnded) as error:
        print(f"sieve gateway: {error}", file=sys.stderr)
        return TRY_AGAIN
    except (ConfigError, StartError, SieveError) as error:
        print(f"sieve gateway: {error}", file=sys.stderr)
        return 2
    return 0
