import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.units import Mark, Unit
from sieve.marking import apply_policy
from sieve.marking.errors import TooManyHits
from sieve.marking.policy import Rule, parse


def rules(*texts: str) -> tuple[Rule, ...]:
    return parse('name = "n"\n' + "".join(f"[[rules]]\n{text}\n" for text in texts), str).rules


def units(*texts: str) -> list[Unit]:
    return [Unit(f"word/document.xml/p{number}", text, "paragraph") for number, text in enumerate(texts, 1)]


def shown(found: list[Mark], among: list[Unit]) -> list[tuple[str, str]]:
    text_of = {unit.address: unit.text for unit in among}
    return [(mark.address.split("/")[-1], text_of[mark.address][mark.start : mark.end]) for mark in found]


ORION = 'kind = "keywords"\nkeywords = ["Orion", "the fox"]'
WORDS = st.text(st.sampled_from("Orion thefox.a@b 1234\n\f\0é😀"), max_size=20)


@given(texts=st.lists(WORDS, max_size=6))
def test_many_units_at_a_time_or_one_by_one_is_the_same(texts: list[str]) -> None:
    policy = rules(ORION, 'kind = "detector"\ndetector = "email"', 'kind = "regex"\npattern = "[0-9]+"')
    among = units(*texts)
    one_by_one = [mark for unit in among for mark in apply_policy.marks(policy, [unit])]
    assert list(apply_policy.marks(policy, among)) == one_by_one
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply_policy, "BATCH_CHARACTERS", 10)
        assert list(apply_policy.marks(policy, among)) == one_by_one


@given(texts=st.lists(WORDS, max_size=4), granularity=st.sampled_from(["match", "word", "sentence", "paragraph"]))
def test_marks_lie_inside_and_in_order(texts: list[str], granularity: str) -> None:
    among = units(*texts)
    found = list(
        apply_policy.marks(
            rules(f'{ORION}\ngranularity = "{granularity}"', 'kind = "regex"\npattern = "e."\nwhole_word = false'),
            among,
        )
    )
    size = {unit.address: len(unit.text) for unit in among}
    places = []
    for mark in found:
        assert mark.start is not None
        assert mark.end is not None
        assert mark.start < mark.end <= size[mark.address]
        places.append((mark.address, mark.start, mark.end))
    assert places == sorted(places)


def test_each_mark_names_its_rule_label_and_reason() -> None:
    policy = rules(
        f'{ORION}\nlabel = "SECRET"\nreason = "a project"', 'kind = "regex"\npattern = "Ori."\nwhole_word = false'
    )
    assert list(apply_policy.marks(policy, [Unit("text", "An Orion.", "text")])) == [
        Mark("text", 3, 7, "", "n/1#2", ""),
        Mark("text", 3, 8, "SECRET", "n/1#1", "a project"),
    ]


def test_nothing_is_found_across_two_units() -> None:
    assert list(apply_policy.marks(rules(ORION), units("the", "fox", "Ori", "on"))) == []


def test_hidden_units_are_searched_too() -> None:
    hidden = Unit("word/comments.xml/p1", "Orion", "paragraph", "a comment")
    assert [mark.address for mark in apply_policy.marks(rules(ORION), [hidden])] == ["word/comments.xml/p1"]


def test_a_preview_lists_hits_by_rule() -> None:
    among = units("Orion and Orion", "no", "the fox")
    found = list(apply_policy.hits(rules(ORION, 'kind = "regex"\npattern = "no"\nwhole_word = false'), among))
    assert [(hits.rule.id, hits.address[-2:], hits.hit_count) for hits in found] == [
        ("n/1#1", "p1", 2),
        ("n/1#2", "p2", 1),
        ("n/1#1", "p3", 1),
    ]


@pytest.mark.parametrize(
    ("granularity", "taken"),
    [
        ("match", ["Orion"]),
        ("word", ["Orion-7"]),
        ("sentence", ["By Mr. Orion-7 here."]),
        ("paragraph", ["One. By Mr. Orion-7 here. Two."]),
    ],
)
def test_a_hit_takes_along_what_the_rule_says(granularity: str, taken: list[str]) -> None:
    among = units("Zero.", "One. By Mr. Orion-7 here. Two.", "Three.")
    found = list(apply_policy.marks(rules(f'{ORION}\ngranularity = "{granularity}"'), among))
    assert [text for _, text in shown(found, among)] == taken


def test_a_page_is_a_page_where_there_are_pages() -> None:
    policy = rules(f'{ORION}\ngranularity = "page"')
    text = [Unit("text", "One\fTwo Orion\fThree", "text")]
    assert [text for _, text in shown(list(apply_policy.marks(policy, text)), text)] == ["Two Orion"]
    pdf = [Unit("page/1", "One", "page"), Unit("page/2", "Orion", "page"), Unit("page/2/annotation/1", "Orion", "note")]
    pdf += [
        Unit("page/3/annotation/1", "Orion", "note", "a note"),
        Unit("bookmark/1", "Orion", "bookmark", "a bookmark"),
    ]
    assert [mark.address for mark in apply_policy.marks(policy, pdf)] == ["page/2", "page/2", "page/3", "bookmark/1"]
    word = units("One", "Orion", "Three")
    assert [mark.address[-2:] for mark in apply_policy.marks(policy, word)] == ["p1", "p2", "p3"]


def test_a_document_is_all_of_it_what_has_no_text_too() -> None:
    among = [*units("One", "Orion", "the fox"), Unit("word/media/image1.png", "", "image")]
    found = list(apply_policy.marks(rules(f'{ORION}\ngranularity = "document"'), among))
    assert found == [Mark(unit.address, None, None, "", "n/1#1", "") for unit in among]
    assert list(apply_policy.marks(rules(f'{ORION}\ngranularity = "document"'), units("One"))) == []


def test_a_document_of_cells_is_its_rows() -> None:
    cells = [Unit(f"row/{number}/{name}", "Orion", "cell") for number in range(3) for name in "ab"]
    found = apply_policy.marks(rules(f'{ORION}\ngranularity = "document"'), cells)
    assert [mark.address for mark in found] == ["row/0", "row/1", "row/2"]


def test_more_hits_than_a_document_may_have_spans_are_refused_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = rules('kind = "keywords"\nkeywords = ["x"]')
    monkeypatch.setattr(apply_policy, "MAX_HITS", 1_000)
    assert len(list(apply_policy.marks(policy, [Unit("text", "x " * 1_000, "text")]))) == 1_000
    with pytest.raises(TooManyHits, match="rule n/1#1"):
        list(apply_policy.hits(policy, [*units("x " * 500), Unit("text", "x " * 501, "text")]))


def test_hits_take_sixteen_bytes_each() -> None:
    [found] = apply_policy.hits(rules('kind = "keywords"\nkeywords = ["x"]'), [Unit("text", "x " * 100_000, "text")])
    assert found.ranges is not None
    assert sum(sys.getsizeof(part) for part in vars(found.ranges).values()) < 20 * found.hit_count


def test_units_are_taken_as_they_come() -> None:
    def endless() -> Iterator[Unit]:
        number = 0
        while True:
            number += 1
            yield Unit(f"row/{number}/a", "Orion " + "x" * 1000, "cell")

    found = apply_policy.hits(rules(ORION), endless())
    assert next(found).address == "row/1/a"
