"""What the demo needs to start its gateways."""

from pathlib import Path

import pytest

from sieve.demo import DemoError, gateways


def test_an_installed_package_has_no_script_for_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gateways, "ROOT", tmp_path)
    with pytest.raises(DemoError, match="run this in the repository"):
        gateways.make_identities(tmp_path / "identities")
