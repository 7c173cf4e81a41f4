"""A policy from a table: all that is wrong with it, by TOML as by JSON; and hits of which the first are taken."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.units import Unit
from sieve.marking import apply_policy, ranges
from sieve.marking.errors import PolicyError, TooManyHits
from sieve.marking.policy import Rule, parse, read_json, read_toml, understand, with_keywords_inside

GOOD = {"kind": "keywords", "keywords": ["Orion"]}
BAD = [
    {"kind": "keywords"},
    {"kind": "regex", "pattern": "("},
    {"kind": "detector", "detector": "aura"},
    {"kind": "keywords", "keywords": ["Orion"], "colour": 1},
    7,
]


def no_file(name: str) -> str:
    raise PolicyError("there are no files")


def rules(*given: object) -> tuple[Rule, ...]:
    policy = understand({"name": "n", "rules": list(given)}, no_file).policy
    assert policy is not None
    return policy.rules


@given(st.lists(st.sampled_from([GOOD, *BAD]), min_size=1, max_size=12))
def test_every_rule_that_is_wrong_is_named_and_no_other(written: list[object]) -> None:
    policy, problems = understand({"name": "n", "rules": written}, no_file)
    assert [problem.rule for problem in problems] == [n for n, rule in enumerate(written, 1) if rule is not GOOD]
    assert (policy is None) == bool(problems)
    if policy is not None:
        assert [rule.id for rule in policy.rules] == [f"n/1#{n}" for n in range(1, len(written) + 1)]


def test_who_counts_versions_may_say_which_it_is() -> None:
    policy = understand({"name": "n", "version": 7, "rules": [GOOD]}, no_file, version=3).policy
    assert policy is not None
    assert (policy.version, policy.rules[0].id) == (3, "n/3#1")


def test_title_and_guard() -> None:
    policy = parse(
        'name = "n"\ntitle = "Names"\nguard = true\n[[rules]]\nkind = "detector"\ndetector = "email"', no_file
    )
    assert (policy.title, policy.guard) == ("Names", True)
    for bad in ({"title": 7}, {"title": "a\nb"}, {"title": "a" * 201}, {"guard": "yes"}):
        _, [problem] = understand({"name": "n", "rules": [GOOD], **bad}, no_file)
        assert problem.rule is None


@given(
    st.lists(st.text(min_size=1, max_size=5).filter(str.isalnum), min_size=1, max_size=5, unique=True), st.booleans()
)
def test_json_says_what_toml_says(keywords: list[str], case: bool) -> None:
    table = {"name": "n", "rules": [{"kind": "keywords", "keywords": keywords, "case": case}]}
    listed = ", ".join(json.dumps(word, ensure_ascii=False) for word in keywords)
    toml = f'name = "n"\n[[rules]]\nkind = "keywords"\nkeywords = [{listed}]\ncase = {str(case).lower()}\n'
    assert read_json(json.dumps(table)) == table == read_toml(toml)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "[" * 100_000, '{"name": "\\ud800"}', '{"a": NaN'])
def test_what_is_no_policy_in_json(text: str) -> None:
    with pytest.raises(PolicyError):
        read_json(text)


def test_keywords_files_can_be_put_inside() -> None:
    table = {
        "name": "n",
        "rules": [GOOD, {"kind": "keywords", "keywords": ["Vega"], "keywords_file": "f", "case": True}],
    }
    inside = with_keywords_inside(table, {"f": "# names\nOrion\n"}.__getitem__)
    assert inside["rules"] == [GOOD, {"kind": "keywords", "case": True, "keywords": ["Vega", "Orion"]}]
    assert with_keywords_inside({"name": "n"}, no_file) == {"name": "n"}


@given(st.lists(st.text("abx .", max_size=30), max_size=6), st.integers(1, 20))
def test_the_first_hits_are_the_first_of_all_hits(texts: list[str], limit: int) -> None:
    policy = rules(
        {"kind": "keywords", "keywords": ["a", "x"]},
        {"kind": "regex", "pattern": "b+"},
        {"kind": "keywords", "keywords": ["ab"], "granularity": "sentence"},
    )
    units = [Unit(f"p{number}", text, "paragraph") for number, text in enumerate(texts)]
    found, more = apply_policy.first_marks(policy, units, limit)
    everything = list(apply_policy.marks(policy, units))
    assert found == list(islice(everything, limit))
    assert more == (len(everything) > limit)


def test_hits_beyond_what_a_document_may_have_are_only_more(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, text = rules({"kind": "keywords", "keywords": ["a"]}), [Unit("text", "a " * 2_000, "text")]
    monkeypatch.setattr(apply_policy, "MAX_HITS", 1_000)
    with pytest.raises(TooManyHits):
        list(apply_policy.marks(policy, text))
    found, more = apply_policy.first_marks(policy, text, 10)
    assert (len(found), more) == (10, True)


def test_there_is_an_end_to_what_is_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = rules({"kind": "keywords", "keywords": ["Orion"]}, {"kind": "keywords", "keywords": ["a"]})
    monkeypatch.setattr(ranges, "MAX_RANGES", 1_000)
    with pytest.raises(TooManyHits, match="rule n/1#2"):
        apply_policy.first_marks(policy, [Unit("text", "a " * 1_001, "text")], 10)
