"""Errors of all commands that ask a gateway: one line each, and where they find its address and the token."""

from pathlib import Path

import pytest

from cases import each
from command_world import MARKED, TO, Served, Sieve
from sieve.cli import main


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


def test_a_server_that_is_no_gateway_is_reported(served: Served, sieve: Sieve) -> None:
    status, _, error = sieve("inbox", "--url", f"{served.url}/api/docs", who="bruno")
    assert (status, error.count("\n")) == (1, 1)
    assert "SIEVE_URL" in error or "nothing at this path" in error


def test_a_token_from_a_file(sieve: Sieve, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(served.world.tokens["bruno"] + "\n")
    status, out, _ = sieve("inbox", "--json", "--token-file", str(file), who="anna")
    assert (status, out) == (0, "[]\n")
