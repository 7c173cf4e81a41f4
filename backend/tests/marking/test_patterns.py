import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.marking import patterns
from sieve.marking.errors import PolicyError
from sieve.marking.patterns import Pattern
from sieve.marking.words import stands_alone

ODD = st.text(st.sampled_from("abAB12 ,.-_\nüÜßéñ\u0301ñ😀क٣"), max_size=40)
BOUNDED = [r"\bab\b", r"\b\w+\b", r"\bé\w*", r"\w+\b", r"\b[ab]+\d?\b", r"(?i)\bÜ+\b"]


def found(text: str, pattern: str, *, case: bool = False, whole_word: bool = False) -> list[str]:
    return [text[start:end] for start, end in Pattern(pattern, case=case, whole_word=whole_word).find(text)]


@given(text=ODD, pattern=st.sampled_from([r"[ab]+", r"b.", r"\w+", r"\s", r"\d+", r"[^\d]", r"[\w-]+", r"é|ü", r"\W"]))
def test_without_boundaries_it_matches_what_python_does(text: str, pattern: str) -> None:
    text = text.replace("\u0301", "").replace("क", "")  # Marks are of a word here, and not in Python.
    assert found(text, pattern, case=True) == re.findall(pattern, text)


@given(text=ODD, pattern=st.sampled_from(BOUNDED))
def test_with_boundaries_it_matches_at_least_what_python_does(text: str, pattern: str) -> None:
    text = text.replace("\u0301", "").replace("क", "")
    covered = {place for start, end in Pattern(pattern, case=True).find(text) for place in range(start, end)}
    assert covered >= {place for match in re.finditer(pattern, text) for place in range(*match.span())}


@given(text=ODD, pattern=st.sampled_from(BOUNDED))
def test_on_ascii_boundaries_are_exact(text: str, pattern: str) -> None:
    text = text.encode("ascii", "ignore").decode()
    assert found(text, pattern, case=True) == re.findall(pattern, text)


@given(text=ODD, near=st.integers(1, 6))
def test_near_matches_first_loses_none(text: str, near: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        expected = found(text, "[ab]+|[üß].")
        patch.setattr(patterns, "FULL_SEARCHES", 0)
        patch.setattr(patterns, "NEAR_BYTES", near)
        hurried = "".join(found(text, "[ab]+|[üß]."))
    assert hurried == "".join(expected)


@pytest.mark.parametrize(
    ("text", "pattern", "hits"),
    [
        ("Mesut Özil, Özils", r"\bÖzil\b", ["Özil"]),
        ("(Özil)Özil-Özil", r"\bÖzil\b", ["Özil", "Özil", "Özil"]),
        ("föö-xy", r"\bföö(-x)?\b", ["föö"]),
        ("file Éclair/12 Éclairs/12", r"\b(?:Éclair|Orion)/\d+\b", ["Éclair/12"]),
        ("niño 42", r"\w+", ["niño", "42"]),
        ("№ ٣٤", r"\d+", ["٣٤"]),
        ("a\u00a0b", r"a\sb", ["a\u00a0b"]),
        ("ID-é7", r"[\w-]+", ["ID-é7"]),
        (r"a\b", r"\Qa\b\E", [r"a\b"]),
        ("a]b|c", r"[]|]", ["]", "|"]),
        ("x😀y", r"😀.", ["😀y"]),
        ("STRASSE é Straße", "straße", ["Straße"]),
    ],
)
def test_offsets_and_classes_outside_ascii(text: str, pattern: str, hits: list[str]) -> None:
    assert found(text, pattern) == hits


def test_a_block_is_found_however_long() -> None:
    text = "é BEGIN " + "x " * 50_000 + "END after BEGIN y END"
    assert [len(hit) for hit in found(text, "(?s)BEGIN.*?END")] == [100_009, 11]


def test_whole_word_is_by_unicode() -> None:
    assert found("AB12 xAB12 ABß AB,", "AB(?:12)?", whole_word=True) == ["AB12", "AB"]


def test_of_several_ways_to_match_one_that_is_a_whole_word_counts() -> None:
    assert found("Vegas Vega, Vegan (Vegas)", "Vega|Vegas", whole_word=True) == ["Vegas", "Vega", "Vegas"]
    assert found("é12 Öz 123 1234", r"\d+?|Ö|Öz", whole_word=True) == ["Öz", "123", "1234"]
    assert found("(S) x(S)", r"(?i)\(s\)", whole_word=True) == ["(S)", "(S)"]
    assert found("Acme Corp, Acme Corps", " Co| Corp", whole_word=True) == [" Corp"]
    assert found("Las-Vegas, Las-Vegan", "-Vega|-Vegas", whole_word=True) == ["-Vegas"]
    assert found("Vegas-Oslo, Vegas, Vega", "Vega|Vegas-", whole_word=True) == ["Vegas-", "Vega"]
    assert found("xVegas-Oslo -Vegas-Oslo", "-?Vega|-?Vegas-", whole_word=True) == ["-Vegas-"]
    assert found("(a) and (b), x(c", r"\(.*?\)", whole_word=True) == ["(a)", "(b)"]


def test_a_quotation_may_be_left_open() -> None:
    assert found("a|b a|bc", r"\Qa|b", whole_word=True) == ["a|b"]
    assert found("x|\\ x|", r"x\Q|" + "\\", whole_word=True) == ["x|\\"]
    assert found("x xy", r"x\Q", whole_word=True) == ["x"]


@given(st.text("aB é_.1", max_size=12), st.sampled_from(["a|ab", "(?:a|B)+", r"\w+", "é1?", r"(?m)^\S+$"]))
def test_whole_words_begin_and_end_where_words_do(text: str, pattern: str) -> None:
    whole = [*Pattern(pattern, whole_word=True).find(text)]
    assert all(stands_alone(text, *place) for place in whole)
    for start, end in Pattern(pattern).find(text):
        assert not stands_alone(text, start, end) or any(a <= start and end <= z for a, z in whole)


def test_case_is_asked_for() -> None:
    assert found("Ab AB", "AB", case=True) == ["AB"]
    assert found("Ab AB", "AB") == ["Ab", "AB"]


def test_what_would_read_the_text_to_its_end_each_time_comes_to_an_end() -> None:
    # The square of this length would be 10^10 characters.
    assert len(Pattern("(?s)a(?:.*b)?").find("a" * 100_000)) == 100_000


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+c", r"(.*a){12}c", r"(x+x+)+y", r"([a-z]+)*\d"])
def test_patterns_that_hang_other_engines_do_not_hang_this_one(pattern: str) -> None:
    assert not Pattern(pattern).matches("a" * 50_000 + "!")


@pytest.mark.parametrize(
    "pattern",
    ["(", "[", "a{2000}", "(?=secret)", r"\1", "(?<!x)y", "x" * 10_001, "\ud800", r"a\Cb", "*"],
)
def test_a_pattern_that_cannot_be_used_is_refused_without_a_word_of_it(pattern: str) -> None:
    with pytest.raises(PolicyError, match="pattern") as caught:
        Pattern(pattern)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["", "x*", r"\b", "^", "$", "(?:a|)", "a?", r"(?:xyz)*\b"])
def test_a_pattern_that_matches_nothing_at_all_is_refused(pattern: str) -> None:
    with pytest.raises(PolicyError, match="empty text"):
        Pattern(pattern)


def test_lone_surrogates_do_no_harm() -> None:
    assert found("\ud800AB\udfffAB", "AB") == ["AB", "AB"]
