"""What the author of a file reads of why bytes travel classified."""

from pathlib import Path

import pytest

from any_files import GOOD, SECRET
from office_files import docx, xlsx
from pdf_files import by_reportlab_subset
from sieve.core.units import Mark
from sieve.formats.html.reading import HIDDEN, TAGS, UNSEEN_PARTS
from sieve.formats.office import why_classified as office
from sieve.formats.pdf import why_classified as pdf
from sieve.formats.reading import read
from sieve.formats.rtf.reading import PICTURES
from sieve.formats.why_classified import MARKED_PARAGRAPHS, MOST, Classified, Tally, why_classified


def of(name: str, data: bytes, *marks: Mark) -> dict[str, Classified]:
    return {str(one.why): one for one in why_classified(read(name, data), marks)}


@pytest.mark.parametrize("name", GOOD)
def test_no_more_is_listed_than_is_classified_and_the_largest_first(name: str) -> None:
    reading = read(name, GOOD[name][1])
    assert why_classified(reading, []) == []
    places = [unit for unit in reading.units() if SECRET in unit.text]
    for marks in ([Mark(unit.address) for unit in places], [Mark(places[0].address)] if places else []):
        listed = why_classified(reading, marks)
        sizes = [one.size for one in listed]
        assert sizes == sorted(sizes, reverse=True)
        assert len(listed) <= MOST
        assert min(sizes, default=1) > 0
        if listed and len(listed) < MOST:
            assert sum(sizes) == reading.spans(marks).classified_size


def test_the_fonts_of_a_marked_page_are_named() -> None:
    pages = [f"Page {number} of the report on harbours, ferries and quays." for number in range(1, 6)]
    found = of("a.pdf", by_reportlab_subset(pages), Mark("page/3"))
    fonts = found[pdf.FONTS]
    assert max(found.values(), key=lambda one: one.size) is fonts
    assert fonts.largest == ("DejaVuSans",)
    assert found[pdf.MARKED].largest == ("page/3",)


def test_the_shared_texts_of_a_workbook_and_the_sheets_that_use_them_are_named() -> None:
    found = of("a.xlsx", xlsx(SECRET, ["shared", "hidden_sheet"]), Mark("sheet/Pay/B2"))
    assert found[office.SHARED_TEXTS].largest == ("xl/sharedStrings.xml",)
    assert "sheet/Hidden" in found[office.SHEETS].largest
    assert found[office.MARKED].largest == ("sheet/Pay",)


def test_what_repeats_a_marked_text_is_distinguished_from_what_is_never_plain() -> None:
    found = of("a.docx", docx(SECRET, ["header", "comment"]), Mark("word/document.xml/p2", 5, 16))
    assert "word/header1.xml" in found[office.REPEATS].largest
    assert "word/document.xml" in found[office.MARKED].largest


def test_pictures_are_distinguished_from_other_parts_of_a_file_marked_whole() -> None:
    document = (Path(__file__).parent / "samples/office/every-place.docx").read_bytes()
    found = of("a.docx", document, Mark("word/document.xml"))
    assert found[office.SHOWN].largest == ("word/media/image1.png",)


def test_a_thumbnail_counts_as_a_part_that_is_never_plain() -> None:
    document = (Path(__file__).parent / "samples/producers/libreoffice.odt").read_bytes()
    found = of("a.odt", document, Mark("content.xml/p2"))
    assert "Thumbnails/thumbnail.png" in found[office.OTHER].largest
    assert office.PICTURES not in found


def test_a_web_page_says_which_blocks_tags_and_scripts_are_classified() -> None:
    seen, other, script = "<p>The code is 7731.</p>", "<p>Grüße.</p>", "<script>start()</script>"
    link = '<a href="https://example.org/harbour">'
    page = f"<title>Codes</title>{script}{seen}{other}<p>{link}The end</a>.</p><p hidden>Not seen.</p>".encode()
    found = of("a.html", page, Mark("text/p1", 12, 16))
    assert found[MARKED_PARAGRAPHS].size == len("The code is 7731.")
    assert found[MARKED_PARAGRAPHS].largest == ("text/p1",)
    assert found[UNSEEN_PARTS].size >= len("Codes") + len("start()")
    assert found[TAGS].size >= len(link)
    assert found[HIDDEN].size == len("Not seen.")
    assert (
        sum(one.size for one in found.values()) == read("a.html", page).spans([Mark("text/p1", 12, 16)]).classified_size
    )


def test_letters_of_a_web_page_are_counted_as_its_bytes() -> None:
    page = '<meta charset="utf-8"><p>Größe ändert 7731.</p><p>Nichts.</p>'.encode()
    found = of("a.html", page, Mark("text/p1", 13, 17))
    assert found[MARKED_PARAGRAPHS].size == len("Größe ändert 7731.".encode())


def test_an_rtf_document_says_which_paragraphs_and_pictures_are_classified() -> None:
    picture = "89504e470d0a1a0a" * 20
    source = rf"{{\rtf1\ansi\pard The code is 7731.\par The end.\par{{\pict\pngblip {picture}}}\par}}".encode()
    found = of("a.rtf", source, Mark("text/p1", 12, 16))
    assert found[MARKED_PARAGRAPHS] == Classified(MARKED_PARAGRAPHS, len("The code is 7731."), ("text/p1",))
    assert found[PICTURES].size == len(picture)
    assert found[PICTURES].largest == ("picture/1",)


def test_parts_that_travel_plain_are_not_named() -> None:
    tally = Tally()
    tally.add(office.MARKED, 0, "plain.txt")
    tally.add(office.MARKED, 3, "memo.docx")
    assert tally.ranked(3, office.SHEETS) == [Classified(office.MARKED, 3, ("memo.docx",))]
