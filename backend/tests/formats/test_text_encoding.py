"""What bytes read as: text as the text it is, and what is no text as none."""

import codecs
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_files import GOOD
from sieve.formats.text_encoding import encoding_of

WORDS = "Jürgen Halvorsén traf uns am Montag.\n"


@given(st.text(st.characters(exclude_characters="\0"), max_size=50))
def test_what_is_utf_8_is(text: str) -> None:
    assert encoding_of(text.encode("utf-8", "replace")) == "utf-8"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32-le"),
        ("utf-32-be", "utf-32-be"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
        ("mac-roman", "cp1252"),
    ],
)
def test_a_text_in_another_encoding_is_a_text(encoding: str, found: str) -> None:
    data = (WORDS * 3).encode(encoding)
    assert encoding_of(data) == found
    assert "traf uns am Montag" in data.decode(found, "replace")


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xff\0", b"\xed\xa0\x80"])
def test_a_few_bad_bytes_do_not_hide_a_text(bad: bytes) -> None:
    """Zürich must not come out as ZÃ¼rich, which no phrase is."""
    assert encoding_of((WORDS * 3).encode() + bad + WORDS.encode()) == "utf-8"
    assert encoding_of("会議は月曜日です。".encode() * 20 + bad) == "utf-8"
    assert encoding_of((WORDS * 3).encode("cp1252") + bad) == "cp1252"


def test_a_mark_says_more_than_the_zeros() -> None:
    assert encoding_of(codecs.BOM_UTF16_BE + "会議".encode("utf-16-be")) == "utf-16-be"
    assert encoding_of(codecs.BOM_UTF32_BE + "会議".encode("utf-32-be")) == "utf-32-be"


@pytest.mark.parametrize("name", ["photo.jpg", "memo.docx", "pay.xlsx"])
def test_what_is_no_text_is_none(name: str) -> None:
    assert encoding_of(GOOD[name][1]) is None
    assert encoding_of(zlib.compress(bytes(range(256)) * 50)) is None
    assert encoding_of(b"\xff" * 50) is None
