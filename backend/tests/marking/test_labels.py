"""Labels: sets, the roll-up as a floor, and that editing lowers nothing in silence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.documents.label_sets import SHIPPED, load
from sieve.gateway.errors import StartError
from sieve.marking.errors import LabelError
from sieve.marking.labels import Label, LabelledText, LabelSet, labels_after_edit, lowered, parse

SET = LabelSet("s", (Label("low", 1, "LOW"), Label("middle", 2, "MIDDLE"), Label("high", 3, "HIGH")), "low")
NAMES = st.sampled_from([None, "low", "middle", "high", "of another set"])
BEFORE = st.lists(st.builds(LabelledText, st.sampled_from("abcdef"), NAMES), max_size=8)
AFTER = st.lists(st.sampled_from("abcdefgh"), max_size=8)


def rank(label: str | None) -> int:
    return SET.of(label).rank


@given(st.lists(NAMES), st.lists(NAMES))
def test_the_roll_up_is_the_highest_and_grows_with_what_is_below_it(
    some: list[str | None], more: list[str | None]
) -> None:
    floor = SET.highest(some)
    assert (floor is None) == (not some)
    if floor is not None:
        assert floor.rank == max(map(rank, some))
        both = SET.highest([*some, *more])
        assert both is not None and both.rank >= floor.rank


@given(BEFORE, AFTER)
def test_the_same_text_keeps_its_label_or_a_higher_one(before: list[LabelledText], after: list[str]) -> None:
    now = labels_after_edit(SET, before, after)
    assert len(now) == len(after)
    same = [span.digest for span in before] == after
    for place, digest in enumerate(after):
        had = [span.label for span in before if span.digest == digest]
        if same:
            assert now[place] == before[place].label
        elif had:
            assert rank(now[place]) == max(map(rank, had))


@given(BEFORE, AFTER)
def test_new_text_gets_the_label_of_removed_text(before: list[LabelledText], after: list[str]) -> None:
    """Who edits a labelled span, moves it, cuts it in two or joins it with others, lowers nothing; nor where the same
    text is in another span, too.
    """
    known = [span.digest for span in before]
    gone = [span.label for span in before if known.count(span.digest) > after.count(span.digest)]
    for digest, label in zip(after, labels_after_edit(SET, before, after), strict=True):
        if digest not in known:
            assert rank(label) == max(map(rank, gone), default=rank(None))


@given(BEFORE, AFTER, BEFORE)
def test_what_was_gone_and_is_back_has_its_label_at_least(
    before: list[LabelledText], after: list[str], gone: list[LabelledText]
) -> None:
    known = {span.digest for span in before}
    now = labels_after_edit(SET, before, after, gone)
    for digest, label, without in zip(after, now, labels_after_edit(SET, before, after), strict=True):
        had = [span.label for span in gone if span.digest == digest and digest not in known]
        assert rank(label) == max([rank(without), *map(rank, had)])


@given(BEFORE)
def test_nothing_is_lowered_by_saving_the_same(before: list[LabelledText]) -> None:
    now = labels_after_edit(SET, before, [span.digest for span in before])
    assert lowered(SET, [span.label for span in before], now) == 0


def test_what_is_lowered_is_counted() -> None:
    assert lowered(SET, ["high", None, "middle", "of another set"], ["low", "low", "high", "high"]) == 1


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_each_shipped_set_can_be_used(path: Path) -> None:
    found = load(path.stem)
    assert found is not None and found.name == path.stem
    ranks = [label.rank for label in found.labels]
    assert ranks == sorted(set(ranks))


def test_three_sets_are_shipped_and_none_is_chosen_by_default() -> None:
    assert {path.stem for path in SHIPPED.glob("*.toml")} == {"cui", "nato", "uk"}
    assert load(None) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name = ", "well-formed"),
        ('name = "n"', "1 to 100"),
        ('name = "n"\nlabels = [7]', "label 1 is not a table"),
        ('name = "n"\nlabels = [{name = "a", rank = "1"}]', "needs a rank"),
        ('name = "n"\nlabels = [{name = "a", rank = 1, colour = "red"}]', "colour"),
        ('name = "n"\nlabels = [{name = "a\\nb", rank = 1}]', "one line"),
        ('name = "n"\nlabels = [{name = "a", rank = 1, rnak = 1}]', "unknown field"),
        ('name = "n"\nlabels = [{name = "a", rank = 1}, {name = "a", rank = 2}]', "same name"),
        ('name = "n"\ndefault = "b"\nlabels = [{name = "a", rank = 1}]', "default"),
        ('labels = [{name = "a", rank = 1}]', "name"),
    ],
)
def test_a_set_that_cannot_be_used_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(LabelError, match=complaint):
        parse(text)


def test_a_bad_label_set_stops_the_start_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="one of cui, nato, uk"):
        load("NATO")
    path = tmp_path / "mine.toml"
    path.write_text("name = 7")
    with pytest.raises(StartError, match="SIEVE_LABELS"):
        load(str(path))
