"""Where a gateway's blobs are: in a folder, or in a bucket of an S3 store with a spool before it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class S3Address:
    """Where a bucket is. `ca`: certificates, as PEM, that vouch for the store's in addition to the system's."""

    bucket: str
    prefix: str
    endpoint: str | None = None
    ca: bytes | None = None

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, and the spool before it. `spool`: the folder where blobs are until they are complete in the bucket, and
    copies of them. `spool_bytes`: how much it holds at most."""

    address: S3Address
    spool: Path
    spool_bytes: int


BlobPlace: TypeAlias = Path | Bucket
"""A path is the blob folder."""
