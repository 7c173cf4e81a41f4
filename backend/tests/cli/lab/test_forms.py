"""Experiments have two forms, in one way."""

import re
from pathlib import Path

import pytest
import typer.main

from sieve.cli.lab import lab

REPOSITORY = Path(__file__).parents[4]
COMPUTED = "queueing"
"""It measures nothing: it answers from a gateway's own transfers."""
EXPERIMENTS = {name: each for name, each in typer.main.get_group(lab).commands.items() if name != COMPUTED}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_is_quick_unless_it_is_full(name: str) -> None:
    (form,) = (each for each in EXPERIMENTS[name].params if each.name == "full")
    assert (form.opts, form.secondary_opts, form.default) == (["--full"], ["--quick"], False)
    assert re.fullmatch(r"Quick, the default, .+; full .+\.", getattr(form, "help", ""))


def test_make_lab_runs_all_of_them_and_the_documents_name_them() -> None:
    (listed,) = re.findall(r"^\t@for experiment in (.+); do", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert set(listed.split()) == set(EXPERIMENTS)
    read = (REPOSITORY / "docs" / "laboratory" / "README.md").read_text()
    assert all(name in read for name in EXPERIMENTS)
