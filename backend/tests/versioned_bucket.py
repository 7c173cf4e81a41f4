"""A bucket that keeps versions of its objects, and what the procedures of docs/operations.md do in it."""

from datetime import datetime, timedelta
from typing import Final

from minio import Minio
from minio.commonconfig import ENABLED, CopySource
from minio.versioningconfig import VersioningConfig

import s3_server
from s3_server import S3Server

MARGIN: Final = timedelta(minutes=1)
"""The store writes times in whole seconds, and its clock may differ from that of the database."""


class VersionedBucket:
    """`name`: of the bucket, which is there."""

    def __init__(self, store: S3Server, name: str) -> None:
        self._name = name
        host = store.endpoint.removeprefix("http://")
        self._client = Minio(host, s3_server.KEY, s3_server.SECRET, secure=False, region="us-east-1")

    def keep_versions(self) -> None:
        self._client.set_bucket_versioning(self._name, VersioningConfig(ENABLED))

    def bring_back(self, prefix: str, moment: datetime) -> int:
        """Deletes the delete markers that are newer than the moment, with a margin; returns how many."""
        listed = self._client.list_objects(self._name, f"{prefix}/", recursive=True, include_version=True)
        markers = [each for each in listed if each.is_delete_marker and each.last_modified >= moment - MARGIN]
        for each in markers:
            self._client.remove_object(self._name, each.object_name, version_id=each.version_id)
        return len(markers)

    def copy(self, prefix: str, other: str) -> None:
        """Copies what is there to the other bucket."""
        for each in self._client.list_objects(self._name, f"{prefix}/", recursive=True):
            self._client.copy_object(other, each.object_name, CopySource(self._name, each.object_name))
