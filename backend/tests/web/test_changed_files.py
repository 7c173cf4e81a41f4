"""A bit that flipped in a stored plain file: nobody gets the changed byte as good, and every reader learns what to do.

A real server, for what counts is what reaches the client.
"""

import json
import logging
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest

from cases import each
from command_world import Served, Sieve
from sieve.demo import NO_TLS
from sieve.store.plain_blob import CHANGED
from sieve.store.segment_tags import SEGMENT
from sieve.web import downloads

SECRET = b"<$S>at noon<$E>"
MARKED = SECRET.join(bytes([letter]) * SEGMENT for letter in b"abcd")
"""Four segments of plain bytes, with a secret at each border of them."""
EDITIONS = {"full": "bruno", "marked": "bruno", "redacted": "rosa", "gaps": "rosa"}
"""And who asks for each."""
PLACES = {"first": 17, "middle": 2 * SEGMENT + 5, "last": 4 * SEGMENT - 1}


@pytest.fixture
def transfer(served: Served) -> str:
    return served.run(served.world.deliver(MARKED))


@pytest.fixture
def plain_file(served: Served, transfer: str) -> Path:
    del transfer
    [found] = [path for path in served.world.blob_files() if path.stat().st_size == 4 * SEGMENT]
    return found


@pytest.fixture
def api(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{served.url}/api/v1", trust_env=False, verify=NO_TLS) as client:
        yield client


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 4]))


def got(api: httpx.Client, served: Served, path: str, who: str) -> tuple[int, bytes, bool]:
    """The status, what arrived, and whether it passed for whole."""
    arrived = b""
    headers = {"Authorization": f"Bearer {served.world.tokens[who]}"}
    try:
        with api.stream("GET", path, headers=headers) as answer:
            for piece in answer.iter_raw():
                arrived += piece
    except httpx.RemoteProtocolError:
        return answer.status_code, arrived, False
    return answer.status_code, arrived, True


@each(("edition", "place"), product(EDITIONS, PLACES))
def test_every_edition_is_refused_before_its_first_byte(
    served: Served, api: httpx.Client, transfer: str, plain_file: Path, edition: str, place: str
) -> None:
    who = EDITIONS[edition]
    path = f"/inbox/{transfer}/content?edition={edition}"
    whole = got(api, served, path, who)
    flip(plain_file, PLACES[place])
    status, body, _ = got(api, served, path, who)
    assert (status, json.loads(body)["detail"]) == (500, CHANGED)
    flip(plain_file, PLACES[place])  # as a backup would
    assert got(api, served, path, who) == whole


@pytest.mark.parametrize(("edition", "place"), [*zip(EDITIONS, ["middle", "last"] * 2, strict=True)])
def test_behind_what_was_checked_first_an_answer_is_cut_and_none_of_it_is_wrong(
    served: Served,
    api: httpx.Client,
    transfer: str,
    plain_file: Path,
    edition: str,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    who = EDITIONS[edition]
    monkeypatch.setattr(downloads, "FRONT", SEGMENT)
    path = f"/inbox/{transfer}/content?edition={edition}"
    _, whole, _ = got(api, served, path, who)
    flip(plain_file, PLACES[place])
    with caplog.at_level(logging.ERROR, "sieve"):
        status, body, complete = got(api, served, path, who)
    assert (status, complete) == (200, False)
    assert body == whole[: len(body)] != whole
    [told] = [record.getMessage() for record in caplog.records if record.name.startswith("sieve")]
    file = f"{plain_file.parent.name}/{plain_file.name} in the blob folder"
    assert told == f"a download was cut: {CHANGED} ({file}, of {transfer})"


def test_what_the_uncleared_read_says_nothing_of_the_secret(
    served: Served, api: httpx.Client, transfer: str, plain_file: Path
) -> None:
    """Nor does where the answer ends: the plain stream alone says that."""
    flip(plain_file, PLACES["last"])
    _, body, _ = got(api, served, f"/inbox/{transfer}/content?edition=redacted", "rosa")
    assert json.loads(body) == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": CHANGED,
    }


@pytest.mark.parametrize("who", ["bruno", "rosa"])
def test_the_verification_agrees(served: Served, api: httpx.Client, transfer: str, plain_file: Path, who: str) -> None:
    flip(plain_file, PLACES["middle"])
    status, body, _ = got(api, served, f"/inbox/{transfer}/verification", who)
    shown = json.loads(body)
    assert (status, shown["valid"]) == (200, False)
    wrong = {check["name"]: check["says"] for check in shown["checks"] if not check["ok"]}
    assert wrong["plain_digest"] == f"{CHANGED[0].upper()}{CHANGED[1:]}."


@pytest.mark.parametrize("front", [8 * SEGMENT, SEGMENT], ids=["refused", "cut"])
@pytest.mark.parametrize("edition", ["full", "marked"])
def test_the_command_says_so_and_keeps_nothing(
    served: Served,
    sieve: Sieve,
    transfer: str,
    plain_file: Path,
    tmp_path: Path,
    front: int,
    edition: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(downloads, "FRONT", front)
    flip(plain_file, PLACES["last"])
    folder = tmp_path / "got"
    folder.mkdir()
    status, out, error = sieve("get", transfer, "--out", str(folder / "it"), "--edition", edition, who="bruno")
    assert (status, out) == (1, "")
    assert CHANGED[1:] in error and error.count("\n") == 1
    assert list(folder.iterdir()) == []


def test_an_author_hears_it_of_a_document_of_their_own(served: Served, api: httpx.Client) -> None:
    document = served.run(served.world.upload(b"a" * SEGMENT + SECRET + b"b" * SEGMENT))
    [plain] = [path for path in served.world.blob_files() if path.stat().st_size == 2 * SEGMENT]
    flip(plain, PLACES["first"])
    for path in (f"/documents/{document}/content", f"/documents/{document}/plain"):
        status, body, _ = got(api, served, path, "anna")
        assert (status, json.loads(body)["detail"]) == (500, CHANGED)
    assert got(api, served, f"/documents/{document}/classified", "anna") == (200, b"at noon", True)
