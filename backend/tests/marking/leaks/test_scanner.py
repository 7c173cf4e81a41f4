"""What the leak scanner finds and where, and when it finds nothing."""

import re
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.marking.errors import TooManyHits
from sieve.marking.leaks import Finding, Findings, check, occurrences, scanner, term_collection
from sieve.marking.leaks.finding import GAP, HIDDEN, LIMIT, NAME, PHRASE_KINDS, POLICY, SENT, SUGGESTION

modest = settings(max_examples=examples(50), deadline=None)


def document(marked: str, address: str = "text", hidden: str = "") -> tuple[Unit, list[Mark]]:
    """A unit from a text with ⟦ and ⟧ around what is marked."""
    text, marks, start = "", [], 0
    for token in re.split("([⟦⟧])", marked):
        if token == "⟦":
            start = len(text)
        elif token == "⟧":
            marks.append(Mark(address, start, len(text)))
        else:
            text += token
    return Unit(address, text, "text", hidden), marks


def found(marked: str, *, name: str = "", kinds: tuple[str, ...] = PHRASE_KINDS) -> list[tuple[str, str]]:
    unit, marks = document(marked)
    findings = check([unit], marks, name=name)
    return [(finding.kind, unit.text[finding.start : finding.end]) for finding in findings if finding.kind in kinds]


_WORDS = ["Ida", "Halvorsen", "ida", "HALVORSEN", "Halvor", "sen", "Operation", "North", "Wind", "wind", "ONW", "1,250"]
_WORDS += [
    "1250",
    "000",
    "2026-11-21",
    "21 November 2026",
    "yes",
    "B",
    "été",
    "ete",
    "漢字",
    "漢",
    "\u00ad",
    "-\n",
    "\n",
]
_JOINTS = ["", " ", " ", " ", ", ", ". ", "-"]
texts = st.lists(st.tuples(st.sampled_from(_WORDS), st.sampled_from(_JOINTS)), max_size=20).map(
    lambda words: "".join(word + joint for word, joint in words)
)


@st.composite
def units_with_marks(draw: st.DrawFn) -> tuple[list[Unit], list[Mark]]:
    units, marks = [], []
    for number in range(draw(st.integers(1, 3))):
        text = draw(texts)
        address = f"p/{number}"
        units.append(Unit(address, text, "paragraph", draw(st.sampled_from(["", "", "a comment"]))))
        edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
        marks += [Mark(address, start, end) for start, end in zip(edges[::2], edges[1::2], strict=False)]
        if draw(st.integers(0, 9)) == 0:
            marks.append(Mark(address))
    return units, marks


def phrase_findings(findings: Findings) -> list[Finding]:
    return [finding for finding in findings if finding.kind in PHRASE_KINDS]


@given(st.lists(texts, max_size=3))
@modest
def test_without_marks_there_is_no_finding(given_texts: list[str]) -> None:
    units = [Unit(f"p/{number}", text, "paragraph") for number, text in enumerate(given_texts)]
    assert check(units, [], name="Ida Halvorsen.txt") == ()


@given(units_with_marks())
@modest
def test_marking_what_is_found_ends_it(case: tuple[list[Unit], list[Mark]]) -> None:
    units, marks = case
    for _ in range(sum(len(unit.text) for unit in units) + 1):
        findings = phrase_findings(check(units, marks))
        if not findings:
            return
        marks = [*marks, *(Mark(finding.address, finding.start, finding.end) for finding in findings)]
    pytest.fail("marking what is found does not end it")


@given(units_with_marks())
@modest
def test_a_finding_is_sorted_within_its_unit_and_outside_of_marks(case: tuple[list[Unit], list[Mark]]) -> None:
    units, marks = case
    by_address = {unit.address: unit for unit in units}
    order = {unit.address: number for number, unit in enumerate(units)}
    findings = check(units, marks)
    places = []
    for finding in findings:
        assert finding.start is not None and finding.end is not None
        unit = by_address[finding.address]
        assert 0 <= finding.start < finding.end <= len(unit.text)
        # Suggestions are below all findings.
        places.append((finding.kind == SUGGESTION, order[finding.address], finding.start, finding.end))
        covered = {
            at
            for mark in marks
            if mark.address == unit.address
            for at in range(mark.start or 0, len(unit.text) if mark.end is None else mark.end)
        }
        inside = covered & set(range(finding.start, finding.end))
        assert not inside if finding.kind in (*PHRASE_KINDS, GAP) else len(inside) < finding.end - finding.start
    assert places == sorted(places)


@given(units_with_marks(), st.sampled_from(["", "Nothing of this is there. ", "Ça va 😀.\n"]))
@modest
def test_text_put_before_moves_what_is_found(case: tuple[list[Unit], list[Mark]], inserted: str) -> None:
    units, marks = case[0], [mark for mark in case[1] if mark.start is not None]
    first, by = units[0].address, len(inserted) + 1
    moved = [Unit(first, f"{inserted}\n{units[0].text}", "paragraph", units[0].hidden), *units[1:]]
    moved_marks = [
        Mark(first, (mark.start or 0) + by, (mark.end or 0) + by) if mark.address == first else mark for mark in marks
    ]

    def places(findings: Findings, by: int) -> list[tuple[str, str, int, int]]:
        return [
            (f.kind, f.address, (f.start or 0) + by * (f.address == first), (f.end or 0) + by * (f.address == first))
            for f in phrase_findings(findings)
        ]

    assert places(check(moved, moved_marks), 0) == places(check(units, marks), by)


@pytest.mark.parametrize(
    "otherwise",
    [
        "Ida Halvorsen",
        "IDA HALVORSEN",
        "ida halvorsen",
        "Ida\n  Halvorsen",
        "Ida\u00a0Halvorsen",
        "Ida Halvor\u00adsen",
        "Ida Halvor-\nsen",
        "Ida Halvor\nsen",
        "Ida Halvor\ufffe\r\nsen",
        "Ida\u200b Hal\u200dvorsen",
        "ida_halvorsen",
        "IdaHalvorsen",
        "I d a  H a l v o r s e n",
        "Іdа Наlvоrsеn",  # Cyrillic
        "Ιda Ηalvοrsen",  # Greek
        "Ｉｄａ Ｈａｌｖｏｒｓｅｎ",
        "𝐈𝐝𝐚 𝐇𝐚𝐥𝐯𝐨𝐫𝐬𝐞𝐧",
        "Ida Halvörsen",
        "Ida Halvo\u0308rsen",
        "Ida Halvorsens",
    ],
)
def test_a_phrase_is_found_however_it_is_written(otherwise: str) -> None:
    assert found(f"⟦Ida Halvorsen⟧ came, and so did {otherwise}, later.") == [("phrase", otherwise)]


def test_a_genitive_is_found_without_its_apostrophe() -> None:
    assert found("⟦Ida Halvorsen⟧ came in Ida Halvorsen’s car.") == [("phrase", "Ida Halvorsen")]


@pytest.mark.parametrize(
    ("marked", "kind", "otherwise"),
    [
        ("Ida Halvorsen", "part", "Halvorsen"),
        ("Ida Halvorsen", "part", "HALVORSEN"),
        ("Halvorsen, Ida", "part", "Ida Halvorsen"),
        ("Operation North Wind", "part", "North Wind"),
        ("Operation North Wind", "acronym", "ONW"),
        ("Operation North Wind", "acronym", "O.N.W"),
        ("the money went to Ida Halvorsen in May", "part", "Ida Halvorsen"),
        ("the money went to Ida Halvorsen in May", "part", "Halvorsen"),
        ("1,250,000", "phrase", "1250000"),
        ("1,250,000", "phrase", "1.250.000"),
        ("they paid 1,250,000 in gold", "number", "1250000"),
        ("account 4417 1234 5678 9113", "number", "4417-1234-5678-9113"),
        ("2026-11-01", "date", "1.11.2026"),
        ("2026-11-01", "date", "11/1/2026"),
        ("2026-11-01", "date", "1 November 2026"),
        ("1 November 2026", "date", "Nov 1, 2026"),
        ("1 November 2026", "date", "2026/11/01"),
        ("GB29NWBK60161331926819", "phrase", "GB29 NWBK 6016 1331 9268 19"),
        ("4417 1234 5678 9113", "number", "9113"),
        ("1,254,000", "number", "1,300,000"),
        ("1,254,000", "number", "1.25 million"),
        ("2026-11-01", "date", "1. novembre 2026"),
        ("1. März 2026", "date", "2026-03-01"),
        ("2026-11-01", "date", "1 de noviembre de 2026"),
        ("2026-11-01", "date", "1 November"),
        ("Ida Halvorsen", "part", "Halvorsn"),
        ("Ida Halvorsen", "part", "Havlorsen"),
        ("Ida Halvorsen", "part", "ihalvorsen"),
    ],
)
def test_parts_and_other_forms_of_a_phrase_are_found(marked: str, kind: str, otherwise: str) -> None:
    assert found(f"First ⟦{marked}⟧ and then the one ending in {otherwise} again.") == [(kind, otherwise)]


@pytest.mark.parametrize(
    "innocent",
    [
        "⟦together⟧ to get her, to get\nher",
        "⟦often⟧ of\nten",
        "⟦art⟧ party of the artist, ART-",
        "⟦1250⟧ 12.50 and 12:50, 21,250 and 1,250,000 and 1250.75",
        "⟦Operation North Wind⟧ the wind from the north; the operation; onw",
        "⟦the⟧ the",
        "⟦a⟧ a b a",
        "⟦42⟧ 42",
        "⟦US⟧ tell us",
        "⟦2026-11-21⟧ in November 2026, on 12/11/2026",
        "⟦Anna Wind⟧ the wind, a wind. Wind!",
        "⟦!?⟧ !?",
        "⟦4417 1234 5678 9113⟧ room 9113, 9113 people",
        "⟦1,254,000⟧ 12.5 million, 1.2 metres, 1,254",
        "⟦2026-05-01⟧ on 1 May 2025, 1 may, 11 May",
        "⟦Ida Halvorsen⟧ halvorsn, Halvors, Alvorsen",
    ],
)
def test_what_only_resembles_a_phrase_is_left_alone(innocent: str) -> None:
    allowed = {
        "⟦art⟧ party of the artist, ART-": [("phrase", "ART")],
        "⟦Operation North Wind⟧ the wind from the north; the operation; onw": [("suggestion", "the operation")],
    }
    assert found(innocent) == allowed.get(innocent, [])


def test_a_phrase_half_marked_is_found_by_its_other_half() -> None:
    assert found("⟦Ida Halvorsen⟧; ⟦Ida⟧ Halvorsen; Ida ⟦Halvorsen⟧") == [("phrase", "Halvorsen"), ("phrase", "Ida")]


def test_marks_that_touch_are_one_phrase() -> None:
    """Formatting cuts a mark, and its pieces are no words."""
    unit = Unit("p", "Halvorsen met Halvorsen; sen and Halvor did not", "paragraph")
    findings = check([unit], [Mark("p", 0, 6), Mark("p", 6, 9)])
    assert [(finding.start, finding.end) for finding in findings] == [(14, 23)]


def test_a_phrase_across_two_units_is_a_finding_in_each() -> None:
    units = [Unit("p/1", "Ida Halvorsen; Ida", "paragraph"), Unit("p/2", "Halvorsen left", "paragraph")]
    findings = check(units, [Mark("p/1", 0, 13)])
    assert [(f.kind, f.address, f.start, f.end) for f in findings] == [
        ("phrase", "p/1", 15, 18),
        ("phrase", "p/2", 0, 9),
    ]
    assert len({finding.group for finding in findings}) == 1


def test_digits_of_two_cells_are_no_number() -> None:
    units = [Unit("row/1/a", "1250", "cell"), Unit("row/2/a", "12", "cell"), Unit("row/2/b", "50", "cell")]
    assert check(units, [Mark("row/1/a")]) == ()


def test_a_whole_address_covers_what_it_names() -> None:
    units = [Unit(f"row/{row}/{column}", f"{column} {row}", "cell", "hidden text") for row in (1, 2) for column in "ab"]
    assert [f.address for f in check(units, [Mark("column/a")])] == ["row/1/b", "row/2/b"]
    assert [f.address for f in check(units, [Mark("row/1")])] == ["row/2/a", "row/2/b"]
    assert check(units, [Mark("row/1"), Mark("row/2")]) == ()


def test_the_heading_of_a_column_that_is_marked_is_neither_marked_nor_a_phrase() -> None:
    units = [Unit("row/0/note", "note", "header"), Unit("row/0/Ida Berg", "Ida Berg", "header")]
    units += [Unit("row/1/note", "Ida Berg", "cell"), Unit("row/1/Ida Berg", "takes a note", "cell")]
    assert [f.address for f in check(units, [Mark("column/note"), Mark("column/Ida Berg")])] == ["row/0/Ida Berg"]


def test_findings_of_a_phrase_share_a_group_and_differ_from_others() -> None:
    unit, marks = document("⟦Ida Halvorsen⟧ ⟦Ole Moe⟧. Ida Halvorsen, IDA HALVORSEN, ole moe")
    groups = [finding.group for finding in check([unit], marks)]
    assert groups[0] == groups[1] != groups[2]


@pytest.mark.parametrize("name", ["Ida_Halvorsen.docx", "ida halvorsen (2).txt", "halvorsen.pdf"])
def test_the_name_of_the_document_is_checked(name: str) -> None:
    assert [kind for kind, _ in found("⟦Ida Halvorsen⟧ came", name=name, kinds=(NAME,))] == [NAME]


def test_hidden_content_is_found_until_it_is_marked() -> None:
    unit = Unit("comments/1", "  Ask Ole first. ", "comment", "a comment")
    (finding,) = check([unit], [])
    assert (finding.kind, finding.start, finding.end, finding.group) == (HIDDEN, 2, 15, "a comment")
    assert check([unit], [Mark("comments/1")]) == ()
    assert check([unit], [Mark("comments/1", 2, 15)]) == ()


def test_hidden_texts_that_one_mark_classifies_are_one_finding_while_nothing_is_marked() -> None:
    units = [
        *(Unit(f"header/{name}", f"{name} value", name, f"the header field {name}") for name in ("X-A", "X-B", "X-C")),
        Unit("attachment/1/comments/1", "Ask Ole", "comment", "a comment"),
        Unit("text/p1", "Ask Ole", "paragraph"),
    ]

    def plain_with(marks: Sequence[Mark]) -> Callable[[str], bool]:
        return lambda address: not marks or address.startswith("attachment/")

    several, single = check(units, [], plain_with=plain_with)
    assert (several.kind, several.address, several.start, several.end) == (HIDDEN, "header/X-A", 0, 9)
    assert several.sentence == (
        "“X-A value” (the header field X-A) and 2 other texts that readers may not see would travel plain;"
        " marking it classifies all of them"
    )
    assert single.address == "attachment/1/comments/1"
    # The promise of the sentence.
    marks = [Mark(several.address)]
    assert [one.address for one in check(units, marks, may_be_plain=plain_with(marks), plain_with=plain_with)] == [
        single.address
    ]


def test_hidden_things_without_text_are_found_until_they_are_marked() -> None:
    units = [Unit("word/embeddings/a.bin", "", "part", "an embedded part"), Unit("word/media/b.png", "", "picture")]
    (finding,) = check(units, [])
    assert (finding.kind, finding.address, finding.start, finding.end) == (HIDDEN, units[0].address, None, None)
    assert check(units, [Mark("word/embeddings/a.bin")]) == ()
    assert check(units, [Mark("word/embeddings")]) == ()


@pytest.mark.parametrize(
    ("marked", "beside"),
    [
        ("He met Hal⟦vorsen⟧.", ["Hal"]),
        ("Two ⟦Halvorsen⟧ists met.", ["ists"]),
        ("Did he pay? The answer is ⟦yes⟧. Good.", ["The answer is"]),
        ("The grade was ⟦B⟧.", ["The grade was"]),
        ("He came. Is he guilty? ⟦yes⟧. So.", ["Is he guilty"]),
        ("Guilty?\n ⟦No⟧", ["Guilty"]),
        ("He is guilty. ⟦No⟧.", []),
        ("Level ⟦3⟧ of five\nnext", ["Level", "of five"]),
        ("⟦Yes⟧.", []),
        ("It was ⟦Ida Halvorsen⟧.", []),
        ("漢⟦字⟧漢", ["漢", "漢"]),
    ],
)
def test_text_that_gives_a_gap_away_is_found(marked: str, beside: list[str]) -> None:
    assert [text for _, text in found(marked, kinds=(GAP,))] == beside
    unit, marks = document(marked)
    marks += [Mark("text", f.start, f.end) for f in check([unit], marks) if f.kind == GAP]
    assert not [finding for finding in check([unit], marks) if finding.kind == GAP]


def test_the_little_that_is_left_of_a_document_is_found() -> None:
    secret = "nothing of this may be read by anybody, no matter who " * 10
    assert found(f"⟦{secret}⟧ and ⟦{secret}⟧.", kinds=(GAP,)) == [(GAP, "and")]


def test_what_the_policy_would_mark_is_found_where_it_is_plain() -> None:
    unit, marks = document("call ⟦555⟧ 0100 now")
    (finding,) = check([unit], marks, policy=[Mark("text", 5, 13, rule="phones/1", reason="numbers of people")])
    assert (finding.kind, finding.start, finding.end, finding.group) == (POLICY, 9, 13, "phones/1")
    assert "phones/1" in finding.sentence and "numbers of people" in finding.sentence


def test_a_known_file_ending_is_no_finding() -> None:
    marked = "By the ⟦ReportLab PDF Library⟧."
    assert found(marked, name="report.PDF", kinds=(NAME,)) == []
    for name in ("pdf library.pdf", "pdf", "a.pdf.bak", "library"):
        assert found(marked, name=name, kinds=(NAME,)), name


def test_a_policy_may_name_more_than_a_unit() -> None:
    units = [Unit("row/1/pay", "12", "cell"), Unit("row/2/pay", "13", "cell")]
    hit = Mark("column/pay", rule="pay/1")
    (finding,) = check(units, [Mark("row/1")], policy=[hit])
    assert (finding.address, finding.start, finding.end) == ("column/pay", None, None)
    assert check(units, [Mark("row/1"), Mark("row/2")], policy=[hit]) == ()
    picture = Mark("word/media/image1.png", rule="all/1")
    units.append(Unit("word/media/image1.png", "", "picture"))
    assert [f.kind for f in check(units, [], policy=[picture])] == [POLICY]
    assert check(units, [Mark("word/media/image1.png")], policy=[picture]) == ()


def test_what_was_sent_plain_before_is_found_at_its_mark() -> None:
    unit, marks = document("⟦Ida Halvorsen⟧ and ⟦Ole Moe⟧ met")
    (finding,) = check([unit], marks, earlier=["Somebody and ole  MOE met"])
    assert (finding.kind, finding.start, finding.end) == (SENT, 18, 25)
    assert check([unit], marks, earlier=["Somebody and somebody met"]) == ()


def test_nothing_of_a_finding_is_in_its_repr() -> None:
    unit, marks = document("⟦Ida Halvorsen⟧; Halvorsen")
    assert repr(check([unit], marks)) == "(<Finding: part>,)"


def test_what_is_too_much_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    unit, marks = document("⟦secret⟧ " + "secret " * 20)
    monkeypatch.setattr(scanner, "MAX_OF_A_KIND", 5)
    kinds = [finding.kind for finding in check([unit], marks)]
    assert kinds == ["phrase"] * 5 + [LIMIT]
    monkeypatch.setattr(occurrences, "MAX_HITS", 3)
    assert [f.kind for f in check([unit], marks)][-1] == LIMIT
    monkeypatch.setattr(term_collection, "MAX_TERMS", 1)
    unit, marks = document("⟦secret⟧ ⟦other⟧")
    assert [f.kind for f in check([unit], marks)] == [LIMIT]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("a b " * 20_000, [Mark("text", 4 * at, 4 * at + 1) for at in range(20_000)]),
        ("a" * 20_000, [Mark("text", 300 * at, 301 * at) for at in range(60)]),
        ("word " * 20_000, [Mark("text", 0, 100_000)]),
        ("word " * 20_000, [Mark("text", at, 100_000 - at) for at in range(20_000)]),
        ("Ida" + "\u00ad" * 50_000 + "x", [Mark("text", 0, 3)]),
        ("ab " + ("a" + " " * 5_000 + "b ") * 20, [Mark("text", 0, 2)]),
        ("1 2 3 4 5 6 7 8 9 " * 5_000, [Mark("text", 0, 80_000)]),
        ("\ud800Ida \udfff Ida", [Mark("text", 1, 4)]),
        ("", [Mark("text"), Mark("nowhere", 3, 9), Mark("text", 5, 9)]),
    ],
)
def test_hostile_input_is_borne(text: str, marks: list[Mark]) -> None:
    findings = check([Unit("text", text, "text")], marks, name=text[:1000])
    assert len(findings) <= 6 * scanner.MAX_OF_A_KIND + 10


def test_what_hides_is_no_finding_where_it_travels_classified() -> None:
    units = [
        Unit("info/Title", "A memo", "property", "a property"),
        Unit("word/embeddings/a.bin", "", "part", "an embedded part"),
        Unit("text", "A memo", "paragraph", "hidden text"),
    ]
    found = check(units, [], may_be_plain=lambda address: address == "text")
    assert [(finding.kind, finding.address) for finding in found] == [(HIDDEN, "text")]


def test_a_policy_that_hits_too_often_does_not_stop_the_check() -> None:
    def hits() -> Iterator[Mark]:
        yield Mark("text", 0, 3, rule="names/1#1")
        raise TooManyHits(Sentence("test", "there are too many"))

    found = check([Unit("text", "Ida met us", "text")], [], policy=hits())
    assert [(finding.kind, finding.start, finding.sentence) for finding in found][1:] == [
        (LIMIT, None, "there are too many")
    ]
    assert found[0].kind == POLICY


def test_what_travels_classified_without_a_mark_has_no_findings() -> None:
    """Bookmarks and properties of a PDF with a mark travel classified, whatever they contain."""
    body, marks = document("⟦Ida Halvorsen⟧ met us.", "page/1")
    units = [body, Unit("info/Title", "Ida Halvorsen, Orion", "title", "a property")]
    policy = [Mark("info/Title", 15, 20, rule="p/1#1"), Mark("info/Title", rule="p/1#2")]

    def kinds(*, plain: bool) -> list[str]:
        return [one.kind for one in check(units, marks, policy=policy, may_be_plain=lambda address: plain)]

    assert kinds(plain=False) == []
    assert sorted(kinds(plain=True)) == ["hidden", "phrase", "policy", "policy"]
