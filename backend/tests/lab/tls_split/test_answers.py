"""The worker's HTTP."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.tls_split.answers import MAX_DOCUMENT, MAX_HEAD, Requests, document

GET = b"GET /5 HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_document_has_its_size() -> None:
    (answer,) = Requests().receive(GET)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\n" + document(5))
    assert len(document(12345)) == 12345


@given(st.integers(0, 3 * len(GET)), st.integers(1, 3))
def test_requests_are_answered_however_they_are_cut(at: int, count: int) -> None:
    requests, text = Requests(), GET * count
    assert requests.receive(text[:at]) + requests.receive(text[at:]) == [*Requests().receive(GET)] * count
    assert not requests.is_over


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"POST /5 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", b"405"),
        (b"GET /5 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", b"405"),
        (b"GET /5 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"405"),
        (b"GET /five HTTP/1.1\r\n\r\n", b"404"),
        (b"GET /%d HTTP/1.1\r\n\r\n" % (MAX_DOCUMENT + 1), b"404"),
        (b"GET /5 HTTP/2\r\n\r\n", b"505"),
        (b"\r\n\r\n", b"505"),
        (b"x" * (MAX_HEAD + 1), b"431"),
    ],
)
def test_what_is_not_served_ends_the_connection(request_text: bytes, status: bytes) -> None:
    requests = Requests()
    (answer,) = requests.receive(request_text)
    assert answer.split(b" ")[1] == status
    assert requests.is_over
    assert requests.receive(GET) == []


@given(st.binary(max_size=200))
def test_any_bytes_have_an_answer_or_none(noise: bytes) -> None:
    assert all(answer.startswith(b"HTTP/1.1 ") for answer in Requests().receive(noise + b"\r\n\r\n"))
