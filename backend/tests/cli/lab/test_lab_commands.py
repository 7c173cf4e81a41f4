"""What `sieve lab queueing` and `sieve lab batching` print."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sieve.cli import main
from sieve.lab.queueing import OpenModel

MODELS = {"sieve": OpenModel(2, 18.0), "secure-only": OpenModel(1, 22.0)}


def rows() -> list[dict[str, Any]]:
    """Points of known models, and service times of a known linear demand."""
    found: list[dict[str, Any]] = []
    for mode, model in MODELS.items():
        for load in (0.1, 0.3, 0.5, 0.7, 0.9):
            rate = load * model.saturation_per_s
            point = {"arrival_rate_per_s": rate, "response_ms": model.response_ms(rate), "transfers": 50}
            found.append({"mode": mode, "size_bytes": 1e6, "classified_share": 0.5} | point)
        for size in (1e4, 1e5, 1e6):
            for share in (0.1, 0.5, 0.9):
                secure = size / 1e6 * (share if mode == "sieve" else 1)
                service = {"service_ms": 4 + 12 * secure + 3 * (size / 1e6 - secure), "transfers": 20}
                found.append({"mode": mode, "size_bytes": size, "classified_share": share} | service)
    return found


@pytest.fixture
def rows_csv(tmp_path: Path) -> str:
    path = tmp_path / "rows.csv"
    names = ["mode", "size_bytes", "classified_share", "service_ms", "arrival_rate_per_s", "response_ms", "transfers"]
    lines = [",".join(str(row.get(name, "")) for name in names) for row in rows()]
    path.write_text("\n".join([",".join(names), *lines]))
    return str(path)


QUESTION = ("--rate", "30", "--size", "1e6", "--share", "0.5", "--mode", "sieve")


def test_rows_give_models_demands_and_an_answer(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, *QUESTION, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sieve, secure_only = found["modes"]
    assert (sieve["mode"], sieve["chosen"]) == ("sieve", "several-servers")
    assert sieve["models"][1]["servers"] == 2
    assert sieve["models"][1]["demand_ms"] == pytest.approx(18, rel=1e-3)
    assert (secure_only["mode"], secure_only["chosen"]) == ("secure-only", "single-server")
    assert secure_only["models"][0]["saturation_per_s"] == pytest.approx(1e3 / 22, rel=1e-3)
    assert sieve["demand"]["secure_ms_per_mb"] == pytest.approx(12)
    assert secure_only["demand"]["plain_ms_per_mb"] is None
    answer = found["answer"]
    assert answer["enough"]
    assert answer["demand_ms"] == pytest.approx(11.5)
    assert answer["saturation_per_s"] == pytest.approx(2e3 / 11.5)
    assert answer["response_ms"] == pytest.approx(OpenModel(2, 11.5).response_ms(30.0))


def test_csv_and_json_say_the_same(rows_csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_json = tmp_path / "rows.json"
    as_json.write_text(json.dumps(rows()))
    printed = []
    for path in (rows_csv, str(as_json)):
        assert main(["lab", "queueing", "--rows", path, *QUESTION]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "sieve\t2 servers (chosen)\t18\t111\t0.0%\t90%" in printed[0]
    assert "The gateway saturates near 174 a second at this mix" in printed[0]


def test_what_was_not_measured_is_no_answer(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, *QUESTION, "--batch", "5"]) == 0
    assert "No answer: no measured sieve transfer has several documents together." in capsys.readouterr().out


def test_too_much_load_has_no_response(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, "--rate", "500", *QUESTION[2:]]) == 0
    assert "this load is too much" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no rows"),
        ("[]", "has no rows"),
        ("[1]", "row 1: a row must be an object"),
        ("[{", "neither CSV in UTF-8 nor a JSON list"),
        ("mode,size_bytes\nsieve,1", "row 1: classified_share is missing"),
        ("mode,size_bytes,classified_share,service_ms\nsieve,1,2,3", "row 1: the classified share"),
        ("mode,size_bytes,classified_share,service_ms\nauto,1,1,3", "row 1: a mode is sieve or secure-only"),
        ("mode,size_bytes,classified_share,service_ms\nsieve,1,1,x", "row 1: service_ms must be a number"),
        ("mode,size_bytes,classified_share,service_ms\nsieve,1,1,-3", "row 1: a service time must be more than 0"),
        ("mode,size_bytes,classified_share\nsieve,1,1", "service_ms, or arrival_rate_per_s and response_ms"),
        ("mode,size_bytes,classified_share,response_ms\nsieve,1,1,1", "needs the arrival_rate_per_s"),
        ("mode,size_bytes,classified_share,service_ms,batch\nsieve,1,1,1,1.5", "batch must be a whole number"),
        ("mode,size_bytes,classified_share,servcie_ms\nsieve,1,1,1", "servcie_ms is not a known column"),
    ],
)
def test_a_bad_file_is_one_sentence(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows"
    path.write_text(text)
    assert main(["lab", "queueing", "--rows", str(path)]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (printed.out, printed.err.count("\n")) == ("", 1)


def test_half_a_question_names_what_is_missing(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, "--rate", "3"]) == 2
    assert "--size is missing" in capsys.readouterr().err


def test_batching_prints_the_table_and_the_best_batch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "batching", "--replications", "2", "--rate", "0.1", "--rate", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["table"]) == 54
    assert found["table"][0]["printed"] == 21.56
    assert found["table"][0]["mean"] == pytest.approx(21.56, rel=0.05)
    assert [search["best_batch"] for search in found["best"]] == [1, 6]


def test_batching_refuses_a_rate_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "batching", "--replications", "2", "--rate", "0"]) == 2
    assert "arrival rate must be more than 0" in capsys.readouterr().err


def test_the_command_starts_without_numpy() -> None:
    """It takes longer to import than the whole command."""
    code = "import sys, sieve.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
