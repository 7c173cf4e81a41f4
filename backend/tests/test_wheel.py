"""The wheel, installed by pip or pipx: its `sieve` runs gateways with the web interface."""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import httpx
import pytest

from sieve.demo.gateways import make_identities, start

REPOSITORY = Path(__file__).parents[2]
BACKEND = REPOSITORY / "backend"
PIPS_PYTHON = REPOSITORY / ".tools" / "bin" / "python"
"""The Makefile's, which has pip: putting pip into an environment takes longer than all else here."""
UI = REPOSITORY / "frontend" / "dist"
"""`make test` builds it first. If a test runs alone before that, a page of one line takes its place."""
PAGE = "<!doctype html>the interface"


def test_a_gateway_from_the_wheel_serves_its_interface(tmp_path: Path) -> None:
    sieve = _by_pip(_built(tmp_path), tmp_path / "pip")
    done = subprocess.run([sieve, "--version"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("sieve ")

    make_identities(tmp_path / "identities", ["alpha"])
    binds = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
    log = tmp_path / "log"
    gateway = start("alpha", tmp_path, tmp_path / "identities", binds, log_file=log, program=[str(sieve)])
    try:
        _check_interface(gateway.url, tmp_path)
    finally:
        gateway.stop()
    # Nothing came from the repository.
    assert str(BACKEND / "src") not in log.read_text()


@pytest.mark.soak  # `make test-wheel` runs it
def test_the_demo_runs_where_pipx_installed_the_wheel(tmp_path: Path) -> None:
    sieve = _by_pipx(_built(tmp_path), tmp_path)
    command = [str(sieve), "demo", "--data", str(tmp_path / "data"), "--ports", "free", "--without-history", "--json"]
    with (tmp_path / "errors").open("wb") as errors:
        demo = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=tmp_path)
    assert demo.stdout is not None
    try:
        alpha = json.loads(demo.stdout.readline() or (tmp_path / "errors").read_text())["alpha"]
        _check_interface(alpha["url"], tmp_path)
        headers = {"Authorization": f"Bearer {alpha['people']['anna']['token']}"}
        policies = httpx.get(f"{alpha['url']}/api/v1/policies", headers=headers, trust_env=False).json()
        assert {policy["name"] for policy in policies} == {"nato", "personal-data"}
    finally:
        demo.send_signal(signal.SIGTERM)
        status = demo.wait(60)
        demo.stdout.close()
    assert status == 0
    logs = [(tmp_path / "data" / f"{name}.log").read_text() for name in ("alpha", "bravo")]
    assert not any(str(BACKEND / "src") in log for log in logs)


def _check_interface(url: str, folder: Path) -> None:
    """The page is the one that the wheel in `folder` was built with, and what it loads is there, too."""
    page = (folder / "frontend" / "dist" / "index.html").read_text()
    with httpx.Client(base_url=url, trust_env=False) as browser:
        assert browser.get("/").text == page
        for asset in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page):
            assert browser.get(asset).status_code == 200


def _built(folder: Path) -> Path:
    """The wheel, in a folder with links to what it is built from."""
    project = folder / "backend"
    project.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "src"):
        (project / name).symlink_to(BACKEND / name)
    (folder / "docs").symlink_to(REPOSITORY / "docs")
    interface = folder / "frontend" / "dist"
    if (UI / "index.html").is_file():
        interface.parent.mkdir()
        interface.symlink_to(UI)
    else:
        interface.mkdir(parents=True)
        (interface / "index.html").write_text(PAGE)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=project, check=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        assert {"sieve/web/interface/index.html", "sieve/demo/policies/nato.toml"} <= {*file.namelist()}
    return wheel


def _by_pip(wheel: Path, folder: Path) -> Path:
    """The wheel's command, in an environment of its own. Its dependencies are those of the tests: to install all of
    them again takes longer than all else here.
    """
    venv.create(folder)
    python = folder / "bin" / "python"
    quiet = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    subprocess.run([PIPS_PYTHON, "-m", "pip", "--python", python, "install", *quiet, wheel], check=True)
    packages = _said(python, "import sysconfig; print(sysconfig.get_path('purelib'))")
    # Behind its own packages. The tests' own `sieve` is in a .pth file there, which is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert _said(python, "import sieve; print(sieve.__file__)").is_relative_to(folder)
    return folder / "bin" / "sieve"


def _by_pipx(wheel: Path, folder: Path) -> Path:
    """As docs/operations.md says, with all dependencies; from the cache of `make setup`, if they are still there."""
    constraints = folder / "constraints.txt"
    locked = (BACKEND / "requirements.lock").read_text().splitlines()
    constraints.write_text("\n".join(line.removesuffix(" \\") for line in locked if "--hash=" not in line))
    places = {f"PIPX_{name}": str(folder / "pipx" / name.lower()) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    environment = os.environ | places | {"PATH": f"{PIPS_PYTHON.parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("VIRTUAL_ENV", None)
    install = [sys.executable, "-m", "pipx", "install", "--backend", "uv", "--python", sys.executable, str(wheel)]
    for source in (" --offline", ""):
        arguments = f"--pip-args=--constraint {constraints}{source}"
        done = subprocess.run([*install, arguments], env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return folder / "pipx" / "bin_dir" / "sieve"
    raise AssertionError(done.stderr)


def _said(python: Path, program: str) -> Path:
    done = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())
