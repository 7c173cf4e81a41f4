"""The objects of blobs in a bucket of an S3 store: put whole, read by ranges, listed, removed. Everything here blocks.

    PREFIX/00/ to PREFIX/ff/       the blobs, named by id
    PREFIX/unknown/ID              a blob that no row named; the store's date of this object says since when
    PREFIX/folder-id               the id; a database names the one that it belongs to
    PREFIX/check                   the same few bytes, put again to see that the store takes and gives objects

No other object is ever changed: each id is random, and is put once.
"""

import configparser
import logging
import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from sieve.store.blob_place import S3Address
from sieve.store.errors import BlobDamaged, BlobsUnreachable, StorageFull

log = logging.getLogger(__name__)

T = TypeVar("T")

PART: Final = 8 * 1024 * 1024
"""Bytes of a part. An object of more is put in parts, four at a time, so an upload holds 32 MiB in memory."""
_PARTS_AT_ONCE: Final = 4
_TRIES: Final = 5
_TRY_FOR: Final = timedelta(seconds=20)
_CREDENTIALS_FOR: Final = timedelta(minutes=5)
_UNKNOWN: Final = "unknown"
_FOLDER_ID: Final = "folder-id"
_CHECK: Final = "check"
_CHECKED: Final = b"sieve"
_SHARD: Final = re.compile(r"[0-9a-f]{2}")
_CODE: Final = re.compile(r"<Code>(\w+)</Code>")
_STATUS: Final = re.compile(r"non-2xx status code: (\d{3})")
_FULL: Final = frozenset(
    {
        "EntityTooLarge",
        "InsufficientStorage",
        "QuotaExceeded",
        "StorageFull",
        "XMinioStorageFull",
        "QuotaExceededException",
    }
)


class S3Objects:
    """The objects below one prefix. Any number of threads may use it."""

    def __init__(self, address: S3Address, tries: int = _TRIES, try_for: timedelta = _TRY_FOR) -> None:
        """`tries`: how often a request is repeated. `try_for`: for how long. Credentials and
        region come from the environment variables of AWS, from its file of credentials, or from the role of the machine
        or container.
        """
        self.address: Final = address
        config: dict[str, Any] = {"conditional_put": "etag"}
        options: dict[str, Any] = {"timeout": "60s", "connect_timeout": "5s"}
        if address.endpoint is not None:
            config["endpoint"] = address.endpoint
            options["allow_http"] = address.endpoint.startswith("http://")
        if address.ca is not None:
            options["root_certificate"] = address.ca
        backoff: Any = {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=3), "base": 2}
        self.store = S3Store(
            address.bucket,
            prefix=address.prefix or None,
            # Its types want dictionaries of fixed keys; which keys are set follows from the address here.
            config=config,  # type: ignore[arg-type]
            client_options=options,  # type: ignore[arg-type]
            retry_config={"backoff": backoff, "max_retries": tries, "retry_timeout": try_for},
            credential_provider=_of_file(os.environ),
        )
        self._put_mode: Any = "create"

    # --- blobs -----------------------------------------------------------------------------------------------------

    def put(self, blob_id: str, path: Path, size: int) -> None:
        """Stores the file as an object. It is complete when this returns; until then nobody sees a part of it.

        Raises:
            StorageFull: there is no room for it.
            BlobsUnreachable: it cannot be stored now.
        """
        if size > PART:
            self._do(
                lambda: obstore.put(self.store, _key(blob_id), path, chunk_size=PART, max_concurrency=_PARTS_AT_ONCE)
            )
        else:
            self._create(_key(blob_id), path.read_bytes())

    def _create(self, key: str, data: bytes) -> None:
        """Puts an object that is not there. One of the same size may be: from a request whose answer was lost."""

        def create() -> None:
            try:
                obstore.put(self.store, key, data, mode=self._put_mode, use_multipart=False)
            except AlreadyExistsError:
                if obstore.head(self.store, key)["size"] != len(data):
                    raise

        self._do(create)

    def size(self, blob_id: str) -> int:
        """Its bytes.

        Raises:
            BlobDamaged: it is missing.
            BlobsUnreachable: that cannot be found out now.
        """
        return self._do(lambda: int(obstore.head(self.store, _key(blob_id))["size"]))

    def read(self, blob_id: str, start: int, end: int) -> bytes:
        """Bytes `start` to `end`, of which there is at least one; fewer if the object ends before.

        Raises:
            BlobDamaged: it is missing, or ends before `start`.
            BlobsUnreachable: it cannot be read now.
        """
        return self._do(lambda: bytes(obstore.get_range(self.store, _key(blob_id), start=start, end=end)))

    def pieces(self, blob_id: str, start: int = 0) -> Iterator[bytes]:
        """The object from `start` on, in parts.

        Raises:
            BlobDamaged: it is missing.
            BlobsUnreachable: it cannot be read now.
        """
        size = self.size(blob_id)
        for at in range(start, size, PART):
            yield self.read(blob_id, at, min(at + PART, size))

    def remove(self, blob_ids: list[str]) -> None:
        """Removes them, if they are there.

        Raises:
            BlobsUnreachable: they cannot be removed now.
        """
        self._remove([_key(each) for each in blob_ids])

    def _remove(self, keys: list[str]) -> None:
        if keys:
            self._do(lambda: obstore.delete(self.store, keys))

    def all(self) -> Iterator[tuple[str, datetime]]:
        """The id of each blob, and when it was stored, by the store's clock.

        Raises:
            BlobsUnreachable: they cannot be listed now.
        """
        return ((name, at) for below, name, at in self._listed("") if _SHARD.fullmatch(below))

    def _listed(self, below: str) -> Iterator[tuple[str, str, datetime]]:
        """The folder, the name and the date of each object below."""
        stream = obstore.list(self.store, below or None)
        while (chunk := self._do(lambda: next(stream, None))) is not None:
            for each in chunk:
                folder, _, name = each["path"].rpartition("/")
                yield folder, name, each["last_modified"]

    # --- what no row names -----------------------------------------------------------------------------------------

    def unknown(self) -> dict[str, datetime]:
        """The blobs that were noted as unknown, and when, by the store's clock."""
        return {name: at for _, name, at in self._listed(_UNKNOWN)}

    def note_unknown(self, blob_id: str) -> None:
        """Notes that no row names it."""
        self._do(lambda: obstore.put(self.store, f"{_UNKNOWN}/{blob_id}", b"\n", use_multipart=False))

    def forget_unknown(self, blob_ids: list[str]) -> None:
        """Removes such notes."""
        self._remove([f"{_UNKNOWN}/{each}" for each in blob_ids])

    def now(self) -> datetime:
        """The time by the store's clock, to the second."""

        def ask() -> datetime:
            obstore.put(self.store, _CHECK, _CHECKED, use_multipart=False)
            return obstore.head(self.store, _CHECK)["last_modified"]

        return self._do(ask)

    # --- the store -------------------------------------------------------------------------------------------------

    def folder_id(self) -> str | None:
        """The id of what lies below the prefix; None if it has none."""

        def read() -> str | None:
            try:
                return bytes(obstore.get(self.store, _FOLDER_ID).bytes()).decode("ascii", "replace").strip()
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None

        return self._do(read)

    def name(self, folder_id: str) -> None:
        """Gives it that id, unless it has one."""
        self._create(_FOLDER_ID, f"{folder_id}\n".encode())

    def check_writable(self) -> None:
        """Stores an object: one request.

        Raises:
            StorageFull: there is no room for it.
            BlobsUnreachable: that cannot be done; the sentence says what to fix.
        """
        self._do(lambda: obstore.put(self.store, _CHECK, _CHECKED, use_multipart=False))

    def check(self) -> None:
        """Tries what the gateway needs of a store: stores an object, stores it again, reads a range of it and removes
        one that is not there. If the store ignores `If-None-Match`, the log says so.

        Raises:
            StorageFull: there is no room for it.
            BlobsUnreachable: one of this cannot be done; the sentence says what to fix.
        """

        # Always the same object, which stays: one that is removed again would be left behind if the process ends
        # before, or each time if the store refuses to remove it. So replicas may check at the same time, too.
        def check() -> bytes:
            obstore.put(self.store, _CHECK, _CHECKED, use_multipart=False)
            try:
                obstore.put(self.store, _CHECK, _CHECKED, mode="create", use_multipart=False)
                is_conditional = False
            except AlreadyExistsError:
                is_conditional = True
            except BaseError as error:
                if _STATUS.findall(str(error)) != ["501"]:
                    raise
                is_conditional = False
            self._put_mode = "create" if is_conditional else "overwrite"
            return bytes(obstore.get_range(self.store, _CHECK, start=1, end=4))

        found = self._do(check)
        self._remove([f"{_CHECK}-removed"])
        if found != _CHECKED[1:4]:
            raise BlobsUnreachable(f"the S3 store {self.address} does not answer with the range that was asked for")
        if self._put_mode != "create":
            log.warning(
                "the S3 store %s ignores If-None-Match: nothing but their random names keeps objects from being "
                "replaced",
                self.address,
            )

    def _do(self, request: Callable[[], T]) -> T:
        try:
            return request()
        except (BaseError, FileNotFoundError, ValueError) as error:
            raise self._translated(error) from None  # its text shows the whole request

    def _translated(self, error: Exception) -> Exception:
        text = str(error)
        code = (_CODE.findall(text) or [""])[0]
        status = (_STATUS.findall(text) or [""])[0]
        if code in _FULL or status == "507":
            log.warning("the S3 store %s is full: it says %s", self.address, code or status)
            return StorageFull("the S3 store that holds the documents is full; free some space")
        if code == "NoSuchBucket":
            return BlobsUnreachable(f"the S3 store has no bucket {self.address.bucket}; create it or set SIEVE_BLOBS")
        if isinstance(error, FileNotFoundError) or code in ("NoSuchKey", "InvalidRange") or status == "416":
            return BlobDamaged("a stored file is missing or shorter than it was; restore it from a backup")
        if isinstance(error, PermissionDeniedError | UnauthenticatedError) or status in ("401", "403"):
            says = f" ({code})" if code else ""
            return BlobsUnreachable(
                f"the S3 store {self.address} refuses the credentials{says}; check them and the policy of the bucket"
            )
        why = f"it says {code or status}" if code or status else "it does not answer"
        return BlobsUnreachable(f"the S3 store {self.address} cannot be used right now: {why}")


def _key(blob_id: str) -> str:
    return f"{blob_id[:2]}/{blob_id}"


def _of_file(environment: "os._Environ[str]") -> Callable[[], Any] | None:
    """Credentials from the file that AWS's programs share, read again every few minutes; None if variables or a role
    give them.
    """
    named = environment.get("AWS_SHARED_CREDENTIALS_FILE")
    path = Path(named) if named else Path.home() / ".aws" / "credentials"
    if "AWS_ACCESS_KEY_ID" in environment or "AWS_WEB_IDENTITY_TOKEN_FILE" in environment or not path.is_file():
        return None

    def load() -> dict[str, Any]:
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(path)
        section = parser[environment.get("AWS_PROFILE", "default")]
        return {
            "access_key_id": section["aws_access_key_id"],
            "secret_access_key": section["aws_secret_access_key"],
            "token": section.get("aws_session_token"),
            "expires_at": datetime.now(UTC) + _CREDENTIALS_FOR,
        }

    return load
