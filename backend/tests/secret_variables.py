"""Variables that a gateway's environment may hold and that no process facing strangers may have."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

SECRET_VARIABLES: Final = ("SIEVE_METRICS_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "PASSWORD_OF_AN_OTHER_PROGRAM")


def set_secret_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts them into the environment of this process until the test ends."""
    for name in SECRET_VARIABLES:
        monkeypatch.setenv(name, "secret")


def note_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
    """Lets Pythons that this process starts note the names of their variables; returns what reads them.

    A child that is confined does not let an ordinary account read its `/proc/PID/environ`.
    """
    noted, wrapper = folder / "environment", folder / "python"
    wrapper.write_text(f'#!/bin/sh\nenv > "{noted}"\nexec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(wrapper))
    return lambda: {line.partition("=")[0] for line in noted.read_text().splitlines()}
