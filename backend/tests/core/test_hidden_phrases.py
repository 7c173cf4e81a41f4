"""How formats say that something is hidden, as sentences that the interface translates."""

from itertools import chain

import pytest

from sieve.core.hidden_phrases import hidden_phrase
from sieve.core.sentence import Sentence
from sieve.formats.office.text_attributes import NAMING_ATTRIBUTES, NAMING_ELEMENTS


@pytest.mark.parametrize("kind", sorted(set(chain(NAMING_ATTRIBUTES.values(), NAMING_ELEMENTS.values()))))
def test_each_kind_of_attribute_is_known(kind: str) -> None:
    article = "an" if kind[0] in "aeiou" else "a"
    several = hidden_phrase(f"a list of 1,200, each of them {article} {kind}")
    assert isinstance(several, Sentence) and several.code == "hidden-list"
    assert (several.parameters["number"], several.parameters["what"]) == (1200, f"{article} {kind}")
    assert isinstance(several.parameters["what"], Sentence)


@pytest.mark.parametrize(
    ("hidden", "name"), [("the header field X-Spam", "X-Spam"), ("the attribute “data-{a}”", "data-{a}")]
)
def test_names_in_phrases_stay_as_they_are(hidden: str, name: str) -> None:
    phrase = hidden_phrase(hidden)
    assert isinstance(phrase, Sentence)
    assert (phrase, phrase.parameters) == (hidden, {"name": name})


def test_an_unknown_phrase_stays_a_text() -> None:
    phrase = hidden_phrase("a hologram")
    assert phrase == "a hologram" and not isinstance(phrase, Sentence)
