"""Marked text is found again however it is written, and where."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.formats.phrases import Phrases, folded


@given(st.text(max_size=8), st.text(alphabet="abcé", min_size=4, max_size=80), st.text(max_size=8))
def test_a_phrase_is_found_wherever_it_is(before: str, phrase: str, after: str) -> None:
    text = f"{before} {phrase} {after}"
    assert Phrases([phrase]).in_text(text)
    assert Phrases([phrase]).ranges(text)


@given(st.text(max_size=30), st.lists(st.text(max_size=5), max_size=5))
def test_ranges_are_where_it_is_found(text: str, phrases: list[str]) -> None:
    sought = Phrases(phrases)
    ranges = sought.ranges(text)
    assert bool(ranges) == sought.in_text(text)
    assert all(0 <= start < end <= len(text) for start, end in ranges)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        *(("Orion", "the ORION"), ("Orion", "Orionids"), ("Mrs Smith", "Mrs\n\t Smith"), ("café", "cafe\u0301")),
        *(
            ("Orion", "Or\u00adi\u200bon"),
            ("Orion", "Ｏｒｉｏｎ"),
            ("Straße", "STRASSE"),
            ("5", "a 5."),
            ("52000", "€52000"),
        ),
    ],
)
def test_writings_that_are_the_same(phrase: str, text: str) -> None:
    assert Phrases([phrase]).in_text(text)


UNSEEN = st.sampled_from(
    [character for character in map(chr, range(0x20, 0xFFFF)) if unicodedata.category(character) == "Cc"]
    + [*"\x01\x08\x1b\x7f\u00ad\u180f\u200b\u2062\u3164\ufeff\ufff9\ufffd\U0001d173\U000e0001\U000e0041\U000e0100"]
).filter(lambda character: not character.isspace())


@given(
    name=st.sampled_from(["Orion", "Zoë", "52000"]), between=st.lists(UNSEEN, min_size=1, max_size=3), data=st.data()
)
def test_what_nobody_sees_between_letters_makes_no_difference(
    name: str, between: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(name) - 1))
    hidden = name[:at] + "".join(between) + name[at:]
    text = f"the {hidden}."
    assert [text[start:end] for start, end in Phrases([name]).ranges(text)] == [hidden]
    assert Phrases([hidden]).in_text(f"the {name}.")


@pytest.mark.parametrize(
    ("phrase", "text"), [("5", "52"), ("Ann", "Annual"), ("2000", "52000"), (" ", "a b"), ("", "")]
)
def test_short_phrases_and_numbers_are_words_of_their_own(phrase: str, text: str) -> None:
    assert not Phrases([phrase]).in_text(text)


def test_what_says_too_little_is_not_sought_everywhere() -> None:
    assert not Phrases(["5", "a", "12"], distinctive=True)
    assert Phrases(["Bo", "1234"], distinctive=True)
    assert not Phrases(["Bo", "1234"], wordy=True)


def test_the_places_are_those_of_the_text() -> None:
    text = "x ﬁ Ĳssel  Orion"
    assert [text[start:end] for start, end in Phrases(["orion", "ijssel"]).ranges(text)] == ["Ĳssel", "Orion"]
    assert folded("İ") == folded("i\u0307")
