"""`sieve send` and `sieve plan` of marked texts; `test_send_command` has files of any format."""

import io
import json
import sys
import time
from pathlib import Path

import pytest

from command_world import CONTENT, MARKED, TO, Served, Sieve


def test_send_says_what_happened_in_one_line_of_json(served: Served, sieve: Sieve, document: Path) -> None:
    served.deliver_what_is_queued()
    status, out, error = sieve("send", str(document), *TO, "--json", "--mode", "secure-only")
    assert (status, error) == (0, "")
    result = json.loads(out)
    assert out.count("\n") == 1
    assert (result["mode"], result["identical"], result["receipt_verified"]) == ("secure-only", True, True)
    assert (result["document_bytes"], result["classified_bytes"]) == (len(CONTENT), len(b"noon, pier 7"))
    assert result["plain_bytes"] == result["document_bytes"] - result["classified_bytes"]
    assert result["listeners"] == {
        "alpha": {"web": "127.0.0.1:1", "secure": "127.0.0.1:2", "plain": "127.0.0.1:3"},
        "bravo": {"web": None, "secure": "bravo.example:8443", "plain": "bravo.example:80"},
    }
    assert set(result["timings"]) >= {"sieve", "split", "establishment", "response", "total", "stored"}


def test_send_for_people(served: Served, sieve: Sieve, document: Path) -> None:
    served.deliver_what_is_queued()
    status, out, error = sieve("send", str(document), *TO)
    assert (status, error) == (0, "")
    assert out.startswith("bravo has memo.md. Receipt checked.\n")


def test_several_files_go_together(served: Served, sieve: Sieve, document: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(b"the <$S>other<$E> one")
    served.deliver_what_is_queued()
    status, out, error = sieve("send", str(document), str(other), *TO, "--mode", "sieve", "--split", "bfs", "--json")
    assert (status, error) == (0, "")
    first, second = json.loads(out)["transfers"]
    assert (first["document_bytes"], second["document_bytes"]) == (len(CONTENT), 13)
    assert [each["plan"]["batch"] for each in (first, second)] == [2, 2]
    assert all(each["identical"] and each["receipt_verified"] for each in (first, second))


def test_of_several_files_none_is_sent_if_one_cannot_be(
    served: Served, sieve: Sieve, document: Path, tmp_path: Path
) -> None:
    bad, missing = tmp_path / "bad.txt", str(tmp_path / "missing")
    bad.write_bytes(b"ab<$E>")
    for files, sentence in (
        ((str(document), missing), "No such file"),
        ((str(document), str(bad)), "line 1, column 3"),
        ((str(document), str(document), "--split", "es", "--mode", "sieve"), "--split es is for one document"),
        ((str(document), "--split", "bfs", "--mode", "sieve"), "--split bfs is for several documents"),
        ((str(document), str(document), "--name", "x"), "--name and --media-type are for one document"),
        (("-", "-"), "named only once"),
    ):
        status, _, error = sieve("send", *files, *TO)
        assert (status, sentence in error) == (2, True), error
    assert served.world.worker.woken == 0


def test_a_receipt_of_another_key_is_no_receipt(served: Served, sieve: Sieve, document: Path) -> None:
    served.world.bravo_key = served.world.services.identity.receipt_key
    served.deliver_what_is_queued()
    status, out, error = sieve("send", str(document), *TO, "--json")
    assert status == 1
    assert json.loads(out)["receipt_verified"] is False
    assert "is not valid for the key of bravo" in error


def test_a_plan_is_reported_and_nothing_is_sent(served: Served, sieve: Sieve, document: Path) -> None:
    status, out, error = sieve("plan", str(document), "--peer", "bravo")
    assert (status, error) == (0, "")
    assert "; there is no reliable estimate yet" in out and out.count("\n") == 1
    status, out, _ = sieve("plan", str(document), "--peer", "bravo", "--unmarked", "--json")
    assert (status, json.loads(out)["split"]) == (0, "range")
    status, out, _ = sieve("inbox", "--json", who="bruno")
    assert json.loads(out) == []


def test_send_without_waiting(sieve: Sieve, document: Path) -> None:
    status, out, _ = sieve("send", str(document), *TO, "--no-wait", "--json")
    assert (status, json.loads(out)["state"]) == (0, "queued")


def test_send_stops_waiting(sieve: Sieve, document: Path) -> None:
    status, _, error = sieve("send", str(document), *TO, "--timeout", "0.2")
    assert status == 1
    assert "queued and not delivered yet" in error and error.count("\n") == 1


def test_an_unmarked_file_is_sent_as_it_is(served: Served, sieve: Sieve, document: Path) -> None:
    served.deliver_what_is_queued()
    status, out, _ = sieve("send", str(document), *TO, "--unmarked", "--json")
    result = json.loads(out)
    assert (status, result["document_bytes"], result["classified_bytes"]) == (0, len(MARKED), 0)


def test_a_text_without_marks_is_not_sent_in_clear_by_mistake(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "memo.txt"
    for content, sentence in (
        (b"nothing is secret", "nothing in it is marked"),
        (b"it costs <$5" * 100_000, "nothing in it is marked"),
        (b"<$S><$E>nothing", "nothing in it is marked"),
        (b"x" * (256 * 1024 - 2) + b"<$$S>not a tag<$$E>", "nothing in it is marked"),
        (b"x" * (256 * 1024 - 2) + b"<$E>", "line 1, column"),
        (b"PK\x03\x04" + bytes(600_000), "this is a zip archive, not a marked text"),
    ):
        file.write_bytes(content)
        status, _, error = sieve("send", str(file), *TO)
        assert (status, sentence in error, error.count("\n")) == (2, True, 1), error
        # The gateway discards what it has once it notices that the upload ended early: it may only begin to take it.
        until, empty = time.monotonic() + 60, 0
        while empty < 30 and time.monotonic() < until:
            time.sleep(0.01)  # nothing announces that it did
            empty = 0 if served.world.blob_files() else empty + 1
        assert empty == 30
    word = tmp_path / "report.docx"
    word.write_bytes(b"PK\x03\x04 and so on")
    assert "this is a Word file" in sieve("send", str(word), *TO)[2]
    for content in (b"", b"x" * (256 * 1024 - 2) + b"<$S>y<$E>"):
        file.write_bytes(content)
        assert sieve("send", str(file), *TO, "--no-wait")[0] == 0


def test_a_marked_text_from_stdin(
    served: Served, sieve: Sieve, document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with document.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        status, out, error = sieve("send", "-", *TO, "--no-wait", "--name", "memo.txt", "--json")
    assert (status, error) == (0, "")
    assert json.loads(out)["state"] == "queued"
