"""The dashboard and the alerts of deploy/observability name only what a gateway's /metrics has."""

import re
from collections.abc import Mapping
from itertools import chain, product

import pytest
from prometheus_client.parser import text_string_to_metric_families

import monitoring_queries
from monitoring_queries import Query
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.queries.queue_state import QueueAge
from sieve.store.queries.timing_records import TimingValues
from sieve.web.metrics import Metrics

QUERIES = [
    *monitoring_queries.panel_queries(),
    *monitoring_queries.variable_queries(),
    *monitoring_queries.alert_queries(),
]
DELIVERED: TimingValues = {
    "direction": "sent",
    "mode": "sieve",
    "outcome": "delivered",
    "cause": "",
    "response_us": 1,
    "stored_us": 1,
    "waiting_us": 1,
}


@pytest.fixture(scope="module")
def labels_by_metric() -> Mapping[str, frozenset[str]]:
    metrics = Metrics()
    metrics.answered("GET", "/me", 200, 0.1)
    metrics.timings_ended([DELIVERED])
    found = {"up": frozenset[str]()}
    for family in text_string_to_metric_families(metrics.text({"queued": 1}, QueueAge(1, 1)).decode()):
        for sample in family.samples:
            found[sample.name] = frozenset(sample.labels)
    return found


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.where)
def test_each_query_names_metrics_and_labels_that_exist(
    query: Query, labels_by_metric: Mapping[str, frozenset[str]]
) -> None:
    assert query.metrics
    assert query.metrics <= labels_by_metric.keys()
    assert query.labels <= frozenset().union(*(labels_by_metric[metric] for metric in query.metrics))


def test_a_query_names_each_label_that_it_uses() -> None:
    query = Query("", 'sum by (gateway, mode) (rate(sieve_a_total{cause="x", job=~"y"}[5m])) / on (route) sieve_b > 1')
    assert query.metrics == {"sieve_a_total", "sieve_b"}
    assert query.labels == {"mode", "cause", "route"}


def test_each_alert_is_tested_and_explained() -> None:
    alerts = [query.where for query in monitoring_queries.alert_queries()]
    assert monitoring_queries.tested_alerts() == set(alerts)
    operations = (monitoring_queries.FOLDER.parents[1] / "docs" / "operations.md").read_text("utf-8")
    assert [alert for alert in alerts if f"`{alert}`" not in operations] == []


def test_alerts_name_causes_that_exist() -> None:
    text = (monitoring_queries.FOLDER / monitoring_queries.RULES).read_text("utf-8")
    assert set(re.findall(r'cause="([^"]+)"', text)) <= {*TimingCause}


def test_attempts_of_each_cause_are_counted_from_zero() -> None:
    """Prometheus sees no increase in a series that begins with 1."""
    families = text_string_to_metric_families(Metrics().text({}, QueueAge(0, 0)).decode())
    counted = {
        (sample.labels["outcome"], sample.labels["cause"]): sample.value
        for sample in chain.from_iterable(family.samples for family in families)
        if sample.name == "sieve_attempts_total"
    }
    delivered = [("delivered", ""), ("delivered", "plain-channel")]
    undelivered = [("cancelled", "cancelled"), *product(("retry", "failed"), TimingCause)]
    assert counted == dict.fromkeys([*delivered, *undelivered], 0)


def test_the_dashboard_is_whole() -> None:
    """It has what Grafana needs of an imported one: panels that do not overlap, and a data source to choose."""
    dashboard = monitoring_queries.dashboard()
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= dashboard.keys()
    assert "id" not in dashboard  # Grafana gives it
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set[tuple[int, int]]()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24 and not cells & taken
        taken |= cells
        refs = [target["refId"] for target in panel["targets"]]
        assert len(set(refs)) == len(refs) > 0
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    used = {name for query in monitoring_queries.panel_queries() for name in re.findall(r"\$(\w+)", query.expression)}
    assert used - {"__rate_interval", "__range"} <= variables
    sources = {panel["datasource"]["uid"] for panel in panels}
    assert sources == {"${datasource}"}
