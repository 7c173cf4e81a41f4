"""Writes what the wheel in `dist` consists of, as CycloneDX: `make sbom`.

`dist/sbom-gateway.cdx.json` has the Python packages that an installation of the wheel gets, from an environment that is
made of it and the lock file. `dist/sbom-interface.cdx.json` has the npm packages of the interface in it, without those
that only build it. Both are checked against the schema of their version.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

REPOSITORY: Final = Path(__file__).parents[2]
DIST: Final = REPOSITORY / "dist"
PROJECT: Final = REPOSITORY / "backend" / "pyproject.toml"


def of_gateway(environment: Path) -> str:
    """The document for the Python packages of an environment."""
    tool = Path(sys.executable).parent / "cyclonedx-py"
    command = [str(tool), "environment", "--pyproject", str(PROJECT), str(environment)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def of_interface(frontend: Path, version: str) -> str:
    """The document for the npm packages that the interface is built of. npm requires a version. The interface has none,
    so it gets the wheel's.
    """
    with tempfile.TemporaryDirectory() as name:
        package = json.loads((frontend / "package.json").read_text())
        lock = json.loads((frontend / "package-lock.json").read_text())
        for written in (package, lock, lock["packages"][""]):
            written["version"] = version
        # npm names the component after its folder.
        folder = Path(name) / str(package["name"])
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps(package))
        (folder / "package-lock.json").write_text(json.dumps(lock))
        command = ["npm", "sbom", "--package-lock-only", "--omit=dev", "--sbom-format=cyclonedx", "--loglevel=error"]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def write(text: str, path: Path) -> None:
    """Writes a document that holds to the schema of its version.

    Raises:
        SystemExit: it does not.
    """
    document: dict[str, Any] = json.loads(text)
    error = JsonStrictValidator(SchemaVersion.from_version(document["specVersion"])).validate_str(text)
    if error is not None:
        sys.exit(f"{path.name} is not CycloneDX {document['specVersion']}: {error}")
    path.write_text(text)
    components = document["components"]
    without = [component["name"] for component in components if not component.get("licenses")]
    print(f"{path.relative_to(REPOSITORY)}: {len(components)} packages, CycloneDX {document['specVersion']}, valid")
    if without:
        print(f"  without a licence in their metadata: {', '.join(without)}")


def main() -> None:
    """Writes both documents. The argument is the environment of the wheel."""
    gateway = of_gateway(Path(sys.argv[1]))
    write(gateway, DIST / "sbom-gateway.cdx.json")
    version = json.loads(gateway)["metadata"]["component"]["version"]
    write(of_interface(REPOSITORY / "frontend", version), DIST / "sbom-interface.cdx.json")


if __name__ == "__main__":
    main()
