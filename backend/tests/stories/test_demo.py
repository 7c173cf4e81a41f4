"""`sieve demo`, which `make demo` and `make run` run, as a newcomer runs them."""

import json
import os
import pty
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

from sieve.core import markup
from sieve.demo import NAMES, NO_TLS, DemoError, control, make_identities, ports, start
from sieve.demo.gateways import SIEVE
from sieve.demo.history import send_history
from sieve.demo.people import Access, SavedAccess, readable_password
from stories.documents import report
from stories.ending import end
from stories.pair import FORKED, FREE

FINDINGS = b"<$S>Ida Halvorsen<$E> came. IDA HALVORSEN left.\n"


def test_the_demo_sends_any_marked_text(tmp_path: Path) -> None:
    marked = report(210_000, spans=55).marked + FINDINGS  # the demo asks nothing about the findings of a text
    file = tmp_path / "a report of ours.txt"
    file.write_bytes(marked)
    done = _demo("--file", str(file), "--", "--mode", "sieve")
    assert done.returncode == 0, done.stderr.decode()
    assert "phrase: “IDA HALVORSEN”" in done.stderr.decode()
    result = json.loads(done.stdout.splitlines()[-1])
    document = markup.parse(marked)
    assert result["mode"] == "sieve"
    assert result["document_bytes"] == document.size
    assert result["classified_bytes"] == document.classified_size
    assert result["plain_bytes"] == document.size - document.classified_size
    assert result["identical"] is True
    assert result["receipt_verified"] is True
    assert set(result["listeners"]) == {"alpha", "bravo"}
    assert all(set(where) == {"web", "secure", "plain"} for where in result["listeners"].values())
    assert set(result["timings"]) == {
        "sieve", "split", "establishment", "data_transfer", "combine", "integrate", "response", "total", "stored",
    }  # fmt: skip
    assert result["timings"]["data_transfer"] > 0


def test_a_file_that_is_not_marked_text_is_reported_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(b"one\ntwo <$E> three")
    done = _demo("--file", str(file))
    assert done.returncode != 0
    [line] = done.stderr.decode().splitlines()
    assert "line 2, column 5" in line


def test_run_lets_everybody_in_and_finds_everything_again_the_next_time(tmp_path: Path) -> None:
    """In one story, also what stops and starts gateways meanwhile: each demo takes seconds of the processor's time."""
    data = tmp_path / "data"
    with _running(data) as first:
        _check_everybody_is_let_in(first)
    kept = data / "people.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    # As of somebody whom an early version gave a token only: each new password takes another command.
    lost = SavedAccess.read(kept)
    lost.access["alpha", "anna"].password = ""
    lost.write()
    with (
        _terminal() as (typed, terminal),
        _running(data, stdin=terminal) as second,
        _signed_in(second["alpha"], "anna") as anna,
        _signed_in(second["bravo"], "bruno") as bruno,
    ):
        # A new password ends earlier tokens.
        assert second["alpha"]["people"]["anna"]["token"] != first["alpha"]["people"]["anna"]["token"]
        assert second["bravo"]["people"] == first["bravo"]["people"]
        _check_enter_starts_what_ended(data, second, typed)
        _check_a_document_waits_for_bravo(data, anna, bruno)
        _check_nothing_else_ends_the_demo(data)
    third = SavedAccess.read(kept)
    assert third.sample
    assert {who: access.password for who, access in third.access.items()} == {
        (name, who): access["password"] for name, told in second.items() for who, access in told["people"].items()
    }


def test_without_a_demo_nothing_can_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match=f"no demo runs in {tmp_path}"):
        control.ask(tmp_path, "stop", "bravo")
    with pytest.raises(DemoError, match="no demo runs"):
        control.ask(tmp_path / "missing", "stop", "bravo")
    # What a killed demo leaves does not count as one.
    with socket.socket(socket.AF_UNIX) as left, control.short_path(tmp_path) as path:
        left.bind(path)
    with pytest.raises(DemoError, match="no demo runs"):
        control.ask(tmp_path, "start", "bravo")
    with control.Control(tmp_path):
        pass
    assert [*tmp_path.iterdir()] == []


def test_a_history_fits_its_clock_and_the_machine_s(tmp_path: Path) -> None:
    data, before = tmp_path / "data", datetime.now(UTC)
    _send_history(data)
    for name in NAMES:
        gateway = start(name, data, data / "identities", FREE, log_file=tmp_path / "log", launch=FORKED)
        headers = {"Authorization": f"Bearer {gateway.admin_token}"}
        try:
            with httpx.Client(
                base_url=f"{gateway.url}/api/v1", headers=headers, trust_env=False, verify=NO_TLS
            ) as admin:
                _check_history(admin, before)
        finally:
            gateway.stop()


def test_a_taken_port_is_reported_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        if port > 65530:
            pytest.fail("the system gave a port that leaves no room behind it")
        done = subprocess.run([*SIEVE, "demo", "--ports", str(port)], capture_output=True, check=False)
    assert done.returncode == 1
    [line] = done.stderr.decode().splitlines()
    assert f"{port} (alpha's web)" in line
    assert 'make run RUN_ARGS="--ports free"' in line


@pytest.mark.parametrize("wish", ["", "80", "65535", "some", "-1", "٣٠٠٠"])
def test_ports_that_are_none_are_refused(wish: str) -> None:
    with pytest.raises(DemoError, match="write known, free, or a number"):
        ports.choose(wish)


def test_passwords_of_the_demo_are_kept_or_reported_as_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    assert SavedAccess.read(path).access == {}
    for broken in ("", "[]", '{"people": [{}]}', '{"people": 1}', "3"):
        path.write_text(broken)
        with pytest.raises(DemoError, match=r"people\.json was not written by an earlier run"):
            SavedAccess.read(path)


def test_what_early_versions_kept_is_read(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text(json.dumps({"anna (author at alpha)": "one", "bruno (cleared recipient at bravo)": "two"}))
    saved = SavedAccess.read(path)
    assert saved.access == {("alpha", "anna"): Access(token="one"), ("bravo", "bruno"): Access(token="two")}
    assert not saved.sample


def test_passwords_are_easy_to_type_and_never_the_same() -> None:
    made = {readable_password() for _ in range(100)}
    assert len(made) == 100
    assert all(len(one) == 19 and one.replace("-", "").isalpha() and one.islower() for one in made)


def _check_everybody_is_let_in(told: dict[str, Any]) -> None:
    """By name and password; the author finds a draft and policies."""
    assert set(told["alpha"]["people"]) == {"admin", "anna"}
    assert set(told["bravo"]["people"]) == {"admin", "bruno", "clara", "rosa"}
    for gateway in told.values():
        for name, access in gateway["people"].items():
            with _signed_in(gateway, name) as browser:
                person = browser.get("/me").json()
            assert (person["name"], person["has_password"]) == (name, True)
            assert len(access["password"]) >= 12
    with _signed_in(told["alpha"], "anna") as anna:
        [draft] = anna.get("/drafts").json()["items"]
        assert {policy["name"] for policy in anna.get("/policies").json()} == {"nato", "personal-data"}
    assert (draft["name"], draft["revision"]) == ("sample.md", 1)


def _check_enter_starts_what_ended(data: Path, told: dict[str, Any], typed: IO[bytes]) -> None:
    os.kill(told["bravo"]["pid"], signal.SIGKILL)
    typed.write(b"\n")
    errors = data.parent / "errors"
    _wait_for(lambda: "bravo runs again" in errors.read_text())
    said = errors.read_text().splitlines()
    assert said[0].startswith("bravo stopped. To start it again, press Enter, or run: ")
    assert said[0].endswith(f"sieve demo start bravo --data {data}")


def _check_a_document_waits_for_bravo(data: Path, anna: httpx.Client, bruno: httpx.Client) -> None:
    """It is sent while bravo is stopped. Both have other ports than the first time: each knows where the other is
    now.
    """
    document_id = anna.get("/drafts").json()["items"][0]["document_id"]
    assert control.ask(data, "stop", "bravo") == {"gateway": "bravo", "running": False, "pid": None}
    sent = anna.post("/transfers", json={"document_id": document_id, "peer": "bravo", "recipients": ["bruno"]})
    assert sent.status_code == 202, sent.text
    with pytest.raises(DemoError, match="bravo has stopped already"):
        control.ask(data, "stop", "bravo")
    done = subprocess.run(
        [*SIEVE, "demo", "start", "bravo", "--data", str(data)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "bravo runs again\n", "")
    _wait_for(lambda: bool(_inbox(bruno)))
    [entry] = _inbox(bruno)
    assert bruno.get(f"/inbox/{entry['id']}/verification").json()["valid"] is True


def _check_nothing_else_ends_the_demo(data: Path) -> None:
    with pytest.raises(DemoError, match="bravo runs already"):
        control.ask(data, "start", "bravo")
    with pytest.raises(DemoError, match="no gateway charlie; it has alpha and bravo"):
        control.ask(data, "stop", "charlie")
    again = subprocess.run(
        [*SIEVE, "demo", "--data", str(data), "--ports", "free"], capture_output=True, text=True, check=False
    )
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith(f"sieve: a demo already runs in {data}; ")


@contextmanager
def _terminal() -> Iterator[tuple[IO[bytes], IO[str]]]:
    """What is typed, and the terminal of the program that it is typed to."""
    keyboard, terminal = pty.openpty()
    with os.fdopen(keyboard, "wb", buffering=0) as typed, os.fdopen(terminal) as terminal_file:
        yield typed, terminal_file


def _send_history(data: Path) -> None:
    """A short one, as `make run` sends it in a new folder."""
    make_identities(data / "identities")
    send_history(data, data / "identities", ports.choose("free"), transfers=1)
    log = (data / "history.log").read_text()
    assert "clock was set" not in log
    assert not (data / "clock").exists()


def _check_history(admin: httpx.Client, before: datetime) -> None:
    """It was sent by a clock of the last two days, and everything fits to that clock and to the machine's."""
    transfers = admin.get("/transfers", params={"limit": 100}).json()["items"]
    assert transfers
    created = [datetime.fromisoformat(each["created_at"]) for each in transfers]
    assert before - timedelta(hours=49) < min(created) < before - timedelta(hours=24) < max(created) < before
    delivered = [each for each in transfers if each["state"] == "delivered"]
    assert all(0 < each["timings"]["response"] < 60_000 for each in delivered)
    assert admin.get(f"/transfers/{delivered[0]['id']}/verification").json()["valid"] is True
    assert {each["state"] for each in transfers} <= {"delivered", "failed", "cancelled"}
    assert admin.get("/audit/chain").json()["problems"] == []
    entries = [entry["at"] for entry in admin.get("/audit").json()["items"]]
    assert entries == sorted(entries, reverse=True)


@contextmanager
def _running(data: Path, stdin: IO[str] | int = subprocess.DEVNULL) -> Iterator[dict[str, Any]]:
    """`make run` on free ports, ended as a terminal or a service manager would."""
    command = [*SIEVE, "demo", "--data", str(data), "--ports", "free", "--json"]
    command.append("--without-history")
    errors = data.parent / "errors"
    with errors.open("wb") as file:
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=file)
    try:
        assert process.stdout is not None
        told: dict[str, Any] = json.loads(process.stdout.readline())
        yield told
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        for gateway in told.values():
            with pytest.raises(httpx.ConnectError):
                httpx.get(f"{gateway['url']}/healthz", trust_env=False, verify=NO_TLS)
        # Nothing comes between the lines of the table: the gateways log to files.
        assert " INFO " not in errors.read_text()
        assert all(" INFO " in (data / f"{name}.log").read_text() for name in told)
    finally:
        end(process, 30)


def _wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)  # the demo is another process, and only its answers show the state


def _inbox(reader: httpx.Client) -> list[dict[str, Any]]:
    """Empty also while the gateway is stopped."""
    try:
        items: list[dict[str, Any]] = reader.get("/inbox").json()["items"]
    except httpx.TransportError:
        return []
    return items


@contextmanager
def _signed_in(gateway: dict[str, Any], name: str) -> Iterator[httpx.Client]:
    """A client that asks as that person's browser, once it has signed in."""
    headers = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(
        base_url=f"{gateway['url']}/api/v1", headers=headers, timeout=30, trust_env=False, verify=NO_TLS
    ) as client:
        answer = client.post("/session", json={"name": name, "password": gateway["people"][name]["password"]})
        assert answer.status_code == 200, answer.text
        yield client


def _demo(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([*SIEVE, "demo", "once", *arguments], capture_output=True, check=False, timeout=120)
