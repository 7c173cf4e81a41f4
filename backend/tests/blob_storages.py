"""The storages of blobs in tests: folders, or with SIEVE_TEST_BLOBS=s3, a bucket of an S3 server and a spool.

Each storage has a prefix of its own in one bucket.
"""

import atexit
import os
from datetime import timedelta
from typing import Final
from uuid import uuid4

import s3_server
from s3_server import S3Server
from sieve.store.blob_folder import BlobFolder
from sieve.store.blob_storage import BlobStorage
from sieve.store.s3_objects import S3Address, S3Objects
from sieve.store.s3_storage import S3Storage

ON_S3: Final = os.environ.get("SIEVE_TEST_BLOBS") == "s3"
ABOUT_S3: Final = frozenset({"test_s3_storage.py", "test_s3_bad_days.py", "test_s3_sweep.py"})
"""The files of tests that need the server."""
BUCKET: Final = "sieve-tests"
SPOOL: Final = 1024**3
_ENDPOINT: Final = "SIEVE_TEST_S3"
"""Where the server is, for the processes that share it."""


def start_server() -> None:
    """Starts the server that all processes of these tests use; it ends with this one."""
    server = S3Server.start()
    atexit.register(server.stop)
    server.make_bucket(BUCKET)
    os.environ[_ENDPOINT] = server.endpoint
    os.environ["AWS_ACCESS_KEY_ID"] = s3_server.KEY
    os.environ["AWS_SECRET_ACCESS_KEY"] = s3_server.SECRET
    os.environ["AWS_REGION"] = "us-east-1"


def endpoint() -> str:
    """The server's address."""
    return os.environ[_ENDPOINT]


def new_objects(at: str | None = None, *, bucket: str = BUCKET, prefix: str | None = None) -> S3Objects:
    """Objects below a new prefix. `at`: another address of the server."""
    address = S3Address(bucket, f"{uuid4().hex}/blobs" if prefix is None else prefix, at or endpoint())
    return S3Objects(address, tries=2, try_for=timedelta(seconds=10))


def new_storage(folder: BlobFolder) -> BlobStorage:
    """The storage of a test that uses this folder, or has it as its spool."""
    return S3Storage(new_objects(), folder, SPOOL) if ON_S3 else folder
