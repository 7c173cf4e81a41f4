"""Marked text and documents are two forms of one thing; what is neither is refused with line and column."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import cuts, marked_texts, modest, parse_pieces, pieces, text_documents, texts
from sieve.core import markup
from sieve.core.document import Document, Segment, Spans
from sieve.core.errors import MarkupError, NotUtf8, SpanError, StreamMismatch
from sieve.core.markup import MarkupFault, MarkupParser, MarkupPrinter, parse, print_document


def print_pieces(document: Document, fed: list[bytes]) -> bytes:
    printer = MarkupPrinter(document.spans, document.size)
    return b"".join(map(printer.feed, fed)) + printer.close()


def outcome(fed: list[bytes]) -> Document | str:
    try:
        return parse_pieces(fed)
    except MarkupError as error:
        return str(error)


def plainly_parsed(marked: str) -> Document | tuple[int, int]:
    """The same language told in another way: over a whole string, one tag after the other."""
    content, at = b"", 0
    spans: list[tuple[int, int]] = []
    start: int | None = None
    opened = (0, 0)
    for tag in re.finditer(r"<\$([SE])>", marked):
        before = marked[: tag.start()]
        place = before.count("\n") + 1, len(before) - before.rfind("\n")
        content += re.sub(r"<\$(\$+[SE]>)", r"<\1", marked[at : tag.start()]).encode()
        at = tag.end()
        if (tag[1] == "S") == (start is not None):
            return place
        if start is None:
            start, opened = len(content), place
        else:
            spans.append((start, len(content)))
            start = None
    content += re.sub(r"<\$(\$+[SE]>)", r"<\1", marked[at:]).encode()
    return opened if start is not None else Document(content, spans)


@modest
@given(text_documents())
def test_a_printed_document_parses_to_itself(document: Document) -> None:
    assert parse(print_document(document)) == document


@modest
@given(marked_texts())
def test_a_parsed_text_prints_to_itself(marked: bytes) -> None:
    assert print_document(parse(marked)) == marked


@modest
@given(texts)
def test_any_text_is_read_as_the_plain_reading_says(marked: str) -> None:
    expected = plainly_parsed(marked)
    if isinstance(expected, Document):
        assert parse(marked.encode()) == expected
        return
    with pytest.raises(MarkupError) as caught:
        parse(marked.encode())
    assert (caught.value.line, caught.value.column) == expected


@modest
@given(st.data(), marked_texts() | texts.map(str.encode))
def test_pieces_do_not_matter_to_the_parser(data: st.DataObject, marked: bytes) -> None:
    spoilt = data.draw(st.sampled_from([b"", b"\xff", b"\xc3", b"\xf0\x9f\x98"]))
    at = data.draw(st.integers(0, len(marked)))
    marked = marked[:at] + spoilt + marked[at:]
    assert outcome(data.draw(cuts(marked))) == outcome([marked])
    assert outcome(pieces(marked, range(1, len(marked)))) == outcome([marked])


@modest
@given(st.data(), text_documents())
def test_pieces_do_not_matter_to_the_printer(data: st.DataObject, document: Document) -> None:
    expected = print_document(document)
    assert print_pieces(document, data.draw(cuts(document.content))) == expected
    assert print_pieces(document, pieces(document.content, range(1, document.size))) == expected


def test_empty_and_touching_spans_stay_apart() -> None:
    marked = b"<$S><$E>a<$S>b<$E><$S><$E><$S>c<$E><$S><$E>"
    document = parse(marked)
    assert document.content == b"abc"
    assert list(document.spans) == [(0, 0), (1, 2), (2, 2), (2, 3), (3, 3)]
    assert print_document(document) == marked


def test_a_literal_tag_cut_by_a_span_stays_as_it_is() -> None:
    document = Document(b"<$S> <$$E>", [(2, 7)])
    assert print_document(document) == b"<$<$S>S> <$<$E>$E>"
    assert parse(print_document(document)) == document


def test_a_hundred_thousand_spans() -> None:
    unit = "<$S>😀<$$$E>\r\n<$E>\0é<$$S>".encode()
    document = parse(unit * 100_000)
    assert len(document.spans) == 100_000
    assert print_document(document) == unit * 100_000


def test_the_position_of_a_fault_far_into_a_long_text() -> None:
    lines = 30_000
    with pytest.raises(MarkupError) as refused:
        parse("<$S>å\nb<$E>ø\n".encode() * lines + "ååå<$E>".encode())
    assert (refused.value.line, refused.value.column) == (2 * lines + 1, 4)


def test_one_span_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_SPANS", 1000)  # a million take seconds of the processor's time
    parser = MarkupParser()
    for _ in range(100):
        parser.feed(b"<$S><$E>" * 10)
    with pytest.raises(MarkupFault) as caught:
        parser.feed(b"\n<$S>")
    error = caught.value.located(lambda plain, classified: plain + classified)
    assert str(error).startswith("line 2, column 1: <$S> opens one span more than the 1000 ")


def test_an_endless_tag_is_not_held_back() -> None:
    parser = MarkupParser()
    parser.feed(b"<$S><")
    for _ in range(5):
        assert 99_990 < sum(len(segment.data) for segment in parser.feed(b"$" * 100_000)) < 100_010
    assert parser.feed(b"E>") == [Segment(True, b"E>")]
    parser.feed(b"<$E>")
    assert parser.close() == []
    assert parser.spans.classified_size == 1 + 500_000 - 1 + 2


def test_spans_are_known_in_the_end() -> None:
    with pytest.raises(RuntimeError):
        _ = MarkupParser().spans


def test_the_printer_refuses_spans_inside_a_code_point() -> None:
    document = Document("né".encode(), [(0, 2)])
    for fed in ([document.content], pieces(document.content, [1, 2])):
        with pytest.raises(SpanError, match="span 1 ends inside a character"):
            print_pieces(document, fed)


def test_the_printer_refuses_what_is_not_text() -> None:
    with pytest.raises(NotUtf8) as caught:
        print_document(Document(b"ok\nn\xff", [(0, 1)]))
    assert (caught.value.line, caught.value.column) == (2, 2)
    with pytest.raises(NotUtf8):
        print_document(Document(b"\xc3"))


def test_the_printer_wants_all_of_the_content_and_no_more() -> None:
    printer = MarkupPrinter(Spans.EMPTY, 2)
    printer.feed(b"a")
    with pytest.raises(StreamMismatch, match="ends after 1 of 2 bytes"):
        printer.close()
    with pytest.raises(StreamMismatch, match="longer than the 2 bytes"):
        printer.feed(b"bc")
    with pytest.raises(SpanError):
        MarkupPrinter(Spans.of([(0, 3)]), 2)
