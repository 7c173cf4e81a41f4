"""The `sieve` command against a gateway that is served on a real socket: what people type and what they get."""

import io
import json
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from cases import each
from command_world import TO, Served, Sieve
from databases import url
from sieve.channel import receipt as receipts
from sieve.cli import main
from sieve.cli.table import visible
from sieve.gateway.peering.invitation import Invitation
from sieve.store.models import Transfer
from sieve.store.queries import audit

MARKED = b"Meet at <$S>noon, pier 7<$E>; a literal tag is <$$S>.\r\n"
CONTENT = b"Meet at noon, pier 7; a literal tag is <$S>.\r\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "memo.md"
    path.write_bytes(MARKED)
    return path


def test_send_tells_what_happened_in_one_line_of_json(served: Served, sieve: Sieve, document: Path) -> None:
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


@each(
    ("arguments", "status", "sentence"),
    [
        (("send", "{missing}", *TO), 2, "No such file"),
        (("send", "{bad}", *TO), 2, "line 2, column 3: <$E> closes a span"),
        (("send", "{good}", "--peer", "bravo", "--to", "zoe"), 2, "nobody named zoe can receive at bravo"),
        (("send", "{good}", "--peer", "delta", "--to", "zoe"), 1, "no peer named delta"),
        (("send", "{good}", *TO, "--secure", "9", "--mode", "sieve"), 2, "at most 2 secure channels"),
        (("send", "{good}", *TO, "--plain", "0"), 2, "--plain"),
        (("send", "{good}", *TO, "--split", "es"), 2, "name the mode for split es"),
        (("send", "{good}", *TO, "--mode", "fast"), 2, "fast"),
        (("plan", "{good}", "--peer", "delta"), 1, "no peer of that name"),
        (("plan", "{bad}", "--peer", "bravo"), 2, "line 2, column 3"),
        (("send", "{good}", "--peer", "bravo"), 2, "--to"),
        (("send", "{good}", *TO, "--url", "http://127.0.0.1:1"), 1, "no gateway answers at http://127.0.0.1:1"),
        (("send", "{good}", *TO, "--url", "ftp://x"), 2, "not a gateway's address"),
        (("send", "{good}", *TO, "--token-file", "{missing}"), 2, "cannot read the token"),
        (("get", "0123", "--out", "{out}"), 1, "only recipients may do this"),
        (("sent", "--state", "gone"), 2, "gone"),
        (("status", "../me"), 2, "nothing among the transfers that you sent has the id or the name '../me'"),
        (("recipients", "--peer", "delta"), 1, "no peer of that name"),
        (("verify", "{missing}"), 2, "No such file"),
        (("verify", "{good}"), 1, "this is not a receipt"),
        (("verify", "{good}", "--key", "xyz"), 2, "64 hexadecimal digits"),
        (("people", "list"), 1, "only admins may do this"),
    ],
)
def test_an_error_is_one_line(
    served: Served, sieve: Sieve, tmp_path: Path, arguments: tuple[str, ...], status: int, sentence: str
) -> None:
    names = {name: tmp_path / name for name in ("missing", "bad", "good", "out")}
    names["bad"].write_bytes(b"ok\nab<$E>")
    names["good"].write_bytes(MARKED)
    got, out, error = sieve(*(argument.format(**names) for argument in arguments))
    assert (got, out) == (status, "")
    assert sentence in error
    assert error.startswith("sieve: ") and error.count("\n") == 1
    assert not names["out"].exists()
    assert served.world.blob_files() == [], "what could not be sent was left at the gateway"


def test_no_token(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inbox"]) == 2
    assert "SIEVE_TOKEN" in capsys.readouterr().err


def test_what_others_say_moves_no_cursor() -> None:
    assert visible("no\r\n\x1b[2Jreason\u202e") == "no   [2Jreason "


def test_a_server_that_is_no_gateway_is_reported(served: Served, sieve: Sieve) -> None:
    status, _, error = sieve("inbox", "--url", f"{served.url}/api/docs", who="bruno")
    assert (status, error.count("\n")) == (1, 1)
    assert "SIEVE_URL" in error or "nothing at this path" in error


def test_a_token_from_a_file(sieve: Sieve, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(served.world.tokens["bruno"] + "\n")
    status, out, _ = sieve("inbox", "--json", "--token-file", str(file), who="anna")
    assert (status, out) == (0, "[]\n")


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


def test_what_was_sent_is_listed_cancelled_and_retried(served: Served, sieve: Sieve, document: Path) -> None:
    status, out, _ = sieve("send", str(document), *TO, "--no-wait", "--json")
    transfer = json.loads(out)["transfer_id"]
    row = sieve("sent", "--state", "queued")[1].rstrip("\n").split("\t")
    assert (row[0], *row[2:]) == (transfer, "queued", "bravo", "Berta", f"{len(CONTENT)} bytes", "memo.md")
    assert json.loads(sieve("status", "memo.md", "--json")[1])["id"] == transfer
    status, out, error = sieve("cancel", transfer[:6])
    assert (status, error) == (0, "")
    assert "state     cancelled\n" in out
    status, _, error = sieve("retry", "memo.md")
    assert status == 1 and error.count("\n") == 1
    assert "\tnot cleared\n" in sieve("recipients", "--peer", "bravo")[1]


def test_status_says_how_the_secure_channel_was_encrypted(served: Served, sieve: Sieve, document: Path) -> None:
    transfer = json.loads(sieve("send", str(document), *TO, "--no-wait", "--json")[1])["transfer_id"]
    assert "key exchange" not in sieve("status", transfer)[1]

    async def plan() -> None:
        said = json.dumps({"cipher": "TLS_AES_256_GCM_SHA384", "key_exchange": "x25519"})
        async with served.world.database.write() as session:
            await session.execute(update(Transfer).where(Transfer.id == transfer).values(plan=said))

    served.run(plan())
    rows = [line.split() for line in sieve("status", transfer)[1].splitlines()]
    assert ["cipher", "TLS_AES_256_GCM_SHA384"] in rows and ["key", "exchange", "x25519"] in rows


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


def test_receipts_are_fetched_and_verified(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    sent = served.run(served.world.send(MARKED))
    served.run(served.world.settle_delivered(sent))
    received = served.run(served.world.deliver(MARKED))
    key = served.world.bravo_key.public_key().public_bytes_raw().hex()
    for transfer, who, receiver in ((sent, "anna", "bravo"), (received, "bruno", "alpha")):
        file = tmp_path / f"{who}.json"
        assert sieve("receipt", transfer, "--out", str(file), who=who)[0] == 0
        status, out, _ = sieve("verify", str(file), who=who)
        assert (status, out.startswith(f"valid: {receiver} has transfer {transfer}")) == (0, True)
        status, _, error = sieve("verify", str(file), "--key", key)
        assert status == (0 if who == "anna" else 1)
        file.write_text(file.read_text().replace('"size":', '"size":1'))
        status, _, error = sieve("verify", str(file), who=who)
        assert status == 1 and "signature does not hold" in error
    status, _, error = sieve("receipt", received, "--out", str(tmp_path / "x"), who="rosa")
    assert (status, error) == (1, "sieve: the receipt of this transfer is for cleared recipients\n")


def test_a_receipt_sends_no_control_characters_to_the_terminal(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    sent = served.run(served.world.send(MARKED))
    found, _ = receipts.read(served.run(served.world.settle_delivered(sent)))
    file = tmp_path / "receipt"
    file.write_text(replace(found, recipients=("berta\x1b]52;c;eA\x07\nvalid: all",)).sign(served.world.bravo_key))
    status, out, _ = sieve("verify", str(file))
    assert status == 0 and out.isascii() and out.rstrip("\n").isprintable()


def test_a_receipt_of_a_stranger_is_not_valid(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "receipt"
    sent = served.run(served.world.send(MARKED))
    file.write_text(served.run(served.world.settle_delivered(sent)))
    assert sieve("peers", "remove", "bravo", who="root")[0] == 0
    status, _, error = sieve("verify", str(file))
    assert status == 1 and "no gateway that yours knows" in error


def test_a_marked_text_from_stdin(
    served: Served, sieve: Sieve, document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with document.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        status, out, error = sieve("send", "-", *TO, "--no-wait", "--name", "memo.txt", "--json")
    assert (status, error) == (0, "")
    assert json.loads(out)["state"] == "queued"


def test_people_from_a_file(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("login;name;roles\nzoe;Zoe;recipient\nanna;Anna;author recipient\nyan;;king\n")
    status, shown, error = sieve("people", "import", str(file), "--dry-run", who="root")
    assert shown.splitlines()[:2] == ["2\tzoe\tnew\t", "3\tanna\tchanged\troles: author -> author recipient"]
    assert (status, "1 of 3 rows are refused" in error) == (2, True)
    assert sieve("people", "import", str(file), who="root")[0] == 2
    file.write_text(file.read_text().replace("yan;;king\n", ""))
    status, links, said = sieve("people", "import", str(file), who="root")
    assert (status, said) == (0, "1 new, 1 changed, 0 unchanged\n")
    assert links.startswith("zoe\tZoe\thttp://") and "/welcome#" in links
    status, out, _ = sieve("people", "export", "--out", str(file), "--json", who="root")
    assert (status, json.loads(out)) == (0, {"file": str(file), "bytes": len(file.read_bytes())})
    assert "zoe,Zoe,,,recipient,no,no" in file.read_text("utf-8-sig").splitlines()
    again = json.loads(sieve("people", "import", str(file), "--dry-run", "--json", who="root")[1])
    assert {row["outcome"] for row in again["rows"]} == {"unchanged"}


def test_pairing(served: Served, sieve: Sieve, ours: Invitation, identities: Path, tmp_path: Path) -> None:
    from pki import invitation_of, new_identity
    from sieve.gateway.peering.invitation import comparison_codes

    charlie = invitation_of(new_identity(identities, "charlie"), "charlie")
    assert sieve("peers", "invitation", who="root")[1] == ours.to_text() + "\n"
    file = tmp_path / "invitation"
    file.write_text(charlie.to_text() + "\n")
    status, code, _ = sieve("peers", "add", str(file), who="root")
    assert status == 0
    assert sieve("peers", "confirm", "charlie", "AAAAA", who="root")[0] == 1
    codes = comparison_codes(ours, charlie)
    assert code == codes.ours + "\n" == sieve("peers", "code", "charlie", who="root")[1]
    assert sieve("peers", "confirm", "charlie", codes.theirs, who="root")[0] == 0
    assert "charlie\tactive\t" in sieve("peers", "list", who="root")[1]
    assert float(sieve("peers", "test", "charlie", who="root")[1]) >= 0
    assert sieve("peers", "remove", "charlie", who="root")[0] == 0


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


def test_a_forgotten_password_is_set_anew_by_a_link_from_the_data_folder(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIEVE_DATA_DIR", str(served.world.folder))
    monkeypatch.setenv("SIEVE_DATABASE_URL", url(served.world.folder / "sieve.db"))
    monkeypatch.setenv("SIEVE_WEB_BIND", "127.0.0.1:0")
    assert main(["admin", "link", "Root"]) == 0
    path, _, code = capsys.readouterr().out.strip().partition("#")
    assert path == "/welcome"
    with httpx.Client(base_url=f"{served.url}/api/v1", headers={"Sec-Fetch-Site": "same-origin"}) as browser:
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


def test_local_commands_need_no_gateway(tmp_path: Path, document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "separated", tmp_path / "out"
    assert main(["separate", str(document), "--out", str(folder)]) == 0
    assert (folder / "secure.bin").read_bytes() == b"noon, pier 7"
    assert main(["integrate", str(folder), "--out", str(out)]) == 0
    assert out.read_bytes() == MARKED
    assert main(["integrate", str(folder), "--out", str(out), "--content"]) == 0
    assert out.read_bytes() == CONTENT
    document.write_bytes(b"<$E>")
    assert main(["separate", str(document), "--out", str(tmp_path / "not")]) == 2
    assert not (tmp_path / "not").exists()
    assert main(["integrate", str(tmp_path), "--out", str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
