"""Where limited links are not available, the benchmark says why."""

import os
import shutil

import pytest
from benchmarks.limited_links import LinksUnavailable, limited_links


def test_without_root_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LinksUnavailable, match="want root"), limited_links():
        pass


def test_without_iproute2_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "tc" else f"/bin/{name}")
    with pytest.raises(LinksUnavailable, match="tc missing .*iproute2"), limited_links():
        pass
