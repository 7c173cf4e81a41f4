"""A gateway that cannot start says why in one line, and leaves nothing half done."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sieve import demo
from stories.pair import pair


def _start(data: Path, identity: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    free = {f"SIEVE_{kind}_BIND": "127.0.0.1:0" for kind in ("WEB", "SECURE", "PLAIN")}
    env = {"SIEVE_NAME": "alpha", "SIEVE_DATA_DIR": str(data), "SIEVE_IDENTITY_DIR": str(identity), **free, **settings}
    return subprocess.run(
        [sys.executable, "-m", "sieve.cli", "gateway"], env=env, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    demo.make_identities(tmp_path / "identities")
    return tmp_path / "identities" / "alpha"


def test_port_taken(tmp_path: Path, identity: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = _start(tmp_path / "data", identity, SIEVE_SECURE_BIND=address)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert address in line and "in use" in line


def test_missing_key(tmp_path: Path, identity: Path) -> None:
    (identity / "identity.key").unlink()
    done = _start(tmp_path / "data", identity)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "identity.key" in line


@pytest.mark.parametrize(
    ("setting", "value"), [("SIEVE_WEB_BIND", "here"), ("SIEVE_LEASE_S", "soon"), ("SIEVE_CONFIG", "/nowhere.toml")]
)
def test_unreadable_setting(tmp_path: Path, identity: Path, setting: str, value: str) -> None:
    done = _start(tmp_path / "data", identity, **{setting: value})
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert setting in line


async def test_data_folder_in_use(tmp_path: Path) -> None:
    async with pair(tmp_path) as both:
        done = _start(both.alpha.folder, tmp_path / "identities" / "alpha")
        assert done.returncode == 2
        [line] = done.stderr.splitlines()
        assert str(both.alpha.folder) in line and "another gateway" in line
