"""The wheel: installed as pipx does it, its `sieve` command runs a gateway with the web interface."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import httpx

from sieve.demo.gateways import make_identities, start

BACKEND = Path(__file__).parents[1]
PIPS_PYTHON = BACKEND.parent / ".tools" / "bin" / "python"
"""The Makefile's, which has pip: putting pip into an environment takes longer than all else here."""
PAGE = "<!doctype html>the interface"


def test_a_gateway_from_the_wheel_serves_its_interface(tmp_path: Path) -> None:
    sieve = _installed(_built(tmp_path), tmp_path / "pipx")
    done = subprocess.run([sieve, "--version"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("sieve ")

    make_identities(tmp_path / "identities", ["alpha"])
    binds = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
    log = tmp_path / "log"
    gateway = start("alpha", tmp_path, tmp_path / "identities", binds, log_file=log, program=[str(sieve)])
    try:
        answer = httpx.get(f"{gateway.url}/", trust_env=False)
        assert (answer.status_code, answer.text) == (200, PAGE)
    finally:
        gateway.stop()
    # Nothing came from the repository.
    assert str(BACKEND / "src") not in log.read_text()


def _built(folder: Path) -> Path:
    """The wheel, with a page in place of the built interface."""
    project = folder / "backend"
    project.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "src"):
        (project / name).symlink_to(BACKEND / name)
    interface = folder / "frontend" / "dist"
    interface.mkdir(parents=True)
    (interface / "index.html").write_text(PAGE)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=project, check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        assert "sieve/web/interface/index.html" in file.namelist()
    return wheel


def _installed(wheel: Path, folder: Path) -> Path:
    """The wheel's command, in an environment of its own. Its dependencies are those of the tests."""
    venv.create(folder)
    python = folder / "bin" / "python"
    quiet = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    subprocess.run([PIPS_PYTHON, "-m", "pip", "--python", python, "install", *quiet, wheel], check=True)
    packages = _said(python, "import sysconfig; print(sysconfig.get_path('purelib'))")
    # Behind its own packages. The tests' own `sieve` is in a .pth file there, which is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert _said(python, "import sieve; print(sieve.__file__)").is_relative_to(folder)
    return folder / "bin" / "sieve"


def _said(python: Path, program: str) -> Path:
    done = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())
