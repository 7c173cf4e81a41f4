"""`sieve send` and `sieve plan` of files of any format: with the marks of a marks file, or wholly classified."""

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from any_files import GOOD, HOSTILE, SECRET
from command_world import TO, Served, Sieve
from sieve import marks_file
from sieve.cli.api import Api, Unreachable
from sieve.core.units import Mark
from sieve.formats.reading import read
from sieve.gateway.documents.file_drafts import FileDrafts
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.outbound.transfer_queue import TransferQueue
from sieve.web.transfers.schemas import PlanShown

PATIENCE_S = 60.0


def marked(folder: Path, name: str) -> tuple[Path, Path, int]:
    """A file in which the secret is marked, its marks file, and how many bytes of it are classified."""
    data = GOOD[name][1]
    reading = read(name, data)
    marks = [
        Mark(unit.address, unit.text.index(SECRET), unit.text.index(SECRET) + len(SECRET), reason="a code")
        for unit in reading.units()
        if SECRET in unit.text
    ]
    spans = reading.spans(marks)
    file, written = folder / name, folder / f"{name}.marks.json"
    file.write_bytes(data)
    written.write_bytes(marks_file.dump(reading.name, data, marks, spans))
    return file, written, spans.classified_size


def left(served: Served) -> tuple[int, list[dict[str, Any]]]:
    """How many drafts anna has, and her documents."""

    async def ask() -> tuple[int, list[dict[str, Any]]]:
        async with served.world.client("anna") as api:
            drafts, documents = (await api.get("/drafts")).json(), (await api.get("/documents")).json()
        return len(drafts["items"]), documents["items"]

    return served.run(ask())


def test_files_of_any_format_go_with_their_marks_and_leave_no_draft(
    served: Served, sieve: Sieve, tmp_path: Path
) -> None:
    for number, name in enumerate(("pay.csv", "memo.txt"), 1):
        file, marks, classified = marked(tmp_path, name)
        assert sieve("plan", str(file), "--marks", str(marks), "--peer", "bravo")[0] == 0
        status, out, error = sieve("send", str(file), "--marks", str(marks), *TO, "--no-wait", "--json")
        assert (status, error) == (0, "")
        assert json.loads(out)["name"] == name
        drafts, documents = left(served)
        assert (drafts, len(documents)) == (0, number)
        assert documents[0]["document_bytes"] == len(file.read_bytes())
        assert documents[0]["classified_bytes"] == classified > 0
        content = served.run(served.world.read_while(f"/documents/{documents[0]['id']}/content", "anna", nothing))
        assert content == file.read_bytes()


def test_a_peer_that_is_away_is_named_at_once(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "memo.md"
    file.write_bytes(b"<$S>north<$E> pier\n")
    served.world.links.link.reachable = False
    status, out, error = sieve("send", str(file), *TO, "--no-wait", "--json")
    assert (status, json.loads(out)["state"]) == (0, "queued")
    assert re.fullmatch(
        r"bravo has not answered since (\S+ )?\d\d:\d\d; memo\.md waits and goes when bravo is back\n", error
    )
    status, _, error = sieve("send", str(file), str(file), *TO, "--timeout", "0")
    assert status == 1
    assert error.splitlines()[0].endswith("; 2 documents wait and go when bravo is back")


async def nothing() -> None: ...


def test_a_gateway_that_goes_away_before_all_is_there_is_left_nothing(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    for file in files:
        Path(file).write_bytes(b"open <$S>secret<$E>")
    real = Api.call

    def away(self: Api, method: str, path: str, **arguments: Any) -> Any:
        if path == "/documents" and arguments["params"]["name"] == "b.txt":
            raise Unreachable("no answer")
        return real(self, method, path, **arguments)

    monkeypatch.setattr(Api, "call", away)
    assert sieve("send", *files, *TO)[::2] == (1, "sieve: no answer\n")
    assert left(served) == (0, [])


def begun(served: Served, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> "subprocess.Popen[bytes]":
    """`sieve send` as anna, in a separate process."""
    monkeypatch.setenv("SIEVE_TOKEN", served.world.tokens["anna"])
    command = [sys.executable, "-m", "sieve.cli", "send", *arguments, *TO, "--no-wait"]
    # Where Ctrl-C is ignored, as in a script's background, it is so in every process that is started there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)


def interrupted(process: "subprocess.Popen[bytes]", there: Callable[[float], bool], then: Callable[[], None]) -> None:
    """Ctrl-C, once it is there; `then` happens after that."""
    try:
        assert there(PATIENCE_S), process.communicate(timeout=1)
        process.send_signal(signal.SIGINT)
        then()
        told = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, *told) == (130, b"", b"sieve: interrupted\n")
    finally:
        process.kill()
        process.wait()


def held(
    served: Served, monkeypatch: pytest.MonkeyPatch, owner: type, name: str, *, done: bool
) -> tuple[Callable[[float], bool], Callable[[], None], Callable[[float], bool]]:
    """Holds calls of a method of the gateway before they begin, or when they are `done`: (one got there, let it go on,
    it is over)."""
    real, there, over, go_on = getattr(owner, name), threading.Event(), threading.Event(), asyncio.Event()

    async def slowly(*arguments: Any, **more: Any) -> Any:
        try:
            result = await real(*arguments, **more) if done else None
            there.set()
            await go_on.wait()
            return result if done else await real(*arguments, **more)
        finally:
            over.set()

    async def release() -> None:
        go_on.set()

    monkeypatch.setattr(owner, name, slowly)
    return there.wait, lambda: served.run(release()), over.wait


def to_send(folder: Path, kind: str) -> list[str]:
    """The arguments for a marked text, or for a file with its marks."""
    if kind == "file":
        file, marks, _ = marked(folder, "pay.csv")
        return [str(file), "--marks", str(marks)]
    (folder / "a.txt").write_bytes(b"open <$S>secret<$E>")
    return [str(folder / "a.txt")]


def test_ctrl_c_while_the_second_file_is_read_leaves_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = begun(served, monkeypatch, *to_send(tmp_path, "text"), str(pipe))
    opened: list[int] = []
    # It opens the pipe to read once the first file is at the gateway; this waits for that.
    opening = threading.Thread(target=lambda: opened.append(os.open(pipe, os.O_WRONLY)), daemon=True)
    opening.start()

    def there(timeout: float) -> bool:
        opening.join(timeout)
        return bool(opened) and len(left(served)[1]) == 1

    interrupted(process, there, lambda: None)
    os.close(opened[0])
    assert left(served) == (0, [])


@pytest.mark.parametrize("kind", ["text", "file"])
def test_ctrl_c_while_the_gateway_takes_the_file_in_leaves_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    owner, name = (FileDrafts, "create") if kind == "file" else (Ingest, "commit")
    there, go_on, _ = held(served, monkeypatch, owner, name, done=True)
    interrupted(begun(served, monkeypatch, *to_send(tmp_path, kind)), there, go_on)
    assert left(served) == (0, [])
    assert served.world.blob_files() == []


@pytest.mark.parametrize("kind", ["text", "file"])
@pytest.mark.parametrize("queued", [False, True], ids=["not queued yet", "queued"])
def test_ctrl_c_while_it_is_queued_leaves_all_or_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, queued: bool
) -> None:
    there, go_on, over = held(served, monkeypatch, TransferQueue, "send", done=queued)
    interrupted(begun(served, monkeypatch, *to_send(tmp_path, kind)), there, lambda: None)
    go_on()
    assert over(PATIENCE_S)

    async def sent() -> int:
        async with served.world.client("anna") as api:
            return len((await api.get("/transfers")).json()["items"])

    drafts, documents = left(served)
    assert (drafts, len(documents), served.run(sent())) == (0, int(queued), int(queued))


def test_of_several_that_are_planned_the_one_that_is_wrong_is_named(sieve: Sieve, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_bytes(b"open <$S>secret<$E>")
    bad.write_bytes(b"open <$S>secret")
    status, out, error = sieve("plan", str(good), str(bad), "--peer", "bravo")
    assert (status, out, error.startswith(f"sieve: {bad}: line 1")) == (2, "", True), error


def test_what_others_read_of_standard_input_is_not_sent(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "mail.txt"
    whole.write_bytes(b"header\nbody\n")
    with whole.open("rb", buffering=0) as file:
        file.seek(len(b"header\n"))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(file)))
        assert sieve("send", "-", "--whole", "--name", "x", *TO, "--no-wait")[0] == 0
    assert left(served)[1][0]["classified_bytes"] == len(b"body\n")


def test_marks_that_do_not_fit_leave_nothing(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file, marks, _ = marked(tmp_path, "pay.csv")
    said = json.loads(marks.read_bytes())
    for change, sentence in (
        ({"marks": [{"address": "column/none"}]}, "column/none"),
        ({"size": 1}, "made for another file"),
        ({"version": 9}, "of another version"),
    ):
        marks.write_text(json.dumps({**said, **change}))
        status, out, error = sieve("send", str(file), "--marks", str(marks), *TO)
        assert (status, out, sentence in error, error.count("\n")) == (2, "", True, 1), error
        # Whether marks fit, which are not a text's, the gateway says.
        assert error.startswith(f"sieve: {file if 'marks' in change else marks}: "), error
        planned = sieve("plan", str(file), "--marks", str(marks), "--peer", "bravo")
        assert (planned[0], planned[1], planned[2].startswith(f"sieve: {marks}: ")) == (2, "", True), planned
    wrong = tmp_path / "log.jsonl"
    wrong.write_bytes(b"{}\n[]\n")
    marks.write_bytes(marks_file.dump("jsonl", wrong.read_bytes(), [], read("x.txt", b"").spans([])))
    status, out, error = sieve("send", str(wrong), "--marks", str(marks), *TO)
    assert (status, out) == (2, "") and error.startswith(f"sieve: {wrong}: line 2 is not a JSON object")
    wrong.write_bytes(b"<$E>")
    status, out, error = sieve("send", str(wrong), *TO)
    assert (status, out) == (2, "") and error.startswith(f"sieve: {wrong}: line 1, column 1: <$E> closes a span"), error
    marks.write_text(json.dumps({**said, "marks": []}))
    for arguments, sentence in (
        ((str(file), str(file), "--marks", str(marks)), "--marks is for one file"),
        ((str(file), "--whole", "--unmarked"), "exclude each other"),
    ):
        status, _, error = sieve("send", *arguments, *TO)
        assert (status, sentence in error) == (2, True), error
    assert left(served) == (0, [])
    assert served.world.blob_files() == []


def test_any_file_goes_wholly_classified(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for name in ("bomb.docx", "laughing.docx", "password.pdf", "latin.csv", "wide.csv"):
        files.append(str(tmp_path / name))
        (tmp_path / name).write_bytes(HOSTILE[name]())
    (tmp_path / "empty.txt").write_bytes(b"")
    status, out, error = sieve(
        "plan", *files, "--whole", "--peer", "bravo", "--mode", "sieve", "--plain", "2", "--json"
    )
    assert (status, error, json.loads(out)["plain_channels"]) == (0, "", 2)
    status, out, error = sieve("send", *files, str(tmp_path / "empty.txt"), "--whole", *TO, "--no-wait", "--json")
    assert (status, error) == (0, "")
    assert [one["name"] for one in json.loads(out)["transfers"]] == [*(Path(file).name for file in files), "empty.txt"]
    drafts, documents = left(served)
    assert drafts == 0
    assert all(one["plain_bytes"] == 0 for one in documents)
    assert {one["name"]: one["document_bytes"] for one in documents} == {
        **{Path(file).name: Path(file).stat().st_size for file in files},
        "empty.txt": 0,
    }
    types = {one["name"]: one["media_type"] for one in documents}
    assert (types["latin.csv"], types["wide.csv"]) == ("application/octet-stream", "text/csv")
    with (tmp_path / "latin.csv").open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        assert sieve("send", "-", "--whole", "--name", "x", *TO, "--no-wait")[0] == 0
    assert left(served)[1][0]["classified_bytes"] == len(HOSTILE["latin.csv"]())


def test_a_file_that_grows_while_it_is_read_is_not_sent(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sieve.cli import upload

    file = tmp_path / "log.bin"
    file.write_bytes(b"secret")

    def grown(source: Any) -> Iterator[bytes]:
        yield source.read()
        yield b" and more"

    monkeypatch.setattr(upload, "pieces_of", grown)  # a real file would have to grow between two reads
    status, _, error = sieve("send", str(file), "--whole", *TO)
    assert (status, "changed while it was read" in error) == (2, True), error
    assert left(served) == (0, [])


def test_of_several_each_is_named_and_those_that_did_not_arrive_say_why(
    served: Served, sieve: Sieve, tmp_path: Path
) -> None:
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    for file in files:
        Path(file).write_bytes(b"the <$S>secret<$E>")

    async def first_arrives_and_second_is_cancelled() -> None:
        await served.world.worker.awake.wait()
        async with served.world.client("anna") as api:
            waiting = {one["name"]: one["id"] for one in (await api.get("/transfers")).json()["items"]}
            await served.world.settle_delivered(waiting["a.txt"])
            assert (await api.post(f"/transfers/{waiting['b.txt']}/cancel")).status_code == 200

    served.begin(first_arrives_and_second_is_cancelled())
    status, out, error = sieve("send", *files, *TO, "--json")
    first, second = json.loads(out)["transfers"]
    assert status == 1
    assert (first["name"], first["state"], first["identical"]) == ("a.txt", "delivered", True)
    assert (second["name"], second["state"]) == ("b.txt", "cancelled")
    assert error == f"sieve: transfer {second['transfer_id']} of b.txt to bravo is cancelled: {second['reason']}\n"


def test_what_a_plan_notes_is_reported_once(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"the <$S>secret<$E>")
    shown = PlanShown.of
    monkeypatch.setattr(PlanShown, "of", lambda row: shown(row).model_copy(update={"note": f"so {row.document.name}"}))
    served.deliver_what_is_queued()
    asked = (*TO, "--mode", "sieve")
    status, out, error = sieve("send", str(tmp_path / "a.txt"), str(tmp_path / "a.txt"), *asked)
    assert (status, error) == (0, "so a.txt\n")
    assert out.count("bravo has a.txt. Receipt checked.\n") == 2


def test_a_text_in_another_encoding_is_named_and_converted(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    memo = tmp_path / "memo.txt"
    memo.write_bytes("Caf\u00e9 at <$S>six<$E>, quay \u00e4.".encode("cp1252"))
    for form in ((), ("--unmarked",)):
        status, _, error = sieve("send", str(memo), *TO, *form)
        assert (status, "memo.txt: this text seems to be in Latin-1; convert it with --encoding" in error) == (2, True)
    status, out, _ = sieve("send", str(memo), *TO, "--encoding", "latin-1", "--no-wait", "--json")
    assert (status, json.loads(out)["name"]) == (0, "memo.txt")
    status, _, error = sieve("send", str(memo), *TO, "--encoding", "latin-1", "--whole")
    assert (status, "use one of them" in error) == (2, True)
