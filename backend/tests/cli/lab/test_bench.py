"""`sieve bench`, on gateways that are made up."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from sieve import demo
from sieve.cli import main
from sieve.cli.lab import measured_modes
from sieve.cli.lab.measured_modes import Case
from sieve.cli.lab.own_gateways import OwnGateways
from sieve.demo import documents

RESPONSE_MS = {"sieve": 30.0, "secure-only": 40.0}


class MadeUp:
    """Answers as alpha and bravo do. Each response of a mode takes a millisecond longer than the one before."""

    def __init__(self) -> None:
        self.documents: list[bytes] = []
        self.transfers: list[dict[str, Any]] = []
        self.removed: list[str] = []
        self.ends_as = "delivered"

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if request.method == "DELETE":
            self.removed.append(path.rpartition("/")[2])
            return httpx.Response(204)
        if path == "/documents":
            self.documents.append(request.read())
            return httpx.Response(201, json={"id": f"d{len(self.documents)}"})
        if path == "/transfers":
            self.transfers.append(json.loads(request.read()) | {"looks": 0})
            return httpx.Response(202, json={"id": str(len(self.transfers) - 1)})
        transfer = self.transfers[int(path.rpartition("/")[2])]
        transfer["looks"] += 1
        if transfer["looks"] == 1:
            return httpx.Response(200, json={"id": path.rpartition("/")[2], "state": "sending", "reason": None})
        mode = transfer["mode"]
        before = sum(each["mode"] == mode for each in self.transfers) - 1
        found = {"id": path.rpartition("/")[2], "state": self.ends_as, "reason": "no way"}
        return httpx.Response(200, json=found | {"timings": {"response": RESPONSE_MS[mode] + before}})


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    found = MadeUp()

    @contextmanager
    def own_gateways(folder: Path, identities: Path, settings: Mapping[str, str]) -> Iterator[OwnGateways]:
        with httpx.Client(base_url="http://alpha", transport=httpx.MockTransport(found.answer)) as client:
            yield OwnGateways(cast(Any, None), cast(Any, None), "", client, client)

    monkeypatch.setattr(measured_modes, "own_gateways", own_gateways)
    monkeypatch.setattr(measured_modes, "FIRST_LOOK_S", 0.0)
    monkeypatch.setattr(measured_modes, "LOOK_AGAIN_S", 0.0)
    monkeypatch.setattr(demo, "make_identities", lambda folder: None)
    return found


def test_the_modes_are_compared_round_by_round(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--size", "1000", "--size", "1000", "--share", "0.5", "--rounds", "3", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    # The first round does not count: 31 to 33 ms beside 41 to 43.
    assert (found["size"], found["classified_share"], found["rounds"]) == (1000, 0.5, 3)
    assert (found["sieve_ms"], found["secure_only_ms"]) == (32.0, 42.0)
    each = [100 * (1 - (31 + number) / (41 + number)) for number in range(3)]
    assert found["improvement_percent"] == round(sum(each) / 3, 1)
    assert 0 < found["ci95_percent"] < 3
    assert len(documents.content(made_up.documents[0])) == 1000
    assert sorted(each["mode"] for each in made_up.transfers) == ["secure-only"] * 4 + ["sieve"] * 4
    assert made_up.removed == [str(number) for number in range(8)]


def test_a_table_has_a_line_for_each_case(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--size", "1000", "--size", "2000000", "--share", "0.1", "--rounds", "2"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [["1 KB", "10%"], ["2 MB", "10%"]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rounds", "1"], "Invalid value for '--rounds'"),
        (["--size", "2000000000"], "--size must be at most 1 GB"),
        (["--share", "2"], "Invalid value for '--share'"),
    ],
)
def test_bad_options_are_one_line(
    made_up: MadeUp, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["bench", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_document_that_does_not_arrive_ends_it(made_up: MadeUp, capsys: pytest.CaptureFixture[str]) -> None:
    made_up.ends_as = "failed"
    assert main(["bench", "--size", "1000", "--share", "0.5"]) == 1
    assert capsys.readouterr().err == "sieve: a document was not delivered: no way\n"


def test_whole_megabytes_have_the_share_that_was_asked_for() -> None:
    marked = Case(3_000_000, 0.25).marked()
    assert len(documents.content(marked)) == 3_000_000
    assert sum(len(part.partition(b"<$E>")[0]) for part in marked.split(b"<$S>")[1:]) == 750_000
