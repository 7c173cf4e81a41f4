"""`sieve policies`, and how `mark` and `send` use a gateway's policies and its leak check."""

import json
from pathlib import Path

import pytest

from command_world import TO, Served, Sieve

NAMES = '# projects\nname = "names"\nguard = true\n[[rules]]\nkind = "keywords"\nkeywords_file = "names.txt"\n'


def test_policies_are_kept_shown_and_deleted(sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "names.toml"
    file.write_text(NAMES)
    (tmp_path / "names.txt").write_text("# ours\nOrion\n")
    assert sieve("policies", "put", str(file), who="root") == (0, "names/1\n", "")
    file.write_text(NAMES.replace("keywords_file", "#").replace("[[rules]]\n", '[[rules]]\nkeywords = ["Vega"]\n'))
    assert sieve("policies", "put", str(file), who="root") == (0, "names/2\n", "")
    assert sieve("policies", "list") == (0, "names\t2\t1\tguards\t\n", "")
    assert sieve("policies", "show", "names")[1] == file.read_text()
    first = json.loads(sieve("policies", "show", "names", "--version", "1")[1])
    assert first["rules"] == [{"kind": "keywords", "keywords": ["Orion"]}]
    assert sieve("policies", "show", "names", "--version", "3")[0] == 2
    assert sieve("policies", "delete", "names")[0] == 1
    assert sieve("policies", "delete", "names", who="root")[0] == 0
    status, _, error = sieve("policies", "show", "names")
    assert (status, error.count("\n")) == (2, 1)


def test_a_policy_of_the_gateway_marks_a_file(sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    file.write_text(json.dumps({"name": "names", "rules": [{"kind": "keywords", "keywords": ["Orion"]}]}))
    assert sieve("policies", "put", str(file), who="root")[0] == 0
    text = tmp_path / "text.txt"
    text.write_text("Orion.")
    status, out, _ = sieve("mark", str(text), "--policy", "gateway:names")
    assert (status, [mark["rule"] for mark in json.loads(out)["marks"]]) == (0, ["names/1#1"])
    assert sieve("mark", str(text), "--policy", "gateway:none")[0] == 2


def test_the_audit_log_is_verified(sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    file.write_text(json.dumps({"name": "names", "rules": [{"kind": "keywords", "keywords": ["Orion"]}]}))
    assert sieve("policies", "put", str(file), who="root")[0] == 0
    status, out, error = sieve("audit", "verify", who="root")
    entries, head = (line.split("\t") for line in out.splitlines())
    assert (status, entries, error) == (0, ["entries", "1"], "")
    assert sieve("audit", "verify", "--head", head[1], who="root")[0] == 0
    status, out, error = sieve("audit", "verify", "--head", f"7:{'0' * 64}", "--json", who="root")
    assert (status, len(json.loads(out)["problems"]), error.count("\n")) == (1, 1, 1)
    assert sieve("audit", "verify", "--head", "7", who="root")[0] == 2
    assert sieve("audit", "verify")[0] == 1
    # It is valid, so there is nothing to begin again.
    assert "--reason-file" in sieve("audit", "continue", "--head", head[1], who="root")[2]
    assert sieve("audit", "continue", "--head", head[1], "--reason", "why not", who="root")[0] == 2
    (tmp_path / "reason").write_text("why not")
    given = ("--reason-file", str(tmp_path / "reason"))
    status, _, error = sieve("audit", "continue", "--head", head[1], *given, who="root")
    assert (status, "no new part is needed" in error) == (1, True)


LEAKY = b"<$S>Ida Halvorsen<$E> came. IDA HALVORSEN left.\n"


def test_findings_are_shown_and_stop_a_document(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    served.world.services.leak_check.rule = "confirm"
    document = tmp_path / "memo.md"
    document.write_bytes(LEAKY)
    status, out, error = sieve("send", str(document), *TO, "--json")
    assert (status, out) == (1, "")
    finding, advice = error.splitlines()
    assert finding == "phrase: “IDA HALVORSEN” is the marked “Ida Halvorsen”, written in another way"
    assert "--reason-file" in advice
    assert not served.world.worker.woken
    reason = tmp_path / "reason"
    for text, said in (("", "is empty"), ("x" * 4097, "is empty or longer"), ("\xff", "not text")):
        reason.write_text(text, "latin-1")
        status, out, error = sieve("send", str(document), *TO, "--reason-file", str(reason))
        assert (status, out, said in error) == (2, "", True)
    status, out, error = sieve("send", str(document), *TO, "--confirm-findings", "she is known there")
    assert (status, out) == (2, "")
    assert "other users of this machine" in error and "--reason-file" in error and "known" not in error
    reason.write_text("she is known there\n")
    served.deliver_what_is_queued()
    status, out, error = sieve("send", str(document), *TO, "--json", "--reason-file", str(reason))
    assert (status, json.loads(out)["identical"]) == (0, True)
    assert error.splitlines() == [finding]
    served.world.services.leak_check.rule = "forbid"
    status, _, error = sieve("send", str(document), *TO, "--reason-file", str(reason))
    assert (status, error.splitlines()[0]) == (1, finding)
    assert "sends no document with open findings" in error.splitlines()[1]


def test_a_reason_is_asked_for_on_a_terminal(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.world.services.leak_check.rule = "confirm"
    document = tmp_path / "memo.md"
    document.write_bytes(LEAKY)
    monkeypatch.setattr("os.isatty", lambda _: True)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: " ")
    assert sieve("send", str(document), *TO)[0] == 1
    assert not served.world.worker.woken
    monkeypatch.setattr("typer.prompt", lambda *_, **__: "she is known there")
    assert sieve("send", str(document), *TO, "--no-wait")[0] == 0
    assert served.world.worker.woken
