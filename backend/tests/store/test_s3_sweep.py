"""Objects without a row go after two looks and a grace; nothing else does."""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from blob_storages import new_objects
from sieve.store.errors import BlobsUnreachable
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


def swept(objects: S3Objects, known: Collection[str], grace: timedelta = NO_GRACE, *, adopts: bool = False) -> set[str]:
    """What is left after a sweep."""
    sweep = S3Sweep(objects, grace)
    if adopts:
        sweep.adopt()
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


def test_nor_are_more_noted_because_there_are_many_others(
    objects: S3Objects, ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 1)
    more = [uuid4().hex for _ in range(17)]
    for blob_id in more:
        objects.put(blob_id, tmp_path / "file", 4)
    swept(objects, [*ids[2:], *more])
    assert not objects.unknown()
    swept(objects, [*ids[1:], *more])
    assert objects.unknown().keys() == {ids[0]}


def test_what_people_delete_during_a_sweep_is_not_unknown(
    objects: S3Objects, ids: list[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retention may delete thousands; they leave the store a moment after their rows."""
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 0)
    sweep = S3Sweep(objects, NO_GRACE)
    sweep.look()
    assert sweep.settle(ids[:1], ids) == 0
    assert not objects.unknown() and caplog.text == ""


def test_what_an_admin_adopts_goes_with_the_sweeps_after_the_grace(
    objects: S3Objects, ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 2)
    assert swept(objects, ids[:1], timedelta(days=7), adopts=True) == {*ids}
    assert objects.unknown().keys() == {*ids[1:]}
    # A newer database after all: it keeps them.
    assert swept(objects, ids) == {*ids}
    assert not objects.unknown()
    assert swept(objects, ids[:1]) == {*ids}, "that was adopted once, and counts no more"
    swept(objects, ids[:1], adopts=True)
    more = [uuid4().hex for _ in range(3)]
    for blob_id in more:
        objects.put(blob_id, tmp_path / "file", 4)
    assert swept(objects, ids[:1]) == {*ids, *more}, "those are too many again"
    assert swept(objects, [*ids[:1], *more]) == {ids[0], *more}


def test_adopting_lasts_until_a_sweep_has_noted_them(
    objects: S3Objects, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 2)
    sweep = S3Sweep(objects, NO_GRACE)
    sweep.adopt()
    sweep.look()
    with monkeypatch.context() as away:
        away.setattr(objects, "note_unknown", _unreachable)
        with pytest.raises(BlobsUnreachable):
            sweep.settle([])
    assert sweep.settle([]) == 0 and objects.unknown().keys() == {*ids}
    objects.forget_unknown(ids)
    sweep.look()
    assert sweep.settle([]) == 0 and not objects.unknown()


def _unreachable(_: str) -> None:
    raise BlobsUnreachable("away")
