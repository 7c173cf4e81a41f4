"""What the demo needs to start its gateways."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from sieve.demo import DemoError, Running, make_identities, pair


def test_identities_that_are_broken_are_reported(tmp_path: Path) -> None:
    make_identities(tmp_path / "identities", ["alpha"])
    (tmp_path / "identities" / "alpha" / "identity.pem").unlink()
    with pytest.raises(DemoError, match=r"identity\.pem: missing"):
        make_identities(tmp_path / "identities", ["alpha"])


class Gateway:
    """One that is reached at another address than its own, as behind a balancer."""

    def __init__(self, name: str, other: str) -> None:
        self.name, self.other = name, other
        self.listeners = {"secure": f"{name}:1", "plain": f"{name}:2"}
        self.peer: dict[str, Any] | None = None

    def api(self, method: str, path: str, *, json: Mapping[str, Any] | None = None) -> Any:
        match method, path.removeprefix(f"/peers/{self.other}"):
            case "GET", "/peers":
                return [] if self.peer is None else [self.peer]
            case "GET", "/peers/invitation":
                return {"invitation": self.name}
            case "POST", "/peers":
                urls = {"secure_url": "https://balancer", "plain_url": "http://balancer"}
                self.peer = {"name": self.other, "state": "unconfirmed", **urls}
            case "GET", "/code":
                return {"code": "the same"}
            case "POST", "/confirm" if json == {"code": "the same"} and self.peer is not None:
                self.peer["state"] = "active"
            case _:
                raise DemoError(f"{self.name} refuses {method} {path}")
        return None


def test_gateways_behind_a_balancer_are_paired_again_if_one_of_them_was_not() -> None:
    """What was just invited has the addresses of now, and only a confirmed peer can be renewed."""
    alpha, bravo = Gateway("alpha", "bravo"), Gateway("bravo", "alpha")
    pair(cast(Running, alpha), cast(Running, bravo))
    assert [each.peer and each.peer["state"] for each in (alpha, bravo)] == ["active", "active"]
