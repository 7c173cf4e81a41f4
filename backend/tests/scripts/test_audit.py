"""`make audit`: what was found, and what nobody could be asked, in each tool's own form of an answer."""

import json
import sys
from pathlib import Path

import pytest
from scripts.audit import of_bandit, of_npm_audit, of_pip_audit

from scripts import audit


def test_a_vulnerable_package_is_a_finding() -> None:
    vulnerable = {"id": "PYSEC-2026-1", "fix_versions": ["1.2.4"], "aliases": ["CVE-2026-1"], "description": "long"}
    result = of_pip_audit(
        {
            "dependencies": [
                {"name": "sound", "version": "1.0", "vulns": []},
                {"name": "broken", "version": "1.2.3", "vulns": [vulnerable, {**vulnerable, "fix_versions": []}]},
            ]
        }
    )
    assert result.summary == "2 findings in 2 packages"
    assert list(result.findings) == [
        "broken 1.2.3: PYSEC-2026-1, fixed in 1.2.4",
        "broken 1.2.3: PYSEC-2026-1, no fixed version yet",
    ]


def test_a_package_that_the_index_does_not_answer_for_is_not_sound() -> None:
    result = of_pip_audit(
        {"dependencies": [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "…"}]}
    )
    assert result.summary == "0 findings in 1 packages; not asked about 1 of 2: the index does not answer for them"
    assert list(result.findings) == []


def test_npm_names_advisories_and_what_they_reach() -> None:
    advisory = {"title": "Prototype pollution", "url": "https://github.com/advisories/GHSA-1", "severity": "high"}
    found = {
        "inner": {"range": "<2", "severity": "high", "via": [advisory]},
        "outer": {"range": "*", "severity": "high", "via": ["inner"]},
    }
    result = of_npm_audit({"vulnerabilities": found, "metadata": {"dependencies": {"total": 12}}})
    assert result.summary == "2 findings in 12 packages"
    assert list(result.findings) == [
        "inner <2: high, Prototype pollution (https://github.com/advisories/GHSA-1)",
        "outer *: high, inner",
    ]


def test_a_registry_that_does_not_answer_is_named() -> None:
    result = of_npm_audit({"message": "405 Method Not Allowed", "statusCode": 405})
    assert result.summary == "not asked: the registry does not answer (405 Method Not Allowed)"


def test_what_bandit_cannot_read_is_a_finding_too() -> None:
    result = of_bandit(
        {
            "results": [{"filename": "a.py", "line_number": 3, "test_id": "B602", "issue_text": "a shell"}],
            "errors": [{"filename": "b.py", "reason": "syntax error"}],
            "metrics": {"_totals": {"loc": 9}},
        }
    )
    assert result.lines("ours") == "ours: 2 findings in 9 lines\n  a.py:3: B602 a shell\n  b.py: not read: syntax error"


@pytest.mark.parametrize("found", [True, False])
def test_only_findings_make_it_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], found: bool
) -> None:
    tools = {
        "pip-audit": "echo 'no network' >&2; exit 1",
        "npm": 'echo \'{"message": "405"}\'; exit 1',
        "bandit": f"echo '{_bandit(found)}'; exit {int(found)}",
    }
    for name, script in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    assert audit.main() == int(found)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "backend/requirements.lock: not asked: no network"
    assert "frontend/package-lock.json: not asked: the registry does not answer (405)" in lines
    assert any(line.startswith("backend/src (bandit): ") for line in lines)


def _bandit(found: bool) -> str:
    result = {"filename": "a.py", "line_number": 1, "test_id": "B602", "issue_text": "x"}
    return json.dumps({"results": [result] * found, "errors": [], "metrics": {"_totals": {"loc": 1}}})
