"""What the demo needs to start its gateways."""

from pathlib import Path

import pytest

from sieve.demo import DemoError, make_identities


def test_identities_that_are_broken_are_reported(tmp_path: Path) -> None:
    make_identities(tmp_path / "identities", ["alpha"])
    (tmp_path / "identities" / "alpha" / "identity.pem").unlink()
    with pytest.raises(DemoError, match=r"identity\.pem: missing"):
        make_identities(tmp_path / "identities", ["alpha"])
