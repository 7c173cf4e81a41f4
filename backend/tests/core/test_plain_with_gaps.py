"""Gaps: the plain text whole, one empty span where something is withheld, and no trace of what or how much."""

from hypothesis import given
from hypothesis import strategies as st

from documents import modest, text_documents
from sieve.core import markup
from sieve.core.document import Document, Spans
from sieve.core.integrate import Marker, redacted, redacted_runs
from sieve.core.plain_with_gaps import gaps
from sieve.core.separate import separate


def shown(document: Document) -> bytes:
    """The marked text that a viewer gets."""
    plain = separate(document).plain
    return markup.print_document(Document(plain, gaps(document.spans, document.size)))


@modest
@given(text_documents())
def test_it_parses_to_the_plain_stream_with_one_empty_span_for_each_run(document: Document) -> None:
    parsed = markup.parse(shown(document))
    assert parsed.content == separate(document).plain
    assert all(start == end for start, end in parsed.spans)
    # No two in one place: nothing plain lies between spans that touch, so they are one run.
    assert len({start for start, _ in parsed.spans}) == len(parsed.spans)
    markers = sum(isinstance(run, Marker) for run in redacted_runs(document.spans, document.size))
    assert len(parsed.spans) == markers


@modest
@given(text_documents())
def test_a_gap_is_where_the_redacted_edition_has_its_marker(document: Document) -> None:
    parsed = markup.parse(shown(document))
    pieces, at = [], 0
    for start, _ in parsed.spans:
        pieces += [parsed.content[at:start], b"[...]"]
        at = start
    whole = b"".join([*pieces, parsed.content[at:]])
    assert whole == redacted(document.spans, document.size, parsed.content, b"[...]")


@modest
@given(text_documents(), st.data())
def test_it_is_the_same_whatever_is_hidden_and_however_it_is_parted(document: Document, data: st.DataObject) -> None:
    content, spans, at = b"", [], 0
    plain = separate(document).plain
    for start, _ in gaps(document.spans, document.size):
        content += plain[at:start]
        at = start
        for hidden in data.draw(st.lists(st.text(max_size=5), min_size=1, max_size=3)):
            spans.append((len(content), len(content) + len(hidden.encode())))
            content += hidden.encode()
    other = Document(content + plain[at:], spans)
    assert shown(other) == shown(document)


def test_examples() -> None:
    assert shown(markup.parse(b"Gate <$S>7714<$E><$S>B<$E>, pier <$S><$E>3")) == b"Gate <$S><$E>, pier <$S><$E>3"
    assert shown(markup.parse(b"<$S>all<$E>")) == b"<$S><$E>"
    assert shown(markup.parse(b"a <<$S>x<$E>$S> b")) == b"a <<$S><$E>$S> b"
    assert list(gaps(Spans.EMPTY, 5)) == []
