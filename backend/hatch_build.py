"""Puts the built web interface into the wheel. Without `frontend/dist`, the wheel has none."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebInterface(BuildHookInterface[Any]):
    """Found by its base class."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version`: `standard`, or `editable`: then the interface is the one of the repository."""
        built = Path(self.root).parent / "frontend" / "dist"
        if version == "standard" and (built / "index.html").is_file():
            build_data["force_include"][str(built)] = "sieve/web/interface"
