"""The exit status of a start that failed: 75 for what may pass, so that systemd starts the gateway again."""

import errno
import os

import pytest

from sieve.config_error import ConfigError
from sieve.gateway.errors import StartError
from sieve.gateway.runtime.data_folder import InUseError
from sieve.main import MUST_BE_MENDED, TRY_AGAIN, exit_status
from sieve.store import errors


@pytest.mark.parametrize(
    "error",
    [
        errors.StorageFull("full"),
        errors.DatabaseUnwritable("read-only"),
        errors.DatabaseBusy("locked"),
        errors.DatabaseUnreachable("no answer"),
        errors.BlobsUnreachable("no answer"),
        errors.ReplicaEnded("ended"),
        InUseError("used by a command that upgrades its database"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_may_pass_is_tried_again(error: Exception) -> None:
    assert exit_status(error) == TRY_AGAIN


@pytest.mark.parametrize("error", [StartError, errors.BlobsUnusable, errors.DatabaseUnusable, errors.MasterKeyError])
@pytest.mark.parametrize(
    ("code", "status"),
    [
        *((code, TRY_AGAIN) for code in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)),
        *((code, MUST_BE_MENDED) for code in (errno.EACCES, errno.ENOENT, errno.ENOTDIR)),
    ],
)
def test_so_is_what_a_disk_says_that_takes_nothing(error: type[Exception], code: int, status: int) -> None:
    try:
        try:
            raise OSError(code, os.strerror(code))
        except OSError as cause:
            raise error("it cannot be used") from cause
    except error as raised:
        assert exit_status(raised) == status


@pytest.mark.parametrize("error", [ConfigError("no name"), StartError("taken"), errors.DatabaseTaken("another one's")])
def test_what_must_be_mended_first_is_not(error: Exception) -> None:
    assert exit_status(error) == MUST_BE_MENDED
