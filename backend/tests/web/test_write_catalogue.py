"""The web interface's table of formats and detectors comes from the gateway's own."""

import json
from pathlib import Path

from sieve.formats.marker import MARKER
from sieve.formats.registry import FORMATS
from sieve.marking.detectors.registry import NAMES
from sieve.web.openapi import schema
from sieve.web.write_catalogue import main, typescript

INTERFACE = Path(__file__).parents[3] / "frontend" / "src" / "api" / "catalogue.ts"


def test_the_interface_has_the_current_table(tmp_path: Path) -> None:
    out = tmp_path / "catalogue.ts"
    assert main([str(out)]) == 0
    assert out.read_text("utf-8") == INTERFACE.read_text("utf-8"), "run make api"


def test_it_names_every_format_and_detector() -> None:
    source = typescript()
    for name in (*FORMATS, *NAMES):
        assert json.dumps(name) in source
    assert f'MARKER = "{MARKER}"' in source


def test_drafts_have_one_of_these_formats() -> None:
    assert schema()["components"]["schemas"]["DraftShown"]["properties"]["format"]["enum"] == [*FORMATS]
