"""How a document's bytes are answered with."""

from email.message import Message
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.stored_document import PIECE, gathered
from sieve.web.downloads import Download, disposition, file_name


@given(st.lists(st.binary(max_size=30)))
def test_pieces_hold_the_same_bytes(small: list[bytes]) -> None:
    assert b"".join(gathered(iter(small))) == b"".join(small)


def test_small_pieces_become_large_ones() -> None:
    sizes = [len(piece) for piece in gathered(b"x" * 100 for _ in range(PIECE // 25))]
    assert all(PIECE <= size < PIECE + 100 for size in sizes[:-1])
    assert 0 < sizes[-1] <= PIECE


@pytest.mark.parametrize(
    ("name", "edition", "saved"),
    [
        ("memo.md", "full", "memo.md"),
        ("memo.md", "redacted", "memo.redacted.md"),
        ("memo.md", "marked", "memo.marked.md"),
        ("memo.v2.md", "plain", "memo.v2.plain.md"),
        ("memo", "redacted", "memo.redacted"),
        (".memo", "redacted", ".memo.redacted"),
    ],
)
def test_an_edition_is_not_saved_over_another(name: str, edition: Download, saved: str) -> None:
    assert file_name(name, edition) == saved


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_a_disposition_is_one_header_that_names_the_file(name: str) -> None:
    header = disposition(name)
    assert header.isascii() and header.isprintable()
    assert unquote(header.split("filename*=UTF-8''")[1]) == name
    message = Message()
    message["Content-Disposition"] = header
    assert message.get_content_disposition() == "attachment"
