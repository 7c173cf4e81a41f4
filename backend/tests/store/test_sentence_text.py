"""Columns of sentences keep their codes and parameters; other texts stay as they are."""

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from sieve.core.sentence import Sentence
from sieve.store.sentence_text import SentenceText

DIALECT = sqlite.dialect()
COLUMN = SentenceText()


def _stored(text: str | None) -> str | None:
    bound = COLUMN.process_bind_param(text, DIALECT)
    assert type(bound) is not Sentence
    return COLUMN.process_result_value(bound, DIALECT)


@given(why=st.text(), count=st.integers())
def test_a_sentence_comes_back_with_all_that_it_names(why: str, count: int) -> None:
    inner = Sentence("connection-refused", "the connection was refused")
    written = Sentence("a", "{why}: {inner} {count}", why=why, inner=inner, count=count)
    read = _stored(written)
    assert isinstance(read, Sentence)
    assert (str(read), read.to_json()) == (str(written), written.to_json())


@given(st.none() | st.text() | st.text().map("\u241e{}".format))
def test_any_other_text_comes_back_as_it_is(text: str | None) -> None:
    read = _stored(text)
    assert read == text
    assert not isinstance(read, Sentence)


def test_a_text_that_only_looks_like_a_sentence_comes_back_as_it_is() -> None:
    for text in ('\u241e{"text": 1}', "\u241e[]", '\u241e{"text": "a", "code": "b", "parameters": 3}'):
        assert _stored(text) == text
