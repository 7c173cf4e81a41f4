"""The invariants of a format, for web pages."""

import base64
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import plain_stream
from office_files import flat, png
from picture_files import drawn
from picture_files import png as drawn_png
from sieve.core.errors import SieveError
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace, Unsupported
from sieve.formats.html.reading import HtmlReading
from sieve.formats.html.tokens import tokens
from sieve.formats.pictures.metadata import without_metadata
from sieve.formats.reading import read, redact
from sieve.marking.leaks import check

SECRET = "XQZVK PLMRT"
PLACES = {
    "title": "<title>About {}</title>",
    "attribute": '<p title="About {}">Shown.</p>',
    "alternative text": '<p>A picture: <img src="a.png" alt="{}"></p>',
    "link": "<p>A <a href='https://files.example/{}'>link</a></p>",
    "anchor": '<h2 id="{slug}">A heading</h2>',
    "meta": '<meta name="description" content="{}">',
    "comment": "<!-- {} -->",
    "conditional comment": "<![if !mso]><p>Shown</p><!-- {} --><![endif]>",
    "script": "<script>var who = '{}';</script>",
    "style sheet": "<style>p::before {{ content: '{}' }}</style>",
    "class": '<p class="{slug}">Shown.</p>',
    "style": "<p style=\"font-family: '{}'\">Shown.</p>",
    "hidden element": "<div hidden>{}</div>",
    "hidden by style": '<p>Shown <span style="display: none">{}</span> again</p>',
    "template": "<template><p>{}</p></template>",
    "value": '<form><input value="{}"><textarea>{}</textarea></form>',
    "copy": "<ul><li>Again: {}.</li></ul>",
    "copy in pieces": "<p>Again: <b>XQ</b>ZVK&nbsp;PL&shy;MRT.</p>",
    "copy as references": "<p>Again: {references}.</p>",
    "frame": "<iframe srcdoc='<p>{}</p>'>{}</iframe>",
    "unknown element": "<x-card data-who='{}'>{}</x-card>",
    "processing instruction": "<?php echo '{}' ?>",
    "document type": "<!DOCTYPE note [<!ENTITY who '{}'>]>",
    "drawing": "<svg><title>{}</title><desc>{}</desc><text x='1'>{}</text></svg>",
    "copy around a script": "<p>Again: XQ<script>1</script>ZVK<meta itemprop=a> PLMRT.</p>",
    "copy with zeros": "<p>Again: XQ\0ZVK PL\0MRT.</p>",
    "raw text in a drawing": "<svg><xmp>&#88;QZVK PLMRT</xmp><textarea>XQ<b></b>ZVK PLMRT</textarea></svg>",
    "tag that never ends": "<p>The end.</p><p title='{}",
}
few = settings(max_examples=20, deadline=None)
secrets = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9}){0,3}", fullmatch=True)


def page(secret: str, *places: str) -> bytes:
    slug = secret.lower().replace(" ", "-")
    references = "".join(f"&#{ord(character)};" for character in secret)
    said = "\n".join(PLACES[place].format(secret, secret, secret, slug=slug, references=references) for place in places)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"></head><body>\n'
        f"<p>The green hills lie open.</p>\n<p>The code is <b>{secret}</b>, said Zoë.</p>\n"
        f"<p>The ferry goes <i>twice</i> a day.</p>\n{said}</body></html>\n"
    ).encode()


def marks(data: bytes, secret: str = SECRET) -> list[Mark]:
    unit = next(unit for unit in HtmlReading(data).units() if unit.text.startswith("The code is "))
    return [Mark(unit.address, 12, 12 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(HtmlReading(data), data, given_marks)


@pytest.mark.parametrize("place", PLACES)
def test_no_place_reveals_the_secret(place: str) -> None:
    data = page(SECRET, place)
    plain = plain_of(data, marks(data)).decode()
    assert "<p>The ferry goes <i>twice</i> a day.</p>" in plain
    edition = redact(HtmlReading(data), marks(data)).decode()
    assert "The green hills lie open." in edition
    assert "The code is █████, said Zoë." in edition
    for said in (plain, edition):
        assert "xqzvk" not in flat(said).lower()
        assert "plmrt" not in flat(said).lower()


@few
@given(secrets, secrets, st.sets(st.sampled_from(sorted(PLACES)), max_size=4))
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, places: set[str]) -> None:
    first, second = page(one, *places), page(other, *places)
    assert plain_of(first, marks(first, one)) == plain_of(second, marks(second, other))


def test_line_ends_of_a_marked_block_travel_classified() -> None:
    """Programs break the lines of a paragraph by its length."""
    short, long = "<p>Ask\nTom now</p>\n<p>The end.</p>", "<p>Ask Tom\nReed\nnow</p>\n<p>The end.</p>"
    plain = [plain_of(data.encode(), [Mark("text/p1", 4, end)]) for data, end in ((short, 7), (long, 12))]
    assert plain == [b"<p></p>\n<p>The end.</p>"] * 2


def test_attributes_around_a_mark_travel_classified() -> None:
    data = b'<table><tr class="late"><td class="negative">-17,000<td>paid</tr><tr class="b"><td>x</table>'
    assert plain_of(data, [Mark("text/p1")]) == b'<table><td>paid</tr><tr class="b"><td>x</table>'


def test_nothing_is_plain_if_all_text_is_marked() -> None:
    data = page(SECRET)
    assert plain_of(data, [Mark("text")]) == b""
    assert HtmlReading(data).spans([]).classified_size == 0


def test_units_are_what_a_reader_sees_and_what_is_hidden() -> None:
    data = (
        b"<title>T &amp; U</title><h1>A<br> B</h1><pre>\n a\r\n  b</pre>"
        b"<table><thead><tr><th colspan=2>H</thead><tr><td rowspan=2>1<td>2<tr><td>3</table>a<span hidden>x</span>b"
    )
    units = [*HtmlReading(data).units()]
    assert [(unit.address, unit.text, unit.kind) for unit in units] == [
        ("title", "T & U", "title"),
        ("text/p1", "A\nB", "heading"),
        ("text/p2", " a\n  b", "paragraph"),
        ("text/p3", "H", "table cell"),
        ("text/p4", "1", "table cell"),
        ("text/p5", "2", "table cell"),
        ("text/p6", "3", "table cell"),
        ("text/p7", "ab", "paragraph"),
        ("text/p7/hidden", "x", "hidden text"),
    ]
    cells = [unit.cells[0] for unit in units if unit.cells]
    assert [(cell.row, cell.column, cell.rows, cell.columns) for cell in cells] == [
        (0, 0, 1, 2),
        (1, 0, 2, 1),
        (1, 1, 1, 1),
        (2, 1, 1, 1),
    ]


def test_cells_in_cells_stay_few() -> None:
    units = [*HtmlReading(b"<table><td>x" * 1_000).units()]
    assert max(len(unit.cells) for unit in units) == 8


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("", "utf-8"), ("", "cp1252"), ("windows-1251", "cp1251"), ("Shift_JIS", "cp932"), ("", "utf-16")],
)
def test_positions_fit_the_bytes_in_any_encoding(declared: str, encoding: str) -> None:
    said = {"cp1251": "Зина", "cp932": "東京"}.get(encoding, "Zoë")
    meta = f"<meta charset={declared}>" if declared else ""
    data = f"{meta}<p>{said} one</p><p>two {said}</p><p>{said} three</p>".encode(encoding)
    plain = plain_of(data, [Mark("text/p2")])
    assert f"<p>{said} one</p><p></p><p>{said} three</p>" in plain.decode(encoding.replace("16", "16-le"))


def test_a_wrong_encoding_is_refused() -> None:
    with pytest.raises(Damaged, match="save it again as UTF-8"):
        read("a.html", b"<meta charset=utf-8><p>\xff</p>")
    with pytest.raises(Unsupported, match="save it again as UTF-8"):
        read("a.html", b"<meta charset=iso-2022-jp><p>a</p>")


def test_a_mark_that_does_not_fit_is_refused() -> None:
    reading = HtmlReading(page(SECRET))
    for mark in (Mark("text/p9"), Mark("text/p1", 0, 99), Mark("text", 0, 1), Mark("p1")):
        with pytest.raises(UnknownPlace):
            reading.spans([mark])


def test_the_edition_keeps_pictures_within_the_page_without_metadata() -> None:
    picture = png(packed=b"a small picture")
    data = page(SECRET) + b'<img src="data:image/png;base64,' + base64.b64encode(picture) + b'">'
    assert b"data:image/png;base64," in redact(HtmlReading(data), marks(data))
    assert redact(HtmlReading(data), []) == data


@pytest.mark.parametrize(
    ("body", "mark", "keeps_other"),
    [
        ('<p><img alt="a view" src="{}"></p><p>text</p>', Mark("text/a1"), True),
        ('<p>text <img alt="a view" src="{}"></p>', Mark("text/a1", 2, 6), True),
        ('<p>text <img title="a view" src="{}"></p>', Mark("text/a1"), True),
        ('<p>text <img src="{}"></p><p>more</p>', Mark("text/p1", 0, 2), True),
        ('<p><img alt="a view" src="{}"></p><p>text</p><p><img src="{}"></p>', Mark("text/a1"), True),
        ('<p>text</p><p><img src="{}"></p><p>more</p>', Mark("text"), False),
    ],
)
def test_the_edition_has_no_picture_of_a_marked_place_or_with_a_marked_description(
    body: str, mark: Mark, keeps_other: bool
) -> None:
    marked, other = (base64.b64encode(drawn_png(drawn(seed))).decode() for seed in (1, 2))
    last = f"<p>last <img src='data:image/png;base64,{other}'></p>"
    page = body.replace("{}", f"data:image/png;base64,{marked}") + last
    edition = redact(HtmlReading(page.encode()), [mark])
    kept = [base64.b64decode(found) for found in re.findall(rb'base64,([^"]*)"', edition)]
    assert kept == [without_metadata(base64.b64decode(other))] * keeps_other


def test_hidden_text_is_no_leak_since_it_never_travels_plain() -> None:
    data = page(SECRET, "comment", "copy")
    reading = HtmlReading(data)
    chosen = marks(data)
    found = check([*reading.units()], chosen, may_be_plain=reading.plain_places(chosen))
    assert {finding.address for finding in found} == {"text/p4"}
    assert not reading.in_plain_stream(chosen)("text/p4")
    assert reading.in_plain_stream(chosen)("text/p1")


PIECES = (
    *("<", ">", "<p", "</p>", "<!--", "-->", "<b a='", '"', "'", "=", " ", "\n", "&amp", "&#0;", "x", "<script>", "</"),
    *("<table><td>", "<!", "<?", "<title>", "</script ", "<pre>", "<br/>", "<td rowspan=9>", "ë", "<plaintext>"),
)
pieces = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@settings(max_examples=80, deadline=None)
@given(pieces)
def test_tokens_cover_every_character(source: str) -> None:
    bounds = [(token.start, token.end) for token in tokens(source)]
    assert "".join(source[start:end] for start, end in bounds) == source
    try:
        reading = HtmlReading(source.encode())
        units = reading.units()
        for unit in units[:3]:
            plain_of(source.encode(), [Mark(unit.address)])
            redact(reading, [Mark(unit.address)])
    except SieveError as error:
        assert str(error)


def test_short_names_in_classes_travel_classified() -> None:
    data = b'<p>Ask Bob now.</p><p class="bob">Blue</p><p class="row">Green</p>'
    assert plain_of(data, [Mark("text/p1", 4, 7)]) == b'<p></p>Blue</p><p class="row">Green</p>'


def test_what_every_page_says_is_no_finding() -> None:
    data = (
        b'<meta charset="utf-8"><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta'
        b' name="viewport" content="width=device-width, initial-scale=1"><p>Hello'
    )
    assert [unit.address for unit in HtmlReading(data).units()] == ["text/p1"]


@pytest.mark.parametrize("page", ["<p>" * 9, "<p a b c d e f g h i>Hello"])
def test_too_many_tags_and_attributes_are_refused(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.formats.html.tokens.MAX_TOKENS", 8)
    with pytest.raises(TooLarge, match="the page has more than 8 tags and attributes; classify the whole file"):
        HtmlReading(page.encode())
    assert HtmlReading(b"<p a b c d e f>Hello").units()
