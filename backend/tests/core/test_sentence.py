"""Sentences are English texts that keep their code and parameters."""

import json
from copy import deepcopy

from sieve.core.sentence import Sentence, said_of


def test_it_is_a_text_with_grouped_numbers() -> None:
    one = Sentence("x", "“{text}” is in {limit} rows", text="{a}", limit=12_000)
    assert one == "“{a}” is in 12,000 rows"
    assert (one.code, one.parameters) == ("x", {"text": "{a}", "limit": 12_000})


def test_it_has_decimals() -> None:
    assert [Sentence("x", "{s} s", s=s) for s in (0.25, 1200.5, 20)] == ["0.25 s", "1,200.5 s", "20 s"]
    assert json.loads(json.dumps(Sentence("x", "{s} s", s=0.25).to_json()))["parameters"] == {"s": 0.25}


def test_it_has_a_text_for_one() -> None:
    rows = [Sentence("x", "{count} rows", one="{count} row", count=count) for count in (0, 1, 2)]
    assert rows == ["0 rows", "1 row", "2 rows"]


def test_it_survives_json_with_the_sentences_in_it() -> None:
    inner = Sentence("inner", "a comment")
    outer = Sentence("outer", "{text} is {hidden}", text="“a”", hidden=inner)
    read = Sentence.from_json(json.loads(json.dumps(outer.to_json())))
    assert (read, read.code) == (outer, "outer")
    hidden = read.parameters["hidden"]
    assert isinstance(hidden, Sentence) and (hidden, hidden.code) == ("a comment", "inner")
    assert deepcopy(outer).code == "outer"


def test_other_texts_say_nothing() -> None:
    assert said_of("a comment") is None and said_of(None) is None
    assert said_of(Sentence("x", "a")) == {"text": "a", "code": "x", "parameters": {}}
