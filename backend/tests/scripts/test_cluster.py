"""`make cluster` keeps its replicas running. That of whole gateways is in tests/stories/test_cluster_demo.py."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scripts import cluster
from sieve.demo import DemoError


class Cluster:
    """Of one replica that has ended, and is ready at its third start. Then somebody presses Ctrl-C."""

    def __init__(self) -> None:
        self.replicas = {"alpha-1": SimpleNamespace(process=SimpleNamespace(poll=lambda: -9))}
        self.alpha = self.bravo = None
        self.starts = 0

    def start(self, _number: int) -> Any:
        self.starts += 1
        if self.starts < 3:
            raise DemoError("alpha was not ready within 60 s")
        runs = self.replicas["alpha-1"] = SimpleNamespace(process=SimpleNamespace(pid=7, poll=lambda: None))
        return runs


def test_a_replica_that_does_not_start_again_is_started_again_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    them = Cluster()

    @contextmanager
    def made(_folder: Path, *, log: bool) -> Iterator[Cluster]:
        assert log
        yield them

    def slept(_seconds: float) -> None:
        # In place of the pauses between looks at the replicas, so that the test does not wait; then as Ctrl+C does.
        if them.starts == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(cluster, "cluster", made)
    monkeypatch.setattr(cluster, "prepare", lambda *_: None)
    monkeypatch.setattr(cluster, "_table", lambda *_: "")
    monkeypatch.setattr("scripts.cluster.time.sleep", slept)
    assert cluster.run(tmp_path / "data", as_json=False) == 0
    said = capsys.readouterr().err
    assert said.count("alpha was not ready within 60 s; trying again") == 2
    assert "alpha-1 ended with status -9, and runs again as process 7" in said
