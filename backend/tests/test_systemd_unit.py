"""deploy/systemd: the unit and the command beside it fit the gateway. `make check` asks systemd about the unit."""

import configparser
import os
import re
import subprocess
from pathlib import Path

from sieve.config import PREFIX, Settings
from sieve.main import MUST_BE_MENDED

FOLDER = Path(__file__).parents[2] / "deploy" / "systemd"
UNIT = (FOLDER / "sieve.service").read_text()


def _values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def test_the_unit_leaves_what_confines_the_processes_that_face_strangers() -> None:
    [namespaces] = _values("RestrictNamespaces")
    assert set(namespaces.split()) == {"user", "net", "ipc"}
    last = _values("SystemCallFilter")[-1].split()
    assert {"seccomp", "capset", "landlock_create_ruleset", "landlock_restrict_self", "prlimit64"} <= set(last)


def test_what_the_unit_sets_are_settings() -> None:
    names = [value.strip('"').split("=")[0] for value in _values("Environment")]
    settings = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    assert len(names) == 4
    assert set(names) <= {*settings, "SIEVE_CONFIG"}


def test_a_start_that_cannot_succeed_is_not_repeated() -> None:
    assert _values("RestartPreventExitStatus") == [str(MUST_BE_MENDED)]
    assert _values("Restart") == ["on-failure"], "one that may succeed later is"


def test_the_command_runs_as_the_unit_does(tmp_path: Path) -> None:
    fake = tmp_path / "systemd-run"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    fake.chmod(0o700)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    ran = subprocess.run(
        [FOLDER / "sieve-admin", "people", "add", "Ida Holm"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )

    arguments = ran.stdout.splitlines()
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(UNIT)
    for name in ("User", "Group", "UMask", "LoadCredential", "StateDirectory", "StateDirectoryMode"):
        assert f"--property={name}={unit['Service'][name]}" in arguments
    for value in _values("Environment"):
        if not value.startswith('"'):
            assert f"--setenv={value.replace('%S', '/var/lib')}" in arguments
    [command] = [value for value in arguments if "MASTER_KEY_COMMAND" in value]
    assert "cat $CREDENTIALS_DIRECTORY/master.key" in command
    assert command.endswith('exec /opt/sieve/bin/sieve "$@"')
    assert arguments[-4:] == ["sieve", "people", "add", "Ida Holm"]
