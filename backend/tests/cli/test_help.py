"""What holds for each command: examples in its help that it accepts, and an answer in JSON for programs."""

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from sieve.cli.app import app

WITHOUT_JSON = {"gateway": "it serves until it is stopped, and its log says what it does"}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, each in getattr(command, "commands", {}).items():
        yield from _commands(each, (*path, name))
    if path and (command.epilog or not hasattr(command, "commands")):
        yield " ".join(path), command


ROOT: Any = typer.main.get_command(app)
COMMANDS = dict(_commands(ROOT))
GROUPS = [name for name, command in ROOT.commands.items() if hasattr(command, "commands") and name not in COMMANDS]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_ends_with_examples_that_it_accepts(name: str) -> None:
    lines = (COMMANDS[name].epilog or "").split("\n")
    assert lines[:2] == ["\b", "Examples:"]
    examples = [line.strip() for line in lines[2:]]
    assert examples
    for example in examples:
        words = [word for word in shlex.split(example.split(" > ")[0]) if not word.startswith("SIEVE_")]
        assert words[0] == "sieve"
        command, arguments, called = ROOT, words[1:], []
        while hasattr(command, "commands") and arguments and arguments[0] in command.commands:
            called.append(arguments[0])
            command, arguments = command.commands[arguments[0]], arguments[1:]
        assert " ".join(called) == name
        command.make_context(name, arguments)


@pytest.mark.parametrize("name", GROUPS)
def test_the_help_of_a_group_ends_with_an_example_of_each_of_its_commands(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "-h"]).output
    firsts = [
        (command.epilog or "").split("\n")[2] for path, command in COMMANDS.items() if path.startswith(f"{name} ")
    ]
    assert firsts
    assert shown.endswith("\n".join(("", "  Examples:", *(f"  {line}" for line in firsts), "")))


def test_the_help_of_all_commands_ends_with_examples() -> None:
    lines = (ROOT.epilog or "").split("\n")
    assert lines[:2] == ["\b", "Examples:"]
    shown = {line for command in COMMANDS.values() for line in (command.epilog or "").split("\n")}
    assert shown.issuperset(lines)
    assert len(lines) > 3


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - WITHOUT_JSON.keys()))
def test_programs_can_read_the_answer_of_each_command(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in COMMANDS[name].params)


@pytest.mark.parametrize("name", WITHOUT_JSON)
def test_the_exceptions_are_commands_without_json(name: str) -> None:
    assert not any("--json" in parameter.opts for parameter in COMMANDS[name].params)
