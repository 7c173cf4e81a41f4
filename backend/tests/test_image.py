"""The image: its build has every file that it needs, of the base images that are named, and nothing else is sent."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from image_build import REPOSITORY, Stage, assemble, context, stages

UI, BUILD, IMAGE = stages((REPOSITORY / "backend" / "Dockerfile").read_text())


@pytest.fixture
def ui(tmp_path: Path) -> Path:
    return assemble(UI, REPOSITORY, tmp_path)


def test_the_stage_of_the_interface_has_every_file_of_it(ui: Path) -> None:
    frontend = REPOSITORY / "frontend"
    checks = {Path("biome.json"), Path(".dependency-cruiser.mjs")}
    files = {path.relative_to(frontend) for path in frontend.iterdir() if path.is_file()} - checks
    for folder in ("src", "public"):
        files |= {path.relative_to(frontend) for path in (frontend / folder).rglob("*") if path.is_file()}

    assert sorted(str(file) for file in files if not (ui / file).is_file()) == []


def test_what_the_interface_imports_by_its_place_is_in_its_stage(ui: Path) -> None:
    imported = re.compile(r"""(?:\bfrom|\bimport|\bimport\(|@import|\bURL\() ?["'](\.[^"'?]+)""")
    modules = [path for ending in ("ts", "tsx", "css") for path in ui.rglob(f"*.{ending}")]
    found = {
        Path(os.path.normpath(module.parent / name))
        for module in modules
        if not re.search(r"\.(test|fixture)\.|/test/", str(module))
        for name in imported.findall(module.read_text())
    }
    assert {ui / "src/i18n/french-typography", ui.parent / "docs/guide.md"} <= found, "the pattern finds imports"
    ends = ("", ".ts", ".d.ts", ".tsx", "/index.ts", "/index.tsx")
    missing = {str(path) for path in found if not any(Path(f"{path}{end}").exists() for end in ends)}
    assert {name for name in missing if "node_modules" not in name} == set()


def test_the_wheel_of_the_image_has_every_module(tmp_path: Path) -> None:
    folder = assemble(BUILD, REPOSITORY, tmp_path)

    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=folder, check=True)

    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        packed = {name for name in file.namelist() if name.startswith("sieve/")}
    source = REPOSITORY / "backend" / "src"
    files = {path.relative_to(source) for path in (source / "sieve").rglob("*") if path.is_file()}
    assert packed == {str(path) for path in files if "__pycache__" not in path.parts}


def test_the_stage_of_the_wheel_has_the_lock_files_and_they_name_the_build_backend(tmp_path: Path) -> None:
    folder = assemble(BUILD, REPOSITORY, tmp_path)
    commands = " ".join(rest for name, rest in BUILD.instructions if name == "RUN")
    locks = re.findall(r"-r (\S+)", commands)

    assert locks == ["requirements.lock", "requirements-dev.lock"]
    for lock in locks:
        assert "--hash=sha256:" in (folder / lock).read_text()
    backend = tomllib.loads((folder / "pyproject.toml").read_text())["build-system"]["requires"]
    assert all(re.search(rf"^{name}==", (folder / locks[1]).read_text(), re.MULTILINE) for name in backend)


def test_base_images_are_pinned_and_have_the_project_s_versions() -> None:
    for stage in (UI, BUILD, IMAGE):
        assert re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", stage.base)
    makefile = (REPOSITORY / "Makefile").read_text()
    assert UI.base.startswith(f"node:{re.findall(r'^NODE_VERSION := (.+)$', makefile, re.MULTILINE)[0]}-")
    project = tomllib.loads((REPOSITORY / "backend" / "pyproject.toml").read_text())["project"]
    assert IMAGE.base.startswith(f"python:{project['requires-python'].removeprefix('>=')}.")
    assert BUILD.base == IMAGE.base


def test_an_init_waits_for_processes_whose_parent_was_killed() -> None:
    instructions = dict(IMAGE.instructions)
    assert instructions["ENTRYPOINT"] == '["tini", "--"]'
    assert instructions["CMD"] == '["sieve", "gateway"]'
    assert any(name == "RUN" and re.search(r"apt-get install .*\btini\b", rest) for name, rest in IMAGE.instructions)


def test_no_key_and_no_data_is_sent(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text((REPOSITORY / ".dockerignore").read_text())
    kept = {"frontend/src/app.ts", "backend/src/sieve/main.py", "docs/guide.md"}
    for name in (
        *kept,
        ".env",
        "certs/out/alpha/identity.key",
        "data/alpha/master.key",
        "frontend/node_modules/a.js",
        "frontend/.env",
        "backend/.venv/bin/python",
        "backend/src/sieve/__pycache__/main.pyc",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert {str(file) for file in context(tmp_path)} == kept


def test_a_file_that_is_not_sent_cannot_be_copied(tmp_path: Path) -> None:
    stage = Stage("python", [("WORKDIR", "/build"), ("COPY", "backend/Dockerfile ./")])
    with pytest.raises(AssertionError, match="backend/Dockerfile"):
        assemble(stage, REPOSITORY, tmp_path)
