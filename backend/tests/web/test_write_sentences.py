"""The web interface has every sentence of the gateway."""

from pathlib import Path

import pytest

from sieve.web.write_sentences import BadSentence, Form, forms_in, main

INTERFACE = Path(__file__).parents[3] / "frontend" / "src" / "api" / "sentences.ts"


def test_the_interface_has_the_current_sentences(tmp_path: Path) -> None:
    out = tmp_path / "sentences.ts"
    assert main([str(out)]) == 0
    assert out.read_text("utf-8") == INTERFACE.read_text("utf-8"), "run make api"


def test_it_finds_texts_of_one_and_of_several() -> None:
    source = 'f(Sentence("a", "{x} is" " here", x=1), Sentence("b", "{count} rows", one="{count} row", count=n))'
    assert dict(forms_in(source)) == {"a": Form("{x} is here", ""), "b": Form("{count} rows", "{count} row")}


@pytest.mark.parametrize(
    "call",
    [
        'Sentence("a", text)',
        'Sentence(f"a{x}", "b")',
        'Sentence("a", "{x}")',
        'Sentence("a", "b", x=1)',
        'Sentence("A", "b")',
    ],
)
def test_it_refuses_what_the_interface_cannot_say(call: str) -> None:
    with pytest.raises(BadSentence):
        list(forms_in(call))
