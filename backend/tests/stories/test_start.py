"""A gateway that cannot start says why in one line, and leaves nothing half done."""

import asyncio
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sieve import demo
from sieve.main import TRY_AGAIN
from stories import forked
from stories.documents import report
from stories.pair import again, installed, pair


def start_gateway(data: Path, identity: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Runs `sieve gateway` until it ends."""
    return subprocess.run(
        [sys.executable, "-m", "sieve.cli", "gateway"],
        env=_environment(data, identity, settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def start_forked(data: Path, identity: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """The same, forked: for starts that end only after they have loaded everything, which takes seconds."""
    return forked.command("gateway", env=_environment(data, identity, settings))


def _environment(data: Path, identity: Path, settings: Mapping[str, str]) -> dict[str, str]:
    free = {f"SIEVE_{kind}_BIND": "127.0.0.1:0" for kind in ("WEB", "SECURE", "PLAIN")}
    return {"SIEVE_NAME": "alpha", "SIEVE_DATA_DIR": str(data), "SIEVE_IDENTITY_DIR": str(identity), **free, **settings}


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    shutil.copytree(installed() / "identities", tmp_path / "identities")
    return tmp_path / "identities" / "alpha"


def test_port_taken(tmp_path: Path, identity: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = start_gateway(tmp_path / "data", identity, SIEVE_SECURE_BIND=address)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert address in line and "in use" in line


def test_missing_key(tmp_path: Path, identity: Path) -> None:
    (identity / "identity.key").unlink()
    done = start_gateway(tmp_path / "data", identity)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "identity.key" in line


def test_unreadable_setting(tmp_path: Path, identity: Path) -> None:
    """`tests/test_config.py` tries the others."""
    done = start_gateway(tmp_path / "data", identity, SIEVE_LEASE_S="soon")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "SIEVE_LEASE_S" in line


def test_half_restored_data(tmp_path: Path, identity: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "restoring.json").write_text("{}")
    done = start_gateway(tmp_path / "data", identity)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "a restore into" in line and "run sieve restore again" in line
    assert not (tmp_path / "data" / "sieve.db").exists()


async def test_data_folder_in_use(tmp_path: Path) -> None:
    async with pair(tmp_path) as both:
        done = start_gateway(both.alpha.folder, tmp_path / "identities" / "alpha")
        # The other process may end soon, so whatever started the gateway may start it again.
        assert done.returncode == TRY_AGAIN
        [line] = done.stderr.splitlines()
        assert str(both.alpha.folder) in line and "another process uses the data folder" in line


async def test_nothing_is_lost_by_starts_with_a_wrong_database_or_without_the_master_key(tmp_path: Path) -> None:
    async with pair(tmp_path) as both:
        sent, waiting = report(30_000, spans=3, seed=1), report(30_000, spans=3, seed=2)
        document, transfer = await both.upload(sent.marked), ""
        assert (await both.ended(await both.dispatch(document)))["state"] == "delivered"
        await asyncio.to_thread(both.bravo.stop)
        transfer = await both.dispatch(await both.upload(waiting.marked))
        await asyncio.to_thread(both.alpha.stop)
        data, identity = both.alpha.folder, tmp_path / "identities" / "alpha"
        key, kept = data / "master.key", _kept(data)

        line = _refused(data, identity, SIEVE_DATABASE_URL=f"sqlite+aiosqlite:///{data / 'seive.db'}")
        assert f"{data / 'seive.db'} knows none of the 4 blob files in {data / 'blobs'}" in line
        assert _kept(data) == kept and not (data / "seive.db").exists()

        right = key.rename(data / "kept-elsewhere")
        assert f"is missing in {key} (there is no such file)" in _refused(data, identity)
        assert not key.exists()
        right.rename(key)

        # It changes nothing where everything fits.
        adopting = demo.command(sys.executable, "-m", "sieve.cli", "gateway", "--adopt-blobs")
        both.bravo, both.alpha = await asyncio.gather(
            asyncio.to_thread(again, both.bravo, both.folder, both.settings["bravo"]),
            asyncio.to_thread(again, both.alpha, both.folder, both.settings["alpha"], launch=adopting),
        )
        ended = await both.ended(transfer)
        assert ended["state"] == "delivered"
        assert await both.download(transfer, "full") == waiting.content
        async with both.author as api:
            assert (await api.get(f"/documents/{document}/content")).content == sent.content
        assert _kept(data) == kept
        # Both gateways record the same of both transfers, also of the one that waited for a start.
        assert _recorded(both.alpha.folder, "sent") == _recorded(both.bravo.folder, "received")
        assert len(_recorded(both.alpha.folder, "sent")) == 2


def test_a_database_of_a_newer_version(tmp_path: Path, identity: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    forked.create_admin(data)
    path = data / "sieve.db"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    line = _refused(data, identity)
    assert f"{path} was written by a newer version of Security Sieve" in line and "install that version" in line


def _refused(data: Path, identity: Path, **settings: str) -> str:
    """The one line that a start ends with."""
    done = start_forked(data, identity, **settings)
    [line] = done.stderr.splitlines()
    assert done.returncode == 2 and line.startswith("sieve gateway: "), line
    return line


def _recorded(data: Path, direction: str) -> set[tuple[object, ...]]:
    """What timing records say of delivered transfers."""
    database = sqlite3.connect(data / "sieve.db")
    try:
        delivered = (
            "SELECT transfer_id, mode, size, classified_size, secure_bytes, plain_bytes, suite, batch "
            "FROM timing_records WHERE outcome = 'delivered' AND direction = ?"
        )
        return set(database.execute(delivered, [direction]).fetchall())
    finally:
        database.close()


def _kept(data: Path) -> dict[str, bytes]:
    """The files of blobs."""
    return {path.name: path.read_bytes() for path in (data / "blobs").glob("??/*")}
