import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.marking.errors import PolicyError
from sieve.marking.patterns import Pattern
from sieve.marking.policy import MAX_RULES, Policy, parse, understand

KEYWORDS = '[[rules]]\nkind = "keywords"\nkeywords = ["Orion"]\n'


def no_file(name: str) -> str:
    raise AssertionError(name)


def parsed(text: str, **files: str) -> Policy:
    return parse(text, lambda name: files[name.replace(".", "_")] if files else no_file(name))


def found(policy: Policy, text: str) -> list[str]:
    [rule] = policy.rules
    return [text[start:end] for start, end in rule.selector.find(text)]  # type: ignore[union-attr]


def test_a_rule_is_named_by_policy_version_and_number() -> None:
    policy = parsed(f'name = "names"\nversion = 2\n{KEYWORDS}reason = "a project"\nlabel = "NATO SECRET"\n{KEYWORDS}')
    assert (policy.name, policy.version) == ("names", 2)
    assert [rule.id for rule in policy.rules] == ["names/2#1", "names/2#2"]
    assert policy.rules[0].reason == "a project"
    assert policy.rules[0].label == "NATO SECRET"
    assert [rule.granularity for rule in policy.rules] == ["match", "match"]


def test_what_is_left_out_has_its_default() -> None:
    policy = parsed(f'name = "n"\n{KEYWORDS}')
    assert policy.version == 1
    assert found(policy, "ORION Orions") == ["ORION"]


def test_keywords_come_from_a_file_too() -> None:
    rule = '[[rules]]\nkind = "keywords"\nkeywords_file = "names.txt"\nkeywords = ["Vega"]\n'
    policy = parsed(f'name = "n"\n{rule}', names_txt="\ufeff# names\r\nOrion\r\n\r\n  Blue  Fox \r\n")
    assert found(policy, "Vega, Orion, blue fox, names") == ["Vega", "Orion", "blue fox"]


def test_lists_of_ten_thousand_are_usual() -> None:
    words = "\n".join(f"word{number}" for number in range(10_000))
    policy = parsed('name = "n"\n[[rules]]\nkind = "keywords"\nkeywords_file = "w"\n', w=words)
    assert found(policy, "word17 word10000 word9999") == ["word17", "word9999"]


def test_what_the_reader_of_files_raises_goes_through() -> None:
    with pytest.raises(AssertionError, match="names"):
        parsed('name = "n"\n[[rules]]\nkind = "keywords"\nkeywords_file = "names"\n')


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "name"),
        ("name = ", "not well-formed TOML"),
        ("name", "not well-formed TOML: Expected '=' after a key"),
        ("a = " + "[" * 5_000, "not well-formed TOML"),
        (".".join(["a"] * 200_000) + " = 1", "too many names between dots"),
        ("[" + " . ".join(['"a"', "'b'"] * 40) + "]", "too many names between dots"),
        ("a = " + "1" * 5_000, "not well-formed TOML"),
        (KEYWORDS, "name"),
        (f'name = ""\n{KEYWORDS}', "name"),
        (f'name = "a\\nb"\n{KEYWORDS}', "name"),
        (f'name = "{"a" * 101}"\n{KEYWORDS}', "name"),
        (f"name = 7\n{KEYWORDS}", "name"),
        (f'name = "n"\nversion = 0\n{KEYWORDS}', "version"),
        (f'name = "n"\nversion = true\n{KEYWORDS}', "version"),
        (f'name = "n"\nversion = "1"\n{KEYWORDS}', "version"),
        ('name = "n"', "no rule"),
        ('name = "n"\nrules = []', "no rule"),
        ('name = "n"\nrules = 7', "no rule"),
        (f'name = "n"\nrule = []\n{KEYWORDS}', "unknown field"),
        ('name = "n"\n' + KEYWORDS * (MAX_RULES + 1), "1,000 rules"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(PolicyError, match="^policy: ") as caught:
        parsed(text)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("text", ["a = {Orion = 1, Orion = 2}", "[Orion]\n[Orion]", "a = {}\na.Orion = 1"])
def test_errors_in_toml_quote_nothing_of_it(text: str) -> None:
    with pytest.raises(PolicyError, match=r"^policy: it is not well-formed TOML: [^']*\(at .*\)$") as caught:
        parsed(text)
    assert "Orion" not in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("", "kind must be one of keywords, regex, detector, columns, rows"),
        ('kind = "words"', "kind must be one of"),
        ("kind = 7", "kind must be one of"),
        ('kind = "keywords"', "neither keywords nor a keywords_file"),
        ('kind = "keywords"\nkeywords = []', "no keyword"),
        ('kind = "keywords"\nkeywords = ["Orion", " "]', "keyword 2 is empty"),
        ('kind = "keywords"\nkeywords = ["a\\u0000b"]', "NUL"),
        ('kind = "keywords"\nkeywords = "Orion"', "list of texts"),
        ('kind = "keywords"\nkeywords = ["Orion", 7]', "list of texts"),
        ('kind = "keywords"\nkeywords = ["Orion"]\npattern = "x"', "field pattern"),
        ('kind = "keywords"\nkeywords = ["Orion"]\nwhole_words = true', "unknown field"),
        ('kind = "keywords"\nkeywords = ["Orion"]\ncase = "yes"', "case must be true or false"),
        (
            'kind = "keywords"\nkeywords = ["Orion"]\ngranularity = "line"',
            "match, word, sentence, paragraph, page, doc",
        ),
        ('kind = "keywords"\nkeywords = ["Orion"]\ngranularity = 7', "granularity must be one of"),
        ('kind = "keywords"\nkeywords = ["Orion"]\ngranularity = []', "granularity must be one of"),
        ('kind = "keywords"\nkeywords = ["Orion"]\nreason = "a\\nb"', "reason"),
        ('kind = "keywords"\nkeywords = ["Orion"]\nlabel = 7', "label"),
        ('kind = "regex"', "needs a pattern"),
        ('kind = "regex"\npattern = "Orion("', "cannot be read"),
        ('kind = "regex"\npattern = "x*"', "empty text"),
        ('kind = "detector"\ndetector = "Orion"', "no such detector"),
        ('kind = "detector"\ndetector = "email"\ncase = true', "field case"),
        ('kind = "columns"\ncolumns = []', "no column"),
        ('kind = "columns"\ncolumns = ["a"]\ngranularity = "page"', "field granularity"),
        ('kind = "rows"\nwhere = "Orion"', "condition cannot be read"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_by_its_number_and_without_what_it_says(
    rule: str, complaint: str
) -> None:
    with pytest.raises(PolicyError, match="^rule 2 of the policy: ") as caught:
        parsed(f'name = "n"\n{KEYWORDS}\n[[rules]]\n{rule}\n')
    assert complaint in str(caught.value)
    assert "Orion" not in str(caught.value)
    assert caught.value.rule == 2


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("whole_words", "whole_word"),
        ("Whole-Word", "whole_word"),
        ("keyword_file", "keywords_file"),
        ("granularty", "granularity"),
        ("lable", "label"),
    ],
)
def test_a_misspelt_field_is_named_with_the_right_one(written: str, right: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parsed(f'name = "n"\n[[rules]]\nkind = "keywords"\nkeywords = ["Orion"]\n"{written}" = true\n')
    assert str(caught.value) == f"rule 1 of the policy: it has an unknown field {written}; write {right}"


def test_a_misspelt_field_of_the_policy_is_named_with_the_right_one() -> None:
    with pytest.raises(PolicyError, match="^policy: it has an unknown field titel; write title$"):
        parsed(f'name = "n"\ntitel = "t"\n{KEYWORDS}')


@given(field=st.text(min_size=1) | st.sampled_from(["Orion", "reason\n", "Anna's reason", "the label of Orion"]))
def test_a_field_is_repeated_only_if_it_is_nearly_a_known_one(field: str) -> None:
    rule = {"kind": "keywords", "keywords": ["Vega"], field: "x"}
    for error in understand({"name": "n", "rules": [rule]}).problems:
        said = str(error)
        assert said.isprintable()
        assert "Orion" not in said
        assert "Anna" not in said


def test_an_unknown_field_is_told_by_its_place() -> None:
    with pytest.raises(PolicyError, match="an unknown field, number 3; a rule of kind regex has only case, ") as caught:
        parsed('name = "n"\n[[rules]]\nkind = "regex"\npattern = "x"\nOrion = 1\n')
    assert "Orion" not in str(caught.value)


@pytest.mark.parametrize("rule", ["rules = [7]", 'rules = ["keywords"]', "rules = [[]]"])
def test_rules_that_are_no_tables_are_refused(rule: str) -> None:
    with pytest.raises(PolicyError, match="rule 1 of the policy: it is not a table"):
        parsed(f'name = "n"\n{rule}')


def test_match_may_be_said_of_cells() -> None:
    assert parsed('name = "n"\n[[rules]]\nkind = "columns"\ncolumns = ["a"]\ngranularity = "match"\n').rules


def test_no_repr_shows_the_text_of_a_policy() -> None:
    policy = parsed(f'name = "n"\n{KEYWORDS}reason = "Orion"\n')
    assert "Orion" not in repr(policy) + repr(policy.rules) + repr(policy.rules[0].selector)


@given(text=st.text() | st.text(st.sampled_from("[]\"'=\n#{},. names kind rules")))
def test_any_text_is_a_policy_or_refused(text: str) -> None:
    try:
        policy = parse(text, no_file)
    except PolicyError:
        return
    assert tomllib.loads(text)["name"] == policy.name


@pytest.mark.parametrize(("more", "hits"), [("", 1), ("whole_word = true", 1), ("whole_word = false", 2)])
def test_patterns_match_whole_words_unless_they_say_otherwise(more: str, hits: int) -> None:
    [rule] = parsed(f'name = "n"\n[[rules]]\nkind = "regex"\npattern = "Orion"\n{more}').rules
    assert isinstance(rule.selector, Pattern)
    assert len(rule.selector.find("Orion, Orionids")) == hits
