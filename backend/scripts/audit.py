"""`make audit`: asks registries for known vulnerabilities of the locked packages, and runs bandit over our code.

If a registry does not answer, a line says for how many packages the answer is missing. The exit status is 1 if there
are findings, else 0.

Ruff's S rules are bandit's, and run in `make check`. Bandit also finds bidirectional characters in the source (B613),
and it ignores `noqa`: from medium severity on, it reports what ruff ignores, unless a comment says `nosec`, too.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

REPOSITORY: Final = Path(__file__).parents[2]
BACKEND: Final = REPOSITORY / "backend"
LOCKS: Final = ("requirements.lock", "requirements-dev.lock", "requirements-cluster.lock", "requirements-supply.lock")
INTERFACES: Final = ("frontend", "e2e")


class Result(NamedTuple):
    """What one tool said: a line for people, and a line for each finding."""

    summary: str
    findings: Sequence[str] = ()

    def lines(self, part: str) -> str:
        """The lines to print."""
        return "\n".join([f"{part}: {self.summary}", *(f"  {finding}" for finding in self.findings)])


def of_pip_audit(answer: Mapping[str, Any]) -> Result:
    """`answer`: the JSON of pip-audit."""
    packages = answer["dependencies"]
    asked = [package for package in packages if "skip_reason" not in package]
    findings = [
        f"{package['name']} {package['version']}: {found['id']}, {_fixed_in(found['fix_versions'])}"
        for package in asked
        for found in package["vulns"]
    ]
    missing = len(packages) - len(asked)
    gap = f"; not asked about {missing} of {len(packages)}: the index does not answer for them" if missing else ""
    return Result(f"{_count(findings)} in {len(asked)} packages{gap}", findings)


def of_npm_audit(answer: Mapping[str, Any]) -> Result:
    """`answer`: the JSON of `npm audit`."""
    if "vulnerabilities" not in answer:
        return Result(f"not asked: the registry does not answer ({answer.get('message') or answer.get('error')})")
    findings = [
        f"{name} {found['range']}: {found['severity']}, {', '.join(_title(cause) for cause in found['via'])}"
        for name, found in sorted(answer["vulnerabilities"].items())
    ]
    return Result(f"{_count(findings)} in {answer['metadata']['dependencies']['total']} packages", findings)


def of_bandit(answer: Mapping[str, Any]) -> Result:
    """`answer`: the JSON of bandit."""
    findings = [
        f"{found['filename']}:{found['line_number']}: {found['test_id']} {found['issue_text']}"
        for found in answer["results"]
    ]
    findings += [f"{error['filename']}: not read: {error['reason']}" for error in answer["errors"]]
    return Result(f"{_count(findings)} in {answer['metrics']['_totals']['loc']} lines", findings)


def _count(findings: Sequence[str]) -> str:
    return f"{len(findings)} finding{'' if len(findings) == 1 else 's'}"


def _fixed_in(versions: Sequence[str]) -> str:
    return f"fixed in {', '.join(versions)}" if versions else "no fixed version yet"


def _title(cause: str | Mapping[str, Any]) -> str:
    """npm names a package whose finding is the cause, or describes an advisory."""
    return cause if isinstance(cause, str) else f"{cause['title']} ({cause['url']})"


def _ask(command: Sequence[str], read: Callable[[Mapping[str, Any]], Result], folder: Path) -> Result:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    try:
        return read(json.loads(done.stdout))
    except ValueError:
        # A tool that cannot reach its service ends with a traceback; its last line says why.
        return Result(f"not asked: {(done.stderr.strip().splitlines() or ['no answer'])[-1][:300]}")


def main() -> int:
    """Prints a line for each part, and returns the exit status."""
    tools = Path(sys.executable).parent
    pip_audit = [str(tools / "pip-audit"), "--disable-pip", "--require-hashes", "--progress-spinner=off", "-f", "json"]
    bandit = [str(tools / "bandit"), "--quiet", "--recursive", "--severity-level=medium", "-f", "json"]
    npm_audit = ["npm", "audit", "--json", "--loglevel=error"]
    parts: list[tuple[str, Sequence[str], Callable[[Mapping[str, Any]], Result], Path]] = [
        *((f"backend/{lock}", [*pip_audit, "-r", lock], of_pip_audit, BACKEND) for lock in LOCKS),
        *((f"{name}/package-lock.json", npm_audit, of_npm_audit, REPOSITORY / name) for name in INTERFACES),
        ("backend/src (bandit)", [*bandit, "src"], of_bandit, BACKEND),
    ]
    found = False
    for part, command, read, folder in parts:
        result = _ask(command, read, folder)
        print(result.lines(part), flush=True)
        found = found or bool(result.findings)
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
