"""Objects without a row go after two looks and a grace; nothing else does."""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from blob_storages import new_objects
from sieve.store.s3_objects import S3Objects
from sieve.store.s3_sweep import FEW, S3Sweep

NO_GRACE = timedelta(0)


@pytest.fixture
def objects() -> S3Objects:
    return new_objects()


@pytest.fixture
def ids(objects: S3Objects, tmp_path: Path) -> list[str]:
    """Four blobs."""
    file = tmp_path / "file"
    file.write_bytes(b"blob")
    ids = [uuid4().hex for _ in range(4)]
    for blob_id in ids:
        objects.put(blob_id, file, 4)
    return ids


def swept(objects: S3Objects, known: Collection[str], grace: timedelta = NO_GRACE) -> set[str]:
    """What is left after a sweep."""
    sweep = S3Sweep(objects, grace)
    sweep.look()
    sweep.settle(known)
    return {blob_id for blob_id, _ in objects.all()}


def test_the_first_look_removes_nothing_and_the_second_what_is_unknown(objects: S3Objects, ids: list[str]) -> None:
    assert swept(objects, ids[:2]) == {*ids}
    assert objects.unknown().keys() == {*ids[2:]}
    assert swept(objects, ids[:2]) == {*ids[:2]}
    assert not objects.unknown()


def test_nothing_goes_before_the_grace_is_over(objects: S3Objects, ids: list[str]) -> None:
    for _ in range(2):
        assert swept(objects, ids[:2], timedelta(days=7)) == {*ids}


def test_what_a_row_names_meanwhile_is_forgotten(objects: S3Objects, ids: list[str]) -> None:
    swept(objects, ids[:2])
    assert swept(objects, ids[:3]) == {*ids[:3]}
    assert swept(objects, ids[:2]) == {*ids[:3]}
    assert objects.unknown().keys() == {ids[2]}


def test_what_comes_after_the_look_is_left_alone(objects: S3Objects, ids: list[str], tmp_path: Path) -> None:
    swept(objects, [])
    sweep = S3Sweep(objects, NO_GRACE)
    sweep.look()
    later = uuid4().hex
    objects.put(later, tmp_path / "file", 4)
    assert sweep.settle([]) == 4
    assert {blob_id for blob_id, _ in objects.all()} == {later}


def test_an_older_database_removes_nothing(
    objects: S3Objects, ids: list[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 3)
    assert FEW == 256
    for _ in range(2):
        assert swept(objects, []) == {*ids}
    assert not objects.unknown()
    assert "Is it an older one?" in caplog.text
