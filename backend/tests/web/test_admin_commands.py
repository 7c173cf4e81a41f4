"""`sieve admin`, on the gateway's own machine: the first admin, and links to set a password."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from command_world import Served
from databases import url
from next_versions import CONTRACTION, EXPANSION, following, version
from sieve.cli import main
from sieve.demo import NO_TLS
from sieve.gateway.runtime import data_folder
from sieve.store.queries import audit


def test_the_first_admin_is_made_in_the_data_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "token"
    assert main(["admin", "create", "Root", "--out-token", str(file)]) == 0
    assert file.read_text().startswith("sieve_")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert main(["admin", "create", "second"]) == 1
    assert main(["admin", "create", "a b"]) == 2
    assert main(["admin", "create", "root", "--another"]) == 1
    assert main(["admin", "create", "second", "--another"]) == 0
    captured = capsys.readouterr()
    first_link, token, second_link = captured.out.splitlines()
    assert token.startswith("sieve_")
    for link in (first_link, second_link):
        assert link.startswith("http://127.0.0.1:8080/welcome#") and len(link.partition("#")[2]) == 43
    assert [line.split(";")[0] for line in captured.err.splitlines()] == [
        "sieve: there is an admin already",
        "sieve: a login has 1 to 63 characters: a-z and 0-9, and between them . _ @ -",
        "sieve: the login root exists already",
    ]


@pytest.mark.parametrize("step", [EXPANSION, CONTRACTION])
def test_a_newer_version_leaves_the_tables_to_a_gateway_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("SIEVE_DATA_DIR", str(data))
    assert main(["admin", "create", "root", "--out-token", str(tmp_path / "token")]) == 0
    gateway = data_folder.lock(data)
    assert main(["admin", "link", "root"]) == 0
    with version(following(tmp_path / "next", step)):
        capsys.readouterr()
        assert main(["admin", "link", "root"]) == 1
        assert capsys.readouterr().err == (
            f"sieve: another process uses the data folder {data}, with a database of another version: if it is a "
            "gateway, use the sieve admin of its version, or stop it; if it is a sieve command that upgrades the "
            "database, try again when it has ended\n"
        )
        os.close(gateway)
        assert main(["admin", "link", "root"]) == 0
    os.close(data_folder.lock(data, patience_s=0))  # the command has given it back
    with closing(sqlite3.connect(data / "sieve.db")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9001",)]


def test_a_forgotten_password_is_reset_by_a_link_from_the_data_folder(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", str(served.world.folder))
    monkeypatch.setenv("SIEVE_DATABASE_URL", url(served.world.folder / "sieve.db"))
    monkeypatch.setenv("SIEVE_WEB_BIND", "127.0.0.1:0")
    assert main(["admin", "link", "Root"]) == 0
    path, _, code = capsys.readouterr().out.strip().partition("#")
    assert path == "/welcome"
    with httpx.Client(
        base_url=f"{served.url}/api/v1", headers={"Sec-Fetch-Site": "same-origin"}, verify=NO_TLS
    ) as browser:
        used = browser.post("/welcome", json={"code": code, "password": "a password of my own"})
        assert used.status_code == 200, used.text
        assert browser.get("/me").json()["name"] == "root"
    monkeypatch.setenv("SIEVE_WEB_BIND", "127.0.0.1:8080")
    monkeypatch.setenv("SIEVE_TRUSTED_PROXY", "127.0.0.1")
    monkeypatch.setenv("SIEVE_ALLOWED_HOSTS", "sieve.example.org")
    assert main(["admin", "link", "root"]) == 0
    assert capsys.readouterr().out.startswith("/welcome#"), "what the proxy's address is, is not known here"
    assert main(["admin", "link", "zoe"]) == 2
    assert capsys.readouterr().err == "sieve: no person has the login zoe\n"

    async def audited() -> list[tuple[str, str, str]]:
        async with served.world.database.read() as session:
            entries = await audit.page(session, after=None, limit=10)
            return [(entry.actor, entry.action, entry.subject) for entry in entries]

    given = ("(sieve admin)", "link-given", "root")
    assert [one for one in served.run(audited()) if one[1] == "link-given"] == [given] * 2
