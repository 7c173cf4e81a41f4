"""The wheel: a gateway that is installed from it has the web interface, and its commands run."""

import subprocess
import sys
import zipfile
from pathlib import Path

BACKEND = Path(__file__).parents[1]


def test_a_gateway_from_the_wheel_has_its_interface(tmp_path: Path) -> None:
    project, site = tmp_path / "backend", tmp_path / "site"
    project.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "src"):
        (project / name).symlink_to(BACKEND / name)
    interface = tmp_path / "frontend" / "dist"
    interface.mkdir(parents=True)
    (interface / "index.html").write_text("<!doctype html>")

    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=project, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env={"PYTHONPATH": str(site)}, check=True, capture_output=True, text=True)
        return done.stdout

    assert run("-m", "sieve.cli", "--version").startswith("sieve ")
    found = run("-c", "import sieve.config; print(sieve.config.Settings(name='alpha').ui_path)")
    assert found.strip() == str(site / "sieve" / "web" / "interface")
    run("-c", "import sieve.main, sieve.serving")
