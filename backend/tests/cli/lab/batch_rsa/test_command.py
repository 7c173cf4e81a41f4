"""What `sieve lab batch-rsa` prints."""

import json
import subprocess
import sys

import pytest

from sieve.cli import main
from sieve.cli.lab.batch_rsa import arithmetic, command, experiment
from sieve.cli.lab.batch_rsa.experiment import Form


def test_the_experiment_measures_and_compares(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiment, "QUICK", Form("quick", (512,), 2, 100, 2, 50))
    monkeypatch.setattr(arithmetic, "TODAY_BITS", 1024)
    monkeypatch.setattr(arithmetic, "_ABOUT_S", 1e-4)
    monkeypatch.setattr(experiment, "POISSON", ((2, 0.01),))
    assert main(["lab", "batch-rsa", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["machine"]["cores"] >= 1
    assert {(row["bits"], row["form"]) for row in found["speedups"]} == {
        (512, form) for form in ("no crt", "crt", "safe")
    }
    assert len(found["table_1"]) == 45 and len(found["table_2"]) == 12 and len(found["table_2_measured"]) == 4
    assert [row["clients"] for row in found["handshakes"]] == [4, 3, 4, 3, 4]
    assert all(row["ms"] > 0 for row in found["today"])
    command._print(found)
    assert "Table 2, 2048 bits, b = 4\t3.42\t3.47\tdoes not follow" in capsys.readouterr().out


def test_without_its_packages_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['gmpy2'] = None; from sieve.cli import main; sys.exit(main(['lab', 'batch-rsa']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs the Python package gmpy2" in done.stderr
    assert len(done.stderr.splitlines()) == 1
