"""Folded text, and the way back to where each of its characters came from."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sieve.marking.leaks.folding import Folded, fold

CHINESE = "".join(map(chr, range(0x4E00, 0x4F80)))
"""More letters than an alphabet in bytes has."""
RUSSIAN = "".join(map(chr, range(0x410, 0x450)))
GREEK = "".join(map(chr, range(0x370, 0x400)))
any_text = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "B",
                "é",
                "e\u0301",
                "ß",
                "ﬁ",
                "漢",
                "Щ",
                "\u00ad",
                " ",
                "\n",
                "٣",
                "😀",
                "\ud800",
                "\ufffe",
                "\ue000",
            ),
            *("ﷺ", "각", "x" * 4090, "ж" * 4090, CHINESE, RUSSIAN, GREEK, RUSSIAN * 64),
        ]
    ),
    max_size=10,
).map("".join)


@given(any_text)
def test_each_folded_character_comes_from_where_it_says(text: str) -> None:
    folded = Folded(text)
    assert folded.text == fold(text) == "".join(fold(char) for char in text)
    places = [folded.place(index) for index in range(len(folded.text))]
    assert places == [at for at, char in enumerate(text) for _ in fold(char)]


@given(any_text)
def test_forms_of_one_text_fold_alike(text: str) -> None:
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)) == fold(text)


@given(st.text(st.characters(max_codepoint=0x24F), max_size=40))
def test_case_does_not_matter(text: str) -> None:
    assert fold(text.upper()) == fold(text.lower()) or "ı" in text


def test_look_alikes_fold_to_latin() -> None:
    assert fold("Оре́rаtіоn ΝΟRΤΗ ＷＩＮＤ 𝐍𝟏 ٣") == "operationnorthwindn13"


def test_letters_of_other_scripts_keep_what_makes_them() -> None:
    assert len({fold(text) for text in ("か", "が", "कि", "कु", "กา", "กิ")}) == 6


def test_a_letter_folds_alike_each_time() -> None:
    assert fold("éé") == fold("é") * 2 == "ee"
