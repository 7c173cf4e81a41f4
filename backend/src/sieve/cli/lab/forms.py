"""The two forms of each experiment: `--quick`, which is the default, and `--full`."""

from typing import Any

import typer


def full_or_quick(quick: str, full: str) -> Any:
    """The option of a command's parameter `full`. `quick` and `full` say what each form does, and for how long."""
    return typer.Option("--full/--quick", help=f"Quick, the default, {quick}; full {full}.")
