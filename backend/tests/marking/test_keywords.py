import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sieve.marking.errors import PolicyError
from sieve.marking.folding import Folded
from sieve.marking.keywords import MAX_ENDING_ALIKE, MAX_KEYWORD_CHARACTERS, Keywords
from sieve.marking.words import is_of_word, words_only

ODD = st.text(st.sampled_from("aAbsS ,'’\"_-+1İıßﬁŉé\u0301\u00ad\u200b\n\r\t\f\u00a0\u2028😀𝔸क\u093e"), max_size=30)


def found(text: str, *keywords: str, case: bool = False, whole_word: bool = True) -> list[str]:
    return [text[start:end] for start, end in Keywords(keywords, case=case, whole_word=whole_word).find(text)]


@given(text=ODD)
@example("ßß\r\n\u00ad ﬁ")
def test_every_folded_range_leads_back_to_what_folds_to_it(text: str) -> None:
    folded = Folded(text)
    for start in range(len(folded.text)):
        for end in range(start + 1, len(folded.text) + 1):
            [(first, last)] = folded.origins([(start, end)])
            assert 0 <= first < last <= len(text)
            assert folded.text[start:end] in Folded(text[first:last]).text
            # At either end at most two letters of a character that folded to three.
            assert len(Folded(text[first:last]).text) <= end - start + 4
    assert list(folded.origins((i, i + 1) for i in range(len(folded.text)))) == [
        place for i in range(len(folded.text)) for place in folded.origins([(i, i + 1)])
    ]


@given(before=ODD, keyword=ODD, after=ODD)
def test_a_keyword_is_found_wherever_it_is(before: str, keyword: str, after: str) -> None:
    if not Folded(keyword).text.strip():
        return
    start, end = len(before), len(before) + len(keyword)
    seen = keyword.strip("\u00ad\u200b" + "".join(c for c in keyword if c.isspace()))
    start += keyword.index(seen)
    end = start + len(seen)
    text = before + keyword + after
    assert any(s <= start and end <= e for s, e in Keywords([keyword], whole_word=False).find(text))


@given(before=ODD, keyword=ODD, after=ODD)
def test_whole_words_are_those_hits_that_stand_alone(before: str, keyword: str, after: str) -> None:
    text = f"{before}{keyword}{after}"
    folded = Folded(text, case=True).text
    spellings = (keyword, unicodedata.normalize("NFC", keyword), unicodedata.normalize("NFD", keyword))
    spelt = {Folded(spelling, case=True).text.strip() for spelling in spellings}
    if "" in spelt:
        return
    joined = [False] * (len(folded) + 1)
    for place in range(1, len(folded)):
        joined[place] = of_word(folded[place - 1]) and of_word(folded[place])
    expected = set()
    for spelling in spelt:
        for match in re.finditer(f"(?={re.escape(spelling)})", folded):
            start, end = match.start(), match.start() + len(spelling)
            if not joined[start] and not joined[end]:
                expected |= set(range(start, end))
    ranges = Keywords([keyword], case=True).find(text)
    origin = [place for i in range(len(folded)) for place in Folded(text, case=True).origins([(i, i + 1)])]
    assert {place for s, e in ranges for place in range(s, e)} >= {origin[i][0] for i in expected}
    assert bool(expected) == bool(len(ranges))


def of_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


@given(text=ODD, keywords=st.lists(ODD, min_size=1), case=st.booleans(), whole_word=st.booleans())
def test_ranges_are_in_order_inside_and_apart(text: str, keywords: list[str], case: bool, whole_word: bool) -> None:
    keywords = [keyword for keyword in keywords if Folded(keyword).text.strip()] or ["a"]
    place = 0
    for start, end in Keywords(keywords, case=case, whole_word=whole_word).find(text):
        assert place <= start < end <= len(text)
        place = end


@pytest.mark.parametrize(
    "text", ["Orion", "'Orion'", "“Orion”,", "Orion's", "(orion)", "ORION-7", "_orion_", "\norion\n"]
)
def test_a_whole_word_takes_no_comma_and_no_quote(text: str) -> None:
    assert [hit.casefold() for hit in found(text, "orion")] == ["orion"]


@pytest.mark.parametrize("text", ["Orions", "Xorion", "orion7", "Éorion", "orionß", "orion\u0301"])
def test_a_whole_word_is_no_part_of_a_word_in_any_script(text: str) -> None:
    assert found(text, "Orion") == []
    assert found(text, "Orion", whole_word=False) != []


def test_indic_vowel_signs_are_of_the_word() -> None:
    assert found("रामायण राम", "राम") == ["राम"]


@pytest.mark.parametrize(
    "gap", [" ", "  ", "\n", "\r\n", "\t", "\u00a0", " \n\n\t ", "\u2028", "\u2003", " \u200b", "\u00ad "]
)
def test_a_phrase_is_found_across_any_white_space(gap: str) -> None:
    assert found(f"the Orion{gap}Project, at last", "orion project") == [f"Orion{gap}Project"]


@pytest.mark.parametrize("text", ["Orion, Project", "Orion-Project", "OrionProject", "Orion. Project"])
def test_punctuation_in_a_phrase_is_not_white_space(text: str) -> None:
    assert found(text, "orion project") == []


@pytest.mark.parametrize(
    ("text", "keyword", "hit"),
    [
        ("İİ in İstanbul 😀", "istanbul", "İstanbul"),
        ("IŞIK Işık", "ışık", "IŞIK"),
        ("😀 die STRASSE", "Straße", "STRASSE"),
        ("ßß die Straße!", "STRASSE", "Straße"),
        ("the of\ufb01ce", "office", "of\ufb01ce"),
        ("Ori\u00adon", "orion", "Ori\u00adon"),
        ("Jose\u0301 came", "José", "Jose\u0301"),
        ("José came", "Jose\u0301", "José"),
    ],
)
def test_offsets_are_right_where_folding_changes_lengths(text: str, keyword: str, hit: str) -> None:
    assert found(text, keyword)[0] == hit


def test_case_matters_if_it_is_asked_for() -> None:
    assert found("US and us", "US", case=True) == ["US"]
    assert found("US and us", "US") == ["US", "us"]


def test_punctuation_can_be_a_keyword() -> None:
    assert found("C++ and c++, C", "C++") == ["C++", "c++"]
    assert found("mail @home", "@home") == ["@home"]
    assert found("C+", "C++", "C+", "+") == ["C+"]


def test_keywords_that_share_letters_are_all_found_and_joined() -> None:
    assert found("New York Times Square", "New York Times", "Times Square", "York") == ["New York Times Square"]
    assert found("AA", "A", whole_word=False) == ["A", "A"]


@pytest.mark.parametrize("keywords", [[], [""], ["ok", " \n"], ["\u00ad"], ["a" * (MAX_KEYWORD_CHARACTERS + 1)]])
def test_a_list_that_says_nothing_is_refused(keywords: list[str]) -> None:
    with pytest.raises(PolicyError):
        Keywords(keywords)


@pytest.mark.parametrize("whole_word", [True, False])
def test_keywords_that_end_alike_many_times_are_refused(whole_word: bool) -> None:
    keywords = ["ab " * n + "c" for n in range(MAX_ENDING_ALIKE + 1)] + ["a" * n for n in range(1, 80)]
    with pytest.raises(PolicyError, match="end alike"):
        Keywords(["a" * n for n in range(1, 80)], whole_word=False)
    assert Keywords(keywords[:10], whole_word=whole_word).find("c")


@given(
    st.lists(
        st.sampled_from(
            [
                "Щука",
                "ж,",
                "é",
                "中文",
                "😀",
                "\ufffe",
                "\ud800",
                "कि",
                " ",
                "ж" * 4000,
                "".join(map(chr, range(0x4E00, 0x4F80))),
            ]
        )
        | st.text(max_size=5),
        max_size=12,
    ).map(lambda pieces: "".join(pieces) * 9)
)
def test_only_what_is_of_words_is_left_of_a_text_in_any_script(text: str) -> None:
    assert words_only(text) == "".join(character if is_of_word(character) else " " for character in text)


def test_a_text_of_many_odd_characters_is_searched_all_the_same() -> None:
    symbols = "".join(map(chr, range(0x2190, 0x2400)))
    assert found(f"{symbols}Orion{symbols}", "orion") == ["Orion"]


def test_lone_surrogates_do_no_harm() -> None:
    assert found("\ud800Orion\udfff", "orion") == ["Orion"]
