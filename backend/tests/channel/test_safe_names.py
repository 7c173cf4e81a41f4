"""A peer's names are made harmless: no path, nothing invisible, nothing that turns the reading direction."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from sieve.channel.safe_names import MAX_NAME_LENGTH, clean_line, clean_name

nasty = st.lists(
    st.sampled_from([*"./\\ \t\n\0", "..", "\u202e", "\u2066", "\u200f", "\u2028", "\ue000", "\ud800", "\u00a0", "é"])
    | st.text(max_size=3)
).map("".join)


@modest
@given(nasty)
def test_a_clean_name_is_a_bare_visible_file_name(name: str) -> None:
    clean = clean_name(name)
    assert 1 <= len(clean) <= MAX_NAME_LENGTH
    assert "/" not in clean and "\\" not in clean
    assert not clean.startswith(".") and clean == clean.strip()
    assert not {unicodedata.category(ch) for ch in clean} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    clean.encode()


@modest
@given(nasty)
def test_cleaning_twice_is_cleaning_once(name: str) -> None:
    assert clean_name(clean_name(name)) == clean_name(name)
    assert clean_line(clean_line(name)) == clean_line(name)


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.docx", "report.docx"),
        ("Übersicht 2026 – final.md", "Übersicht 2026 – final.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\x\\secret.txt", "secret.txt"),
        (".bashrc", "bashrc"),
        (". \t. .hidden", "hidden"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("a\0b\nc", "abc"),
        ("", "document"),
        ("..", "document"),
        ("folder/", "document"),
        ("\u200b\u2066", "document"),
        ("x" * 500, "x" * 300),
        ("x" * 299 + " y", "x" * 299),
    ],
)
def test_examples(name: str, clean: str) -> None:
    assert clean_name(name) == clean


def test_a_line_keeps_its_slashes() -> None:
    assert clean_line(" Alice\u202e / Records\r\n") == "Alice / Records"
