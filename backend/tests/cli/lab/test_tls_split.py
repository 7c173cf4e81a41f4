"""`sieve lab tls-split`: real servers, few clients."""

import json
from dataclasses import replace

import pytest

from sieve.cli import main
from sieve.cli.lab import tls_split_measured
from sieve.lab.tls_split.processes.assignment import DESIGNS, OWN_RECORDS


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(tls_split_measured.QUICK, alone=3, rounds=2)
    monkeypatch.setattr(tls_split_measured, "QUICK", plan)


def test_it_measures_every_design(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "tls-split", "--clients", "4", "--size", "2", "--json", "--key", "ecdsa"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(cell["design"], cell["clients"], cell["size_kb"]) for cell in found["cells"][:4]] == [
        (design, 0, 2) for design in (*DESIGNS, OWN_RECORDS)
    ]
    # What the records alone cost with many clients is measured at the size of the aim.
    assert {cell["design"] for cell in found["cells"][4:7]} == set(DESIGNS)
    assert [cell["round"] for cell in found["cells"]] == [0] * 7 + [1] * 7
    for cell in found["cells"]:
        assert (cell["failed"], cell["not_resumed"]) == (0, 0)
        assert cell["served"] == (6 if cell["clients"] == 0 else 4)
        assert cell["initiation_ms"] > 0 and cell["resumption_ms"] > 0
        assert sum(cell["processor_by_role_ms"].values()) == pytest.approx(cell["processor_ms"], abs=0.001)
    assert found["machine"]["cores"]


def test_it_prints_figures_and_what_follows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "tls-split", "--clients", "4", "--size", "2", "--size", "200"]) == 0
    said = capsys.readouterr().out
    assert "+215.4 % printed; +120.7 % is true" in said
    assert "direct routing removes the overhead, one client at a time (page 51)" in said
    assert "own-records" in said
    assert "152 requests, 0 failed, 0 resumptions became full handshakes" in said
