"""What bytes read as: text as the text it is, and what is no text as none."""

import codecs
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_files import GOOD
from sieve.formats.text.encoding import encoding_of

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


ALPHABETS = {
    "Russian": "Иванова Мария встретила нас 5 мая.\nКод гавани: 4711.\n",
    "Greek": "Η Μαρία μάς συνάντησε στις 5 Μαΐου.\nΚωδικός: 4711.\n",
    "Hebrew": "מריה פגשה אותנו ב-5 במאי.\n",
    "Hindi": "मारिया हमसे 5 मई को मिलीं।\n",
    "Thai": "มาเรียพบเราเมื่อวันที่ 5 พฤษภาคม\n",
}
OTHER_SCRIPTS = {
    "Chinese": "玛丽亚五月五日会见了我们。港口代码是4711，请勿外传。",
    "Japanese": "マリアさんは五月五日に私たちに会いました。港の番号は4711です。",
    "Korean": "마리아는 5월 5일에 우리를 만났습니다.\n항구 번호는 4711입니다.\n",
}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("language", [*ALPHABETS, *OTHER_SCRIPTS])
@pytest.mark.parametrize("times", [1, 20])
def test_no_byte_order_mark_hides_a_text_of_any_script(language: str, encoding: str, times: int) -> None:
    text = (ALPHABETS | OTHER_SCRIPTS)[language] * times
    assert encoding_of(text.encode(encoding)) == encoding


@given(st.text(st.sampled_from("08=.FIX4ab,;{}:\n \x01\x02\x04é中"), min_size=4, max_size=60))
def test_no_utf_8_is_taken_for_wide_characters(text: str) -> None:
    """Read in another encoding, it would be searched in vain."""
    assert encoding_of(text.encode()) == "utf-8"
    assert encoding_of((text + "\0\0").encode()) in ("utf-8", None)


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "iso8859-7", "windows-1255"])
def test_one_byte_a_character_is_one(encoding: str) -> None:
    language = {"iso8859-7": "Greek", "windows-1255": "Hebrew"}.get(encoding, "Russian")
    assert encoding_of((ALPHABETS[language] * 20).encode(encoding, "replace")) == "cp1252"


@pytest.mark.parametrize("name", ["photo.heic", "memo.docx", "pay.xlsx"])
def test_what_is_no_text_is_none(name: str) -> None:
    assert encoding_of(GOOD[name][1]) is None
    assert encoding_of(zlib.compress(bytes(range(256)) * 50)) is None
    assert encoding_of(b"\xff" * 50) is None
