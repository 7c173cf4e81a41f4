"""Characters that nobody sees make no difference, wherever a text is searched."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.unseen import UNSEEN_CHARACTERS
from sieve.formats.pdf.search_terms import SearchTerms
from sieve.formats.phrases import Phrases
from sieve.marking.granularity import Granularity, widened
from sieve.marking.keywords import Keywords
from sieve.marking.leaks.folding import fold
from sieve.marking.ranges import Ranges
from sieve.marking.words import is_of_word

RUNS = st.text(st.sampled_from(sorted(UNSEEN_CHARACTERS)), min_size=1, max_size=3)


def test_all_controls_and_joiners_are_among_them_and_no_white_space() -> None:
    format_characters = {"\u00ad", *"\u200b\u200c\u200d\u200e\u2060\u2062\ufeff\U000e0041"}
    controls = {chr(code) for code in range(1, 0xA0) if unicodedata.category(chr(code)) == "Cc"}
    assert {each for each in controls if not each.isspace()} | format_characters <= UNSEEN_CHARACTERS
    assert not any(character.isspace() for character in UNSEEN_CHARACTERS)


@pytest.mark.parametrize("character", sorted(UNSEEN_CHARACTERS)[:300], ids=ascii)
def test_each_of_them_is_read_past_by_every_search(character: str) -> None:
    hidden = f"Or{character}ion"
    assert [*Keywords(["Orion"]).find(f"the {hidden}.")] == [(4, 10)]
    assert [*Keywords([hidden]).find("the Orion.")] == [(4, 9)]
    assert Phrases(["Orion"]).ranges(f"the {hidden}.") == [(4, 10)]
    assert SearchTerms(["Orion"]).in_text(hidden)
    assert fold(hidden) == "orion"
    assert [*widened(f"the {hidden}.", Ranges([(8, 10)]), Granularity.WORD)] == [(4, 10)]


@given(one=RUNS, other=RUNS, case=st.booleans())
def test_runs_of_them_too(one: str, other: str, case: bool) -> None:
    text = f"the O{one}rio{other}n, {one}Blue{other} {one}Fox{other}."
    assert [text[start:end] for start, end in Keywords(["Orion"], case=case).find(text)] == [f"O{one}rio{other}n"]
    assert len(Keywords(["blue fox"]).find(text)) == 1
    [(start, end)] = widened(text, Ranges([(4, 5)]), Granularity.WORD)
    assert text[start:end] == f"O{one}rio{other}n"


# A mark on a letter is of the word.
@given(run=RUNS.filter(lambda run: not any(map(is_of_word, run))))
def test_a_word_ends_before_them_if_no_letter_follows(run: str) -> None:
    text = f"Orion{run} and Vega{run}, '{run}Blue"
    for start, word in ((0, "Orion"), (text.index("Vega"), "Vega"), (text.index("Blue"), "Blue")):
        assert [text[a:b] for a, b in widened(text, Ranges([(start, start + 2)]), Granularity.WORD)] == [word]
