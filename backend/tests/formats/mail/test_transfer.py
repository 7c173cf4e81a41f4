"""Bodies of mails in their transfer encodings."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.formats.mail.transfer import body, encoded


@given(st.binary(max_size=300), st.sampled_from(["quoted-printable", "base64"]), st.sampled_from([b"\n", b"\r\n"]))
def test_a_file_is_the_same_after_its_encoding(data: bytes, encoding: str, line_end: bytes) -> None:
    made = encoded(data, encoding, line_end, is_text=False)
    assert body(made, 0, len(made), encoding).data == data
    assert b"\n" not in made.replace(line_end, b"")
    assert not any(line.startswith(b"--") for line in made.splitlines())
