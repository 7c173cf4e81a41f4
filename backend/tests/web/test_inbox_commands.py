"""`sieve inbox`, `get`, `delete` and `undelete`: delivered documents."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from command_world import CONTENT, MARKED, Served, Sieve


def test_the_inbox_and_every_edition(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    transfer = served.run(served.world.deliver(MARKED))
    _, out, _ = sieve("inbox", "--json", who="bruno")
    assert json.loads(out)[0]["transfer_id"] == transfer
    _, out, _ = sieve("inbox", who="rosa")
    assert out.split("\t")[0] == transfer
    file = tmp_path / "got"
    for edition, expected in (("full", CONTENT), ("marked", MARKED)):
        status, out, error = sieve("get", transfer, "--out", str(file), "--edition", edition, who="bruno")
        assert (status, out, error) == (0, "", "")
        assert file.read_bytes() == expected
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    status, out, _ = sieve("get", transfer, "--out", "-", "--edition", "redacted", who="rosa")
    assert (status, out) == (0, "Meet at █████; a literal tag is <$S>.\r\n")
    status, _, error = sieve("get", transfer, "--out", str(tmp_path / "not"), who="rosa")
    assert status == 1 and "cleared" in error
    assert not (tmp_path / "not").exists()


def test_a_transfer_is_named_by_the_start_of_its_id_or_by_its_document(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer = served.run(served.world.deliver(MARKED))
    entry = json.loads(sieve("inbox", "--json", who="bruno")[1])[0]
    monkeypatch.chdir(tmp_path)
    status, out, error = sieve("get", transfer[:8], who="bruno")
    assert (status, out, error) == (0, "", f"wrote {entry['name']}\n")
    assert Path(entry["name"]).read_bytes() == CONTENT
    status, _, error = sieve("get", entry["name"], who="bruno")
    assert (status, error) == (2, f"sieve: {entry['name']} exists already; name another file with --out\n")
    assert sieve("get", entry["name"], "--edition", "redacted", who="rosa")[0] == 0
    assert len(list(tmp_path.glob("*.redacted.*"))) == 1
    for unknown in ("../me", "zz", ""):
        status, _, error = sieve("get", unknown, who="bruno")
        assert (status, "nothing in your inbox" in error) == (2, True), error


def test_the_inbox_says_what_is_unread_and_how_large(served: Served, sieve: Sieve) -> None:
    transfer = served.run(served.world.deliver(MARKED))
    row = sieve("inbox", "--unread", who="bruno")[1].rstrip("\n").split("\t")
    assert (row[0], row[2], row[5]) == (transfer, "unread", f"{len(CONTENT)} bytes")
    assert f"{len(CONTENT) - len(b'noon, pier 7')} bytes plain" in sieve("inbox", who="rosa")[1]
    assert sieve("get", transfer, "--out", "-", who="bruno")[0] == 0
    assert sieve("inbox", "--unread", who="bruno")[:2] == (0, "")
    assert sieve("delete", transfer[:10], who="bruno")[0] == 0
    assert sieve("inbox", "--json", who="bruno")[1] == "[]\n"
    assert sieve("inbox", "--deleted", "--sort", "size", who="bruno")[1].startswith(transfer)
    assert sieve("undelete", transfer[:10], who="bruno")[0] == 0
    assert sieve("undelete", transfer[:10], who="bruno")[0] == 2
    assert sieve("inbox", "--search", "BERTA", who="bruno")[1].startswith(transfer)
    assert sieve("delete", transfer, who="bruno")[0] == 0
    status, _, error = sieve("delete", transfer[:10], "--forever", who="bruno")
    assert status == 2 and "--yes" in error
    assert sieve("delete", transfer[:10], "--forever", "--yes", who="bruno")[0] == 0
    assert sieve("inbox", "--deleted", "--json", who="bruno")[1] == "[]\n"


def test_what_breaks_off_leaves_the_old_file(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    transfer = served.run(served.world.deliver(b"x" * 600_000 + b"<$S>" + b"y" * 600_000 + b"<$E>"))
    for path in served.world.blob_files():
        # The sealed blob's first segment is changed: the plain part before it is fine, and is sent.
        data = path.read_bytes()
        if data[:100] != b"x" * 100 and len(data) > 300_000:
            path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    file = tmp_path / "got"
    file.write_bytes(b"old")
    status, _, error = sieve("get", transfer, "--out", str(file), who="bruno")
    assert status == 1
    assert error.count("\n") == 1
    assert file.read_bytes() == b"old"
    assert list(tmp_path.glob(".sieve-*")) == []


def test_answers_are_json_for_programs(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    transfer = served.run(served.world.deliver(MARKED))

    def answer(*arguments: str, who: str = "bruno") -> Any:
        status, out, error = sieve(*arguments, "--json", who=who)
        assert (status, error) == (0, ""), error
        return json.loads(out)

    got = answer("get", transfer)
    assert (Path(got["file"]).read_bytes(), got["entry"]["transfer_id"]) == (CONTENT, transfer)
    status, _, error = sieve("get", transfer, "--out", "-", "--json", who="bruno")
    assert (status, "name a file with --out" in error) == (2, True)
    status, out, _ = sieve("receipt", transfer, "--out", "receipt.json", "--json", who="bruno")
    assert (status, json.loads(out)) == (0, {"file": "receipt.json", "bytes": Path("receipt.json").stat().st_size})
    assert answer("verify", "receipt.json")["transfer_id"] == transfer
    assert answer("delete", transfer)["forever"] is False
    assert answer("undelete", transfer)["transfer_id"] == transfer
