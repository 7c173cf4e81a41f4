"""`sieve lab batch-rsa`, and the page of what it measured."""

import json
from pathlib import Path

import pytest
from benchmarks.batch_rsa_figures import FIGURES

from benchmarks import batch_rsa_page
from sieve.cli import main
from sieve.cli.lab.batch_rsa import arithmetic, command, experiment
from sieve.cli.lab.batch_rsa.experiment import Form

TODAY = "differs on today's machines"


def test_the_experiment_measures_and_compares(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(experiment, "QUICK", Form("quick", (512, 2048), 2, 100, 2, 50))
    monkeypatch.setattr(arithmetic, "ABOUT_S", 1e-4)
    monkeypatch.setattr(experiment, "POISSON", ((2, 0.01),))
    assert main(["lab", "batch-rsa", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["machine"]["cores"] >= 1
    assert {(row["bits"], row["form"]) for row in found["speedups"]} >= {(512, "no crt"), (2048, "crt"), (2048, "safe")}
    assert len(found["table_1"]) == 45 and len(found["table_2"]) == 12 and len(found["table_2_measured"]) == 8
    assert [row["clients"] for row in found["handshakes"]] == [4, 3, 4, 3, 4]
    assert all(row["ms"] > 0 for row in found["today"])
    command.show(found)
    assert "Table 2, 2048 bits, b = 4\t3.42\t3.47\tdoes not follow" in capsys.readouterr().out
    page = batch_rsa_page.write({"commit": "abc", **found}, tmp_path).read_text()
    assert ", commit abc: " in page
    # Each figure is measured once, also where two tables show it.
    today = {row["name"]: row["ms"] for row in found["today"]}
    for form, name in (("no crt", "rsa-plain"), ("crt", "rsa-crt")):
        plain = {row["plain_ms"] for row in found["speedups"] if (row["bits"], row["form"]) == (2048, form)}
        assert plain == {today[name]}
    verdicts = {row["where"]: row["verdict"] for row in found["claims"] if "plain RSA, " in row["where"]}
    assert verdicts == {f"Section 6.2: plain RSA, {bits} bits, ms": TODAY for bits in (512, 2048)}
    for figure in FIGURES:
        assert f"(batch-rsa/{figure}.svg)" in page
        assert (tmp_path / "batch-rsa" / f"{figure}.svg").stat().st_size
