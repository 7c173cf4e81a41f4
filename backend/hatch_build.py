"""Puts the built web interface and the example policies into the wheel, as far as they are beside this project."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebInterface(BuildHookInterface[Any]):
    """Found by its base class."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version`: `standard`, or `editable`: then the interface is the one of the repository."""
        if version != "standard":
            return
        beside = Path(self.root).parent
        built = beside / "frontend" / "dist"
        if (built / "index.html").is_file():
            build_data["force_include"][str(built)] = "sieve/web/interface"
        for policy in (beside / "docs" / "policies").glob("*.toml"):
            build_data["force_include"][str(policy)] = f"sieve/demo/policies/{policy.name}"
