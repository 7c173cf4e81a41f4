"""What `sieve send` says while a transfer waits."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sieve.cli.api import Api
from sieve.cli.watch import watch


class _Gateway:
    """Answers with these events, then with the transfer in its last state."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self._lines = [f"data: {json.dumps(event)}" for event in events]

    @contextmanager
    def stream(self, path: str, **_: Any) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(iter_lines=lambda: self._lines)

    def call(self, method: str, path: str) -> dict[str, Any]:
        return {"id": "t1", "state": "delivered"}


def _queued(reason: str | None) -> dict[str, Any]:
    sizes = dict.fromkeys(("secure_sent", "secure_total", "plain_sent", "plain_total"), 0)
    return {"state": "queued", "reason": reason, "channels": [], "verified": False, **sizes}


def test_a_transfer_that_waits_says_each_reason_once(capsys: pytest.CaptureFixture[str]) -> None:
    away, full = "bravo does not answer", "the disk of bravo is full\x1b[2J"
    gateway = _Gateway(_queued(None), _queued(away), _queued(away), _queued(full), _queued(away))
    ended = watch(cast(Api, gateway), {"id": "t1", "name": "memo.md", "state": "queued"}, None)
    assert ended["state"] == "delivered"
    assert capsys.readouterr().err.splitlines() == [
        "memo.md waits: bravo does not answer; the gateway keeps trying",
        "memo.md waits: the disk of bravo is full [2J; the gateway keeps trying",
    ]
