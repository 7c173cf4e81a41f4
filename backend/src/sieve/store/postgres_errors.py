"""Our errors for those of PostgreSQL, of its driver and of the network: one sentence each, without a value of a
statement and without a password.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import asyncpg
from asyncpg.exceptions import (
    ClientConfigurationError,
    InterfaceError,
    InternalClientError,
    PostgresError,
    TargetServerAttributeNotMatched,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import InterfaceError as AlchemyInterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from sieve.store.errors import (
    DatabaseBusy,
    DatabaseUnreachable,
    DatabaseUnusable,
    DatabaseUnwritable,
    StorageFull,
    StoreError,
    TextUnstorable,
)

OF_DRIVER: Final = (PostgresError, InternalClientError, InterfaceError, OSError)
"""What the driver raises, and the network."""
BUSY: Final = {
    "55P03": "others have held it for too long",
    "57014": "a statement took too long",
    "25P03": "a transaction was idle for too long",
    "40001": "others changed the same rows",
    "40P01": "others changed the same rows",
}
"""Why trying again helps, by SQLSTATE."""
AWAY: Final = {
    "57P03": "its server is starting, or recovers",
    "57P01": "its server is stopping",
    "57P02": "its server is recovering",
    "57P05": "its server closed a connection that was idle",
    "53300": "its server has no connection left: raise max_connections there, or close others",
    "53200": "its server is out of memory",
    "53000": "its server is out of resources",
}
"""Why there is no connection at the moment, by SQLSTATE."""


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Raises our errors. `name`: the database, for people. Others, such as a violated constraint, stay SQLAlchemy's."""
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseBusy("the database is busy: others have held it for too long; try again") from error
    except InternalClientError as error:  # SQLAlchemy lets it through
        raise unreachable(name, "the connection broke") from error
    except DBAPIError as error:
        ours = of_driver(error.orig, name) if error.orig is not None else None
        if ours is None and error.connection_invalidated:
            ours = unreachable(name, "the connection broke")
        if ours is None:
            raise
        raise ours from error


@contextmanager
def connecting(name: str) -> Iterator[None]:
    """Raises our errors for those of the driver itself and of the network."""
    try:
        yield
    except OF_DRIVER as error:
        ours = of_driver(error, name)
        if ours is None:
            raise
        raise ours from error
    except ValueError:
        # The driver repeats what it cannot read, which may be a password.
        raise DatabaseUnusable("SIEVE_DATABASE_URL cannot be read; check its port and its options") from None


def unreachable(name: str, why: str) -> DatabaseUnreachable:
    """The server cannot be reached at the moment."""
    return DatabaseUnreachable(f"the database {name} cannot be used at the moment: {why}; try again")


def of_driver(error: BaseException, name: str) -> StoreError | None:
    """Our error for one that the driver raised; None if there is none for it."""
    code: str | None = getattr(error, "sqlstate", None)
    if code is not None:
        return _of_server(code, error, name)
    cause = error.__cause__
    if isinstance(error, TargetServerAttributeNotMatched):
        return DatabaseUnreachable(
            f"the database {name} is on a server that only follows another (a standby, in recovery); set "
            "SIEVE_DATABASE_URL to the primary server, or promote this one"
        )
    if isinstance(error, ssl.SSLError):
        reason = error.reason if not isinstance(error, ssl.SSLCertVerificationError) else error.verify_message
        return DatabaseUnusable(
            f"the connection to the database {name} cannot be secured ({reason}); check sslmode and sslrootcert in "
            "SIEVE_DATABASE_URL"
        )
    if isinstance(error, ClientConfigurationError):
        return DatabaseUnusable(f"SIEVE_DATABASE_URL cannot be used: {_first_line(error)}")
    if isinstance(error, TimeoutError | asyncpg.exceptions.ConnectionDoesNotExistError):
        return unreachable(name, "its server does not answer")
    if isinstance(error, OSError):
        return unreachable(name, error.strerror or "its address is not known")
    # A connection that was cut in the middle of an answer may leave the driver in a state that it did not expect.
    if isinstance(error, InterfaceError | InternalClientError | AlchemyInterfaceError):
        return unreachable(name, "the connection broke")
    return None if cause is None or cause is error else of_driver(cause, name)


def _of_server(code: str, error: BaseException, name: str) -> StoreError | None:
    if code in BUSY:
        return DatabaseBusy(f"the database is busy: {BUSY[code]}; try again")
    if code in AWAY:
        return unreachable(name, AWAY[code])
    if code == "22021":
        return TextUnstorable("a text contains the character NUL, which cannot be stored; remove it")
    if code.startswith("08"):
        return unreachable(name, "the connection broke")
    # People read these three, so they do not name the server.
    if code == "53100":
        return StorageFull("the disk of the server of the database is full; free some space")
    if code == "25006":
        return DatabaseUnwritable("the database cannot be written: its server is read-only")
    if code == "58030":
        return DatabaseUnwritable("the database cannot be written: the disk of its server fails")
    if code in ("28P01", "28000"):
        return DatabaseUnusable(
            f"the server of the database {name} refuses the user or the password; check SIEVE_DATABASE_URL, and "
            "pg_hba.conf there"
        )
    if code == "3D000":
        return DatabaseUnusable(
            f"the database {name} does not exist; make it (docs/operations.md), or check SIEVE_DATABASE_URL"
        )
    if code == "42501":
        return DatabaseUnusable(
            f"the user in SIEVE_DATABASE_URL may not use the database {name} ({_first_line(error)}); make that user "
            "its owner"
        )
    if code.startswith("XX"):
        return DatabaseUnusable(f"the database {name} is damaged ({_first_line(error)}); restore it from a backup")
    return None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rpartition(">: ")[2]
