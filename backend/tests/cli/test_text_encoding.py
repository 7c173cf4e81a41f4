"""Texts in Latin-1 and UTF-16: the terminal says which encoding it found, and converts on request."""

import codecs
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.cli.app import main
from sieve.cli.text_encoding import Encoding, checked_utf_8, converted, found_encoding
from sieve.formats.errors import Unsupported

TEXT = "Dear \u00c4nna, the quay opens at six. Caf\u00e9 at noon.\n"
LATIN = [TEXT.encode("cp1252"), Encoding.latin_1]
WIDE = [codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), Encoding.utf_16]
BARE = [TEXT.encode("utf-16-be"), Encoding.utf_16]


@pytest.mark.parametrize(("data", "encoding"), [LATIN, WIDE, BARE])
def test_a_text_is_recognised_and_converted(data: bytes, encoding: Encoding) -> None:
    assert found_encoding(data) is encoding
    assert converted(data, encoding).decode().removeprefix("\ufeff") == TEXT
    assert converted(data, None) == data
    with pytest.raises(Unsupported, match=f"convert it with --encoding {encoding.value}"):
        list(checked_utf_8([data]))


@settings(max_examples=30)
@given(st.text(), st.integers(1, 7))
def test_a_text_in_utf_8_passes_unchanged(text: str, size: int) -> None:
    data = text.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert b"".join(checked_utf_8(pieces)) == data


def test_what_has_another_encoding_is_refused() -> None:
    for data, encoding in ((b"a\x81b", Encoding.latin_1), (b"abc", Encoding.utf_16), (TEXT.encode(), Encoding.latin_1)):
        with pytest.raises(Unsupported, match="not a text in"):
            converted(data, encoding)


def test_what_the_hint_names_can_be_converted_however_late_it_shows() -> None:
    """The first other letter may come after a long English text, or be the last byte."""
    for data in (
        b"An English text. " * 8_000 + "Caf\u00e9 at noon.\n".encode("cp1252"),
        "A caf\u00e9".encode("cp1252"),
    ):
        with pytest.raises(Unsupported, match="convert it with --encoding latin-1"):
            list(checked_utf_8([data]))
        assert found_encoding(data) is Encoding.latin_1
        assert converted(data, Encoding.latin_1).decode() == data.decode("cp1252")
    late = b"a" * (64 * 1024 - 1) + "\u00e9".encode()
    with pytest.raises(Unsupported, match="not a text in"):
        converted(late, Encoding.latin_1)


def test_mark_names_the_encoding_and_converts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "policy.toml").write_text('name = "n"\n[[rules]]\nkind = "keywords"\nkeywords = ["\u00c4nna"]\n')
    letter, out = tmp_path / "letter.txt", tmp_path / "marks.json"
    letter.write_bytes(TEXT.encode("cp1252"))
    command = ["mark", str(letter), "--policy", str(tmp_path / "policy.toml"), "--out", str(out)]
    assert main(command) == 0
    assert "this text seems to be in Latin-1; convert it with --encoding latin-1" in capsys.readouterr().err
    assert main([*command, "--encoding", "latin-1"]) == 0
    assert [TEXT.encode()[start:end].decode() for start, end in json.loads(out.read_bytes())["ranges"]] == ["\u00c4nna"]
    assert main([*command, "--encoding", "utf-16"]) == 2
    assert "letter.txt: this is not a text in utf-16" in capsys.readouterr().err
