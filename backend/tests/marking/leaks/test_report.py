"""Findings as they are decided about: ids, digest, counts and excerpts."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sieve.core.sentence import Sentence
from sieve.core.units import Unit
from sieve.marking.leaks.finding import NAME, NAME_ADDRESS, PHRASE, POLICY, Finding
from sieve.marking.leaks.report import Excerpts, finding_id, tally

SAYS = Sentence("test", "s")
PLACES = st.none() | st.integers(0, 50)
FINDINGS = st.builds(
    Finding,
    st.sampled_from([PHRASE, POLICY]),
    st.text(max_size=3),
    PLACES,
    PLACES,
    st.builds(lambda text: Sentence("test", "{text}", text=text), st.text(max_size=3)),
    st.text(max_size=3),
)


@given(st.lists(FINDINGS, max_size=6), st.lists(FINDINGS, max_size=6))
def test_the_digest_is_of_these_findings_and_no_others(some: list[Finding], others: list[Finding]) -> None:
    assert (tally(some).digest == tally(others).digest) == (some == others)
    assert tally(some) == tally([replace(finding) for finding in some])


@given(FINDINGS, FINDINGS)
def test_an_id_is_of_one_finding(one: Finding, other: Finding) -> None:
    assert (finding_id(one) == finding_id(other)) == (one == other)


def test_what_is_counted() -> None:
    found = [Finding(POLICY, "text", 0, 1, SAYS, "names/1#2")] * 2 + [
        Finding(PHRASE, "text", 0, 1, Sentence("test", "Ida"), "ida")
    ]
    counted = tally(found)
    assert (counted.count, counted.kinds, counted.rules) == (3, {"phrase": 1, "policy": 2}, {"names/1#2": 2})
    assert "Ida" not in repr(counted)


@given(st.text(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_an_excerpt_is_one_short_line_that_begins_around_the_place(text: str, start: int, length: int) -> None:
    start, end = min(start, len(text)), min(start + length, len(text))
    line = Excerpts([Unit("p1", text, "paragraph")]).of(Finding(PHRASE, "p1", start, end, SAYS))
    assert len(line) < 260 and "\n" not in line
    assert " ".join(text[start : min(end, start + 160)].split()) in line


def test_excerpts_of_what_has_no_place_or_no_text() -> None:
    excerpts = Excerpts([Unit("p1", "one  two\n" * 40, "paragraph")], "ida.txt")
    assert excerpts.of(Finding(NAME, NAME_ADDRESS, 0, 3, SAYS)) == "ida.txt"
    assert excerpts.of(Finding(PHRASE, "image", None, None, SAYS)) == ""
    assert excerpts.of(Finding(PHRASE, "p1", None, None, SAYS)).startswith("one two one")


@given(FINDINGS)
def test_a_finding_survives_json(finding: Finding) -> None:
    assert Finding.from_json(json.loads(json.dumps(finding.to_json()))) == finding
