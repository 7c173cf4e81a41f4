"""The queries of deploy/observability, of the dashboard and of the alerts: which metrics and labels they name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML

FOLDER: Final = Path(__file__).parents[2] / "deploy" / "observability"
DASHBOARD, RULES, RULES_TEST, CONFIG = "grafana-dashboard.json", "rules.yml", "rules.test.yml", "prometheus.yml"
OF_TARGETS: Final = frozenset({"job", "instance", "gateway"})
"""Labels that Prometheus adds."""

_SELECTOR: Final = re.compile(r"\b(sieve_\w+|up)\b(?:\s*\{([^}]*)\})?")
_MATCHER: Final = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
_GROUPING: Final = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_LABEL_VALUES: Final = re.compile(r"label_values\((.*), (\w+)\)")


class Query(NamedTuple):
    """An expression in Prometheus's language. `where`: the title of the panel, or the name of the alert."""

    where: str
    expression: str

    @property
    def metrics(self) -> frozenset[str]:
        """The metrics that it names."""
        return frozenset(name for name, _ in _SELECTOR.findall(self.expression))

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it names, but those that Prometheus adds."""
        found = {label for _, matchers in _SELECTOR.findall(self.expression) for label in _MATCHER.findall(matchers)}
        for group in _GROUPING.findall(self.expression):
            found.update(label.strip() for label in group.split(",") if label.strip())
        return frozenset(found - OF_TARGETS)


def dashboard() -> dict[str, Any]:
    """Grafana's dashboard."""
    read: dict[str, Any] = json.loads((FOLDER / DASHBOARD).read_text("utf-8"))
    return read


def panel_queries() -> Iterator[Query]:
    """The queries of the dashboard's panels."""
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield Query(panel["title"], target["expr"])


def variable_queries() -> Iterator[Query]:
    """The queries of the dashboard's variables, each as one that counts by the label whose values it lists."""
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            found = _LABEL_VALUES.fullmatch(variable["query"]["query"])
            if found is None:
                raise ValueError(f"the variable {variable['name']} is not label_values(metric, label)")
            yield Query(f"${variable['name']}", f"count by ({found[2]}) ({found[1]})")


def alert_queries() -> Iterator[Query]:
    """The expressions of the alerts."""
    for group in _yaml(RULES)["groups"]:
        for rule in group["rules"]:
            yield Query(rule["alert"], rule["expr"])


def tested_alerts() -> frozenset[str]:
    """The alerts that the tests of the rules expect to fire."""
    return frozenset(
        tested["alertname"]
        for test in _yaml(RULES_TEST)["tests"]
        for tested in test["alert_rule_test"]
        if tested.get("exp_alerts")
    )


def _yaml(name: str) -> Any:
    return YAML(typ="safe").load((FOLDER / name).read_text("utf-8"))
