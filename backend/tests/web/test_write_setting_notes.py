"""The web interface describes every setting."""

from pathlib import Path

from sieve.config import Settings
from sieve.web.settings.table import descriptions
from sieve.web.write_setting_notes import main

INTERFACE = Path(__file__).parents[3] / "frontend" / "src" / "api" / "setting-notes.ts"


def test_the_interface_has_the_current_descriptions(tmp_path: Path) -> None:
    out = tmp_path / "setting-notes.ts"
    assert main([str(out)]) == 0
    assert out.read_text("utf-8") == INTERFACE.read_text("utf-8"), "run make api"


def test_every_setting_has_a_description_in_one_line() -> None:
    found = descriptions()
    assert list(found) == list(Settings.model_fields)
    assert all(text.endswith(".") and "\n" not in text and "{" not in text for text in found.values())
