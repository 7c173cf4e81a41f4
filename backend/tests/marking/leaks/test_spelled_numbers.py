"""Numbers in words: each spelling reads as its number, and no part of one does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.marking.leaks.spelled_numbers import (
    LARGEST,
    SMALLEST,
    dates,
    has_comma_within,
    is_part,
    numbers_in,
    spellings,
)


@given(st.one_of(st.integers(SMALLEST, 9999), st.integers(SMALLEST, LARGEST)))
def test_each_spelling_is_read_as_its_number(number: int) -> None:
    forms = [*spellings(number)]
    assert len(forms) == len({*forms}) and (forms or number in (100, 1000))
    for form in forms:
        for said in (form, form.capitalize(), f"about {form} crates", f"({form})"):
            assert [*numbers_in(said)] == [number], said


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (1250, "one thousand two hundred and fifty"),
        (1250, "twelve hundred fifty"),
        (2005, "two thousand and five"),
        (4080, "quatre mille quatre-vingts"),
        (80_000, "quatre-vingt mille"),
        (200, "deux cents"),
        (271, "deux cent soixante et onze"),
        (190, "cent nonante"),
        (101, "einhunderteins"),
        (1035, "tausendfuenfunddreissig"),
        (2_000_300, "zwei millionen dreihundert"),
        (1_000_000, "eine million"),
    ],
)
def test_the_usual_spellings(number: int, form: str) -> None:
    assert form in spellings(number)


@pytest.mark.parametrize("text", ["", "ninety-nine", "and", "fifty hundred", "two two hundred", "a hundred", "hundert"])
def test_what_spells_no_number_is_read_as_none(text: str) -> None:
    assert [*numbers_in(text)] == []


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        ("We saw ", " ships", False),
        ("two thousand ", "", True),
        ("two hundred and ", "", True),
        ("", "-two", True),
        ("", " and two", True),
        ("", ". Two left", False),
        ("Mille ", "", True),
        ("zwei", "", False),
    ],
)
def test_a_part_of_a_number_is_no_number(before: str, after: str, part: bool) -> None:
    assert is_part(before, after) is part


def test_a_comma_comes_only_after_thousands() -> None:
    assert not has_comma_within("two thousand, six hundred")
    assert has_comma_within("six hundred, forty")


@pytest.mark.parametrize(
    ("month", "day", "form"),
    [
        (11, 21, "twenty-first of november"),
        (11, 21, "nov 21st"),
        (3, 3, "dritten märz"),
        (5, 31, "einunddreißigsten mai"),
        (7, 14, "quatorze juillet"),
        (5, 1, "premier mai"),
        (1, 30, "january the thirtieth"),
    ],
)
def test_days_in_words(month: int, day: int, form: str) -> None:
    assert form in [said.lower() for said in dates(month, day)]
