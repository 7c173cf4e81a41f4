"""What a shell gets from `sieve` when a person presses Tab."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "sieve"


def _asked(shell: str) -> str:
    environment = os.environ | {
        "_SIEVE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "sieve rec",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "sieve rec",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    return subprocess.run([PROGRAM], env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_command_is_completed(shell: str) -> None:
    answer = _asked(shell)
    assert "recipients" in answer and "receipt" in answer
    assert "cancel" not in answer


def test_bash_completes_by_the_installed_script() -> None:
    script = """
        eval "$(_SIEVE_COMPLETE=source_bash sieve)"
        COMP_WORDS=(sieve webhook a) COMP_CWORD=2
        _sieve_completion sieve
        echo "${COMPREPLY[@]}"
    """
    environment = os.environ | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run([bash, "-c", script], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["add"]


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_naming_a_shell_is_an_error_that_says_what_to_run(option: str) -> None:
    done = subprocess.run([PROGRAM, option, "zsh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "_SIEVE_COMPLETE=source_zsh sieve" in done.stderr


def test_that_command_prints_the_script_of_any_shell() -> None:
    environment = os.environ | {"_SIEVE_COMPLETE": "source_zsh"}
    done = subprocess.run([PROGRAM], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.lstrip().startswith("#compdef sieve")
