"""Master keys that a command prints: only from a command that succeeds, and never in what people read."""

import os
import signal
import sys
from pathlib import Path

import pytest

from sieve.store.errors import MasterKeyError, MasterKeyMissing
from sieve.store.key_source import KeyCommand
from sieve.store.master_keys import key_id

KEY = "5a" * 32


def helper(folder: Path, script: str) -> str:
    """A command that runs this script of a shell."""
    path = folder / "it's a helper"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return f'"{path}"'


def test_its_output_holds_the_keys(tmp_path: Path) -> None:
    keys = KeyCommand(helper(tmp_path, f"echo {KEY}; echo {'ab' * 32}")).load([key_id(bytes.fromhex(KEY))])
    assert keys.ids == (key_id(bytes.fromhex(KEY)), key_id(b"\xab" * 32))


def test_it_sees_no_settings_no_input_and_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIEVE_SMTP_URL", "smtp://u:secret@example.org")
    seen = tmp_path / "seen"
    KeyCommand(helper(tmp_path, f"(env; pwd; cat; echo $#) > {seen}; echo {KEY}") + " '$HOME' ';'").load(())
    told = seen.read_text()
    assert "SIEVE" not in told and "secret" not in told
    assert told.splitlines()[-2:] == ["/", "2"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (f"echo {KEY}; echo oh {KEY} >&2; exit 3", "it ended with status 3; run it as the gateway's user to see why"),
        (f"echo {KEY}; kill -9 $$", "it ended with signal 9; run it as the gateway's user to see why"),
        (f"echo key {KEY}", "line 1 of the master keys is not 64 hexadecimal digits; make a key with"),
        ("true", "master keys must be 32 bytes each, and there must be one at least"),
        ("printf '\\377'", "it printed something else than keys"),
        (f"while echo {KEY}; do :; done", "it printed more than 64 KiB"),
    ],
)
def test_its_failure_is_one_line_without_its_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], script: str, why: str
) -> None:
    with pytest.raises(MasterKeyError) as caught:
        KeyCommand(helper(tmp_path, script)).load(())
    assert str(caught.value).startswith(f"the command of SIEVE_MASTER_KEY_COMMAND failed: {why}")
    assert "\n" not in str(caught.value) and KEY[:8] not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_one_that_cannot_be_started_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MasterKeyError, match="it cannot be started: No such file or directory"):
        KeyCommand(str(tmp_path / "absent")).load(())


def test_one_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    hangs = helper(tmp_path, f"echo $$ > {pid}; {sys.executable} -c 'import signal; signal.pause()'")
    with pytest.raises(MasterKeyError, match=r"it did not end within 0.5 s"):
        KeyCommand(hangs, timeout_s=0.5).load(())
    if pid.exists():  # not on a machine so busy that the shell had not begun
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), signal.SIGTERM)


def test_a_key_that_it_does_not_print_is_reported(tmp_path: Path) -> None:
    with pytest.raises(
        MasterKeyMissing, match=r"0123456789abcdef is missing in the output of SIEVE_MASTER_KEY_COMMAND"
    ):
        KeyCommand(helper(tmp_path, f"echo {KEY}")).load(["0123456789abcdef"])
