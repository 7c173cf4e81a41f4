"""Where limited links cannot be had, the reason is told."""

import os
import shutil

import pytest
from benchmarks.wires import WiresMissing, wires


def test_without_root_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(WiresMissing, match="want root"), wires():
        pass


def test_without_iproute2_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "tc" else f"/bin/{name}")
    with pytest.raises(WiresMissing, match="tc missing .*iproute2"), wires():
        pass
