"""A running server of each design, and files that real clients need."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sieve.lab.tls_split.processes.assignment import DESIGNS
from sieve.lab.tls_split.processes.site import Site
from tls_in_memory import identity


@pytest.fixture(scope="session", params=DESIGNS)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with Site(request.param, identity("ecdsa")[0]) as running:
        yield running


@pytest.fixture(scope="session")
def ca_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls-split") / "certificate.pem"
    path.write_bytes(identity("ecdsa")[1])
    return path
