"""The machine that an experiment ran on."""

import os
import platform
import ssl
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Processor, system, versions, and how busy it is now, over a minute, five and fifteen."""
    return {
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        "load_at_start": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def described(found: dict[str, Any]) -> str:
    """One sentence for people."""
    return (
        f"{found['cores']} cores of {found['cpu']}, {found['system']}, Python {found['python']}, {found['openssl']}, "
        f"load {found['load_at_start'][0]} at the start"
    )
