"""Each thing that can be wrong with an S3 store has one sentence, which says what to fix."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from uuid import uuid4

import obstore
import pytest

from blob_storages import endpoint, new_objects
from s3_relay import S3Relay
from sieve.store.errors import BlobsUnreachable, StorageFull
from sieve.store.s3_objects import S3Objects


@pytest.fixture
def relay() -> Iterator[S3Relay]:
    with S3Relay(endpoint()) as relay:
        yield relay


def paths(objects: S3Objects) -> list[str]:
    return [one["path"] for some in obstore.list(objects.store) for one in some]


def test_a_store_that_works_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    objects = new_objects()
    objects.check()
    assert not caplog.records


@pytest.mark.parametrize("refuses", [True, False])
def test_checks_leave_one_object_however_many_there_are(relay: S3Relay, refuses: bool) -> None:
    """Also if the store refuses to remove objects, which each start of a gateway then says."""
    if refuses:
        relay.answer = lambda request: "403 AccessDenied" if request.startswith(("DELETE", "POST")) else None
    prefix = f"{uuid4().hex}/blobs"
    for _ in range(3):
        objects = new_objects(relay.endpoint, prefix=prefix)
        with pytest.raises(BlobsUnreachable, match="refuses the credentials") if refuses else nullcontext():
            objects.check()
        objects.check_writable()
        assert objects.now().tzinfo is not None
    assert len(paths(objects)) == 1


def test_wrong_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-and-never-shown")
    with pytest.raises(BlobsUnreachable, match="refuses the credentials") as refused:
        new_objects().check()
    assert "wrong-and" not in f"{refused.value!r}{refused.value.__cause__}"


def test_credentials_in_the_file_that_programs_share(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from s3_server import KEY, SECRET

    file = tmp_path / "credentials"
    file.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    new_objects().check()
    file.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = no\n")
    with pytest.raises(BlobsUnreachable, match="refuses the credentials"):
        new_objects().check()


def test_a_bucket_that_is_not_there() -> None:
    objects = new_objects(bucket="not-there")
    for ask in (objects.check, objects.folder_id, lambda: list(objects.all())):
        with pytest.raises(BlobsUnreachable, match="has no bucket not-there; create it or set SIEVE_BLOBS"):
            ask()


@pytest.mark.parametrize("says", ["507 InsufficientStorage", "403 QuotaExceeded"])
def test_a_full_store(relay: S3Relay, says: str) -> None:
    relay.answer = lambda request: says if request.startswith("PUT") else None
    with pytest.raises(StorageFull, match="the S3 store that holds the documents is full; free some space"):
        new_objects(relay.endpoint).check()


@pytest.mark.parametrize("ignores", [True, False])
def test_a_store_without_conditional_writes_works_and_the_log_says_so(
    relay: S3Relay, caplog: pytest.LogCaptureFixture, ignores: bool
) -> None:
    """It ignores the header, so that the second of two puts succeeds; or it refuses it."""

    def answer(request: str) -> str | None:
        if not request.endswith("if-none-match"):
            return None
        is_second = len([each for each in relay.requests if each.startswith("PUT")]) == 2
        if ignores:
            return "200 OK" if is_second else None
        return "501 NotImplemented"

    relay.answer = answer
    objects = new_objects(relay.endpoint)
    objects.check()
    assert "ignores If-None-Match" in caplog.text
    objects.name("a" * 32)
    assert objects.folder_id() == "a" * 32


def test_a_store_that_is_away(relay: S3Relay) -> None:
    relay.cut_at = lambda request: True
    with pytest.raises(BlobsUnreachable, match="cannot be used right now: it does not answer"):
        new_objects(relay.endpoint).check()


def test_the_id_is_given_once() -> None:
    objects = new_objects()
    assert objects.folder_id() is None
    objects.name("a" * 32)
    assert objects.folder_id() == "a" * 32
