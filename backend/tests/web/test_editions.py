"""How a document's bytes are answered with."""

from email.message import Message
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.stored_document import PIECE, gathered
from sieve.web.editions import disposition


@given(st.lists(st.binary(max_size=30)))
def test_pieces_hold_the_same_bytes(small: list[bytes]) -> None:
    assert b"".join(gathered(iter(small))) == b"".join(small)


def test_small_pieces_become_large_ones() -> None:
    sizes = [len(piece) for piece in gathered(b"x" * 100 for _ in range(PIECE // 25))]
    assert all(PIECE <= size < PIECE + 100 for size in sizes[:-1])
    assert 0 < sizes[-1] <= PIECE


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_a_disposition_is_one_header_that_names_the_file(name: str) -> None:
    header = disposition(name)
    assert header.isascii() and header.isprintable()
    assert unquote(header.split("filename*=UTF-8''")[1]) == name
    message = Message()
    message["Content-Disposition"] = header
    assert message.get_content_disposition() == "attachment"
