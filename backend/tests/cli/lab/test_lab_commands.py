"""What `sieve lab queueing` and `sieve lab batching` print."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sieve.cli import main
from sieve.cli.lab import queueing
from sieve.lab.queueing import OpenModel
from sieve.web.timings.schemas import CapacityShown

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


QUESTION = ("--rate", "30", "--size", "1000000", "--share", "0.5", "--mode", "sieve")


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
    assert "With such transfers alone, the gateway saturates near 174 a second" in printed[0]
    curve = printed[0].partition("Response at each rate, by the chosen model\n")[2].splitlines()
    assert (curve[0], curve[7][:10]) == ("sieve\t0\t18", "sieve\t109\t")


def test_what_was_not_measured_is_no_answer(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, *QUESTION, "--batch", "5"]) == 0
    none = "No answer: no measured transfer over both channels has several documents together."
    assert none in capsys.readouterr().out


def test_too_much_load_has_no_response(rows_csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "queueing", "--rows", rows_csv, "--rate", "500", *QUESTION[2:]]) == 0
    assert "this load is too much" in capsys.readouterr().out


def shown(**changes: Any) -> dict[str, Any]:
    """What a gateway answers, as its schema checks it."""
    curve = {
        "count": 40,
        "sampled": 40,
        "demand_ms": 11.5,
        "demand_ci95_ms": 0.4,
        "extrapolated": False,
        "saturation_per_s": 87.0,
    }
    unknown = dict.fromkeys(("demand_ms", "demand_ci95_ms", "saturation_per_s"))
    found: dict[str, Any] = {
        "load": {
            "rate_per_s": 2.0,
            "busiest_per_s": 30.0,
            "busiest_span_s": 3600,
            "busiest_so_far": True,
            "busiest_at": "2026-11-23T09:00:00Z",
            "mean_response_ms": 18.25,
            "batch": None,
        },
        "models": [
            {
                "name": name,
                "demand_ms": demand_ms,
                "servers": servers,
                "saturation_per_s": 1e3 * servers / demand_ms,
                "error_percent": 2.0,
                "points": [(0.0, demand_ms), (10.0, 2 * demand_ms)],
            }
            for name, demand_ms, servers in (("single-server", 12.0, 1), ("several-servers", 18.0, 2))
        ],
        "chosen": "several-servers",
        "models_reason": None,
        "models_said": None,
        "measured": [(10.0, 18.5, 100), (30.0, 20.0, 300)],
        "asked": {
            "rate_per_s": 30.0,
            "document_bytes": 1_000_000,
            "classified_share": 0.5,
            "documents": 1,
            "secure_channels": 1,
            "plain_channels": 1,
        },
        "sampled": 40,
        "sampled_since": None,
        "curves": [
            {"mode": "sieve", "points": [(0.1 * n, 11.5 + n) for n in range(60)], "reason": None, "said": None} | curve,
            {"mode": "secure-only", "points": [], "reason": "none was measured", "said": None} | curve | unknown,
        ],
        "answer": {
            "mode": "sieve",
            "response_ms": 14.2,
            "saturation_per_s": 87.0,
            "enough": True,
            "reason": None,
            "said": [],
        },
    }
    return CapacityShown.model_validate(found | changes).model_dump(mode="json")


class Answering:
    """In place of the client of the API."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.asked: dict[str, Any] = {}

    def __call__(self, *_: object) -> "Answering":
        return self

    def __enter__(self) -> "Answering":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def call(self, method: str, path: str, params: dict[str, Any]) -> dict[str, Any]:
        assert (method, path) == ("GET", "/timings/capacity")
        self.asked = params
        return self.found


def test_a_gateways_own_capacity(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    api = Answering(shown())
    monkeypatch.setattr(queueing, "Api", api)
    assert main(["lab", "queueing", *QUESTION, "--batch", "2", "--since", "7d"]) == 0
    printed = capsys.readouterr().out
    assert {"since"} | {"rate", "document_bytes", "classified_share", "documents", "send_mode"} <= set(api.asked)
    assert "2 servers (chosen)\t18\t111\t2.0%" in printed
    assert printed.startswith(
        "Measured: 2 transfers a second, 30 in the busiest hour so far (from 2026-11-23 09:00 UTC), with a mean total "
        "time of 18.2 ms\n"
    )
    assert "sieve\t11.5\t± 0.4\t87\t40\nsecure-only\t-\t-\t-\t40\nsecure-only: none was measured\n" in printed
    curves = printed.partition("Mean total time at each rate\n")[2].partition("\n\n")[0].splitlines()
    assert curves[:3] == ["measured mix\t0\t18", "measured mix\t10\t36", "sieve\t0\t11.5"]
    assert (len(curves), curves[-1]) == (10, "sieve\t5.9\t70.5")
    assert "response" not in printed
    assert printed.endswith(
        "At 30 a second by sieve, the mean total time is 14.2 ms. With such transfers alone, this gateway saturates "
        "near 87 a second.\n"
    )
    assert main(["lab", "queueing", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"]["response_ms"] == 14.2


def test_an_answer_says_what_limits_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answer = shown()["answer"] | {"reason": "this is an extrapolation"}
    monkeypatch.setattr(queueing, "Api", Answering(shown(answer=answer)))
    assert main(["lab", "queueing"]) == 0
    assert capsys.readouterr().out.endswith("a second.\nNote: this is an extrapolation.\n")


def test_a_gateway_without_transfers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    nothing: dict[str, Any] = {
        "mode": None,
        "response_ms": None,
        "saturation_per_s": None,
        "enough": False,
        "reason": "too few",
        "said": [],
    }
    load = shown()["load"] | {"rate_per_s": 0, "busiest_per_s": 0, "busiest_at": None, "mean_response_ms": None}
    empty = shown(models=[], chosen=None, models_reason="no curve", measured=[], load=load, answer=nothing)
    monkeypatch.setattr(queueing, "Api", Answering(empty))
    assert main(["lab", "queueing"]) == 0
    printed = capsys.readouterr().out
    assert "no curve" in printed
    assert printed.endswith("No answer: too few.\n")


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
        ("mode,size_bytes,classified_share,service_ms,batch\nsieve,1,1,1,inf", "batch must be a whole number"),
        ("mode,size_bytes,classified_share,service_ms,transfers\nsieve,1,1,1,nan", "transfers must be a whole number"),
        (
            "mode,size_bytes,classified_share,service_ms,transfers\nsieve,1,1,1,1e300",
            "transfers must be a whole number",
        ),
        ("mode,size_bytes,classified_share,servcie_ms\nsieve,1,1,1", "servcie_ms is not a known column"),
        (
            "mode,size_bytes,classified_share,service_ms\nsieve,1,1,1,1",
            "row 1: it has more cells than there are columns",
        ),
        ("[" * 100_000, "neither CSV in UTF-8 nor a JSON list"),
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
    choice = found["best"][1]["choices"][5]
    for name, unit in {
        "mean_turnaround": "_s",
        "p50_turnaround": "_s",
        "p95_turnaround": "_s",
        "p99_turnaround": "_s",
        "mean_queue_delay": "_s",
        "mean_queue_length": "",
    }.items():
        assert choice[f"{name}{unit}"] > 0 < choice[f"{name}_ci95{unit}"]
    assert main(["lab", "batching", "--replications", "2", "--rate", "3"]) == 0
    [best] = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line.startswith("3\t6\t")]
    figures = [choice[name] for name in choice if name.endswith(("turnaround_s", "delay_s", "length"))]
    assert [float(cell.partition(" ± ")[0]) for cell in best[2:]] == pytest.approx(figures, rel=0.01)


def test_batching_refuses_a_rate_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "batching", "--replications", "2", "--rate", "0"]) == 2
    assert "arrival rate must be more than 0" in capsys.readouterr().err


def test_the_command_starts_without_numpy() -> None:
    """It takes longer to import than the whole command."""
    code = "import sys, sieve.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
