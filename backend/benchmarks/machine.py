"""What the figures hang on: processor, memory, system, versions, and how busy the machine was when the run began."""

import os
import platform
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import psutil


def machine(folder: Path) -> dict[str, Any]:
    """Of this machine; `folder`: where the gateways keep their files."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_mib": psutil.virtual_memory().total // 1024**2,
        "system": platform.platform(),
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        "filesystem": _filesystem(folder),
        "load_at_start": [round(load, 2) for load in os.getloadavg()],
        "commit": _commit(),
    }


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
