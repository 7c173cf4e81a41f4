"""What the figures depend on: processor, memory, system, versions, and the load of the machine when the run began."""

import shutil
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from sieve.cli.lab import machine as lab_machine


def machine(folder: Path) -> dict[str, Any]:
    """Of this machine; `folder`: where the gateways keep their files."""
    return lab_machine.machine() | {
        "memory_mib": psutil.virtual_memory().total // 1024**2,
        "filesystem": _filesystem(folder),
        "commit": _commit(),
    }


def described(about: Mapping[str, Any]) -> str:
    """A line for a page: the machine, the commit, the date and the load."""
    load = ", ".join(str(each) for each in about["load_at_start"])
    return (
        f"{about['cpu']}, {about['cores']} cores, {about['openssl']}, commit {about['commit']}, "
        f"{datetime.now(UTC):%Y-%m-%d}, load at start {load}."
    )


def _filesystem(folder: Path) -> str:
    mounted = [part for part in psutil.disk_partitions(all=True) if folder.is_relative_to(part.mountpoint)]
    return max(mounted, key=lambda part: len(part.mountpoint)).fstype if mounted else "unknown"


def _commit() -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(  # noqa: S603 -- the user's own git, with arguments of this file
        [git, "describe", "--always", "--dirty", "--abbrev=12"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or None
