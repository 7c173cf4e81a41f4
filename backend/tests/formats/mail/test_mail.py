"""The invariants of a format, for e-mail."""

import base64
import quopri
from email import message_from_bytes
from email.policy import default

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import plain_stream
from mail_files import PUBLIC, attachments, mail
from office_files import flat, png
from sieve.core.errors import SieveError
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace
from sieve.formats.mail.reading import MailReading
from sieve.formats.reading import read, redact
from sieve.marking.leaks import check
from small_pdfs import small_pdfs

SECRET = "XQZVK PLMRT"
CODE = Mark("body/1/text/p2", 12, 12 + len(SECRET))
few = settings(max_examples=15, deadline=None)
secrets = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9}){0,12}", fullmatch=True)
ENCODINGS = ("7bit", "8bit", "quoted-printable")


def plain_of(data: bytes, marks: list[Mark]) -> bytes:
    return plain_stream(MailReading(data), data, marks)


def of_code(secret: str) -> list[Mark]:
    return [Mark("body/1/text/p2", 12, 12 + len(secret))]


def test_only_paragraphs_without_a_mark_travel_plain() -> None:
    assert plain_of(mail(SECRET), [CODE]) == f"Dear Tom,{PUBLIC}".encode()


@few
@given(secrets, secrets, st.sampled_from(ENCODINGS), st.sampled_from(ENCODINGS), st.booleans())
def test_neither_the_secret_nor_its_encoding_changes_the_plain_stream(
    one: str, other: str, first: str, second: str, is_page: bool
) -> None:
    plain = [
        plain_of(mail(secret, encoding=encoding, is_page=is_page), of_code(secret))
        for secret, encoding in ((one, first), (other, second))
    ]
    assert plain[0] == plain[1] == f"Dear Tom,{PUBLIC}".encode()


def test_letters_that_depend_on_the_encoding_travel_classified() -> None:
    text = "Zoë = a\r\nFrom here \r\n.and so on\r\n"
    header = b"Subject: a\r\nContent-Type: text/plain; charset=%b\r\nContent-Transfer-Encoding: %b\r\n\r\nXQ\r\n\r\n"
    bodies = (
        header % (b"utf-8", b"8bit") + text.encode(),
        header % (b"iso-8859-1", b"8bit") + text.encode("latin-1"),
        header % (b"utf-8", b"quoted-printable") + quopri.encodestring(text.encode()).replace(b"From", b"=46rom"),
    )
    assert {plain_of(data, [Mark("body/1/text/p1")]) for data in bodies} == {b"Zo  a\r\nrom here\r\nand so on"}


def test_a_body_in_base64_travels_classified() -> None:
    assert plain_of(mail(SECRET, encoding="base64"), [CODE]) == b""


def test_the_other_alternative_of_a_marked_text_travels_classified_and_is_in_no_edition() -> None:
    data = mail(SECRET, is_page=True)
    plain = plain_of(data, [CODE])
    assert b"<p>" not in plain
    assert plain.count(b"The ferry") == 1
    edition = message_from_bytes(redact(MailReading(data), [CODE]), policy=default)
    assert [part.get_content_type() for part in edition.walk()] == ["text/plain"]
    both = [CODE, Mark("body/2/text/p2", 12, 12 + len(SECRET))]
    assert plain_of(data, both).count(b"The ferry") == 2
    edition = message_from_bytes(redact(MailReading(data), both), policy=default)
    assert edition.get_content_type() == "multipart/alternative"


@pytest.mark.parametrize(
    "marks",
    [
        [Mark("attachment/1/word/document.xml/p2", 5, 16)],
        [Mark("attachment/2/row/1/code")],
        [Mark("attachment/2/column/code")],
        [CODE],
    ],
    ids=lambda marks: marks[0].address,
)
def test_an_attachment_that_contains_marked_text_travels_classified(marks: list[Mark]) -> None:
    data = mail(SECRET, attached=attachments(SECRET))
    reading = MailReading(data)
    plain = plain_of(data, marks)
    sent = {name: part.encode() for name, part in by_name(data).items()}
    assert {name for name, encoded in sent.items() if encoded.strip() in plain} == {"ports.csv", "quay.png"}
    assert b"film.bin" not in plain
    edition = by_name(redact(reading, marks))
    assert edition.keys() == sent.keys() - {"film.bin"}
    for name, part in edition.items():
        found = read(name, base64.b64decode(part))
        assert not any("XQZVK" in unit.text for unit in found.units())


def by_name(data: bytes) -> dict[str, str]:
    """The attachments as they are encoded."""
    parts = message_from_bytes(data, policy=default).walk()
    return {name: str(part.get_payload()) for part in parts if (name := part.get_filename())}


def test_the_edition_says_what_it_leaves_out() -> None:
    data = mail(SECRET, attached=attachments(SECRET))
    edition = redact(MailReading(data), [CODE, Mark("attachment/4"), Mark("attachment/5/name", 0, 4)])
    units = {unit.address: unit.text for unit in MailReading(edition).units()}
    assert units["body/2/text/p1"] == "Attachment 4 is left out: █████\nAttachment 5 is left out: █████.bin"
    assert units["body/1/text/p2"] == "The code is █████, said Ann."


@pytest.mark.parametrize(
    "place", ["From", "To", "Cc", "Subject", "Received", "DKIM-Signature", "X-Note", "Thread-Topic"]
)
def test_no_header_reveals_the_secret(place: str) -> None:
    data = f"{place}: About =?utf-8?q?{SECRET.replace(' ', '_')}?= today\r\n".encode() + mail(SECRET)
    units = {unit.address: unit for unit in MailReading(data).units()}
    assert units[f"header/{place}"].text == f"About {SECRET} today"
    plain, edition = plain_of(data, [CODE]), redact(MailReading(data), [CODE])
    assert flat(PUBLIC) in flat(plain.decode())
    for said in (plain, edition):
        assert b"XQZVK" not in said
        assert b"=?utf-8?q?XQ" not in said
    left = {unit.address: unit.text for unit in MailReading(edition).units()}
    assert left.get(f"header/{place}", "About █████ today") == "About █████ today"


def test_what_cannot_be_read_travels_classified_and_the_rest_is_read() -> None:
    broken = {"stray.csv": b'a,b\n"x\n', "cut.docx": b"PK\x03\x04", "cut.pdf": b"%PDF-1.7", "latin.csv": b"a\n\xff\n"}
    data = mail(SECRET, attached=broken)
    assert plain_of(data, [CODE]) == f"Dear Tom,{PUBLIC}".encode()
    opaque = [unit.address for unit in MailReading(data).units() if not unit.text]
    assert opaque == ["attachment/1", "attachment/2", "attachment/3", "attachment/4"]
    of_unknown = b"From: a@b\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\na\r\n"
    edition = redact(MailReading(of_unknown), [Mark("header/From", 0, 1)])
    assert "Text 1 is left out" in [unit.text for unit in MailReading(edition).units()]


def test_a_header_that_takes_too_long_to_decode_is_refused() -> None:
    with pytest.raises(TooLarge, match="100,000 characters"):
        read("a.eml", b"Subject: " + b"=?utf-8?q?a?= " * 8_000 + b"\r\n\r\n")


def of_parts(count: int, depth: int = 1, kind: str = "mixed", part: bytes = b"\r\nHello") -> bytes:
    """A mail with `count` parts, in `depth` parts in each other."""
    for level in range(depth):
        head = f"Content-Type: multipart/{kind}; boundary=b{level}\r\n\r\n".encode()
        line = b"\r\n--b%d" % level
        part = head + (line + b"\r\n" + part) * (1 if level else count) + line + b"--\r\n"
    return part


@pytest.mark.parametrize(
    ("bound", "within", "beyond", "refusal"),
    [
        ("MAX_PARTS", of_parts(3), of_parts(4), "the mail has more than 3 parts; classify the whole file"),
        ("MAX_DEPTH", of_parts(1, 3), of_parts(1, 4), "parts in parts more than 3 deep; classify the whole file"),
        ("MAX_FIELDS", b"X: a\r\n" * 3, b"X: a\r\n" * 4, "a header has more than 3 fields; classify the whole file"),
    ],
)
def test_too_many_parts_and_fields_are_refused(
    bound: str, within: bytes, beyond: bytes, refusal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"sieve.formats.mail.structure.{bound}", 3)
    assert read("a.eml", within).units()
    with pytest.raises(TooLarge, match=refusal):
        read("a.eml", beyond)


def test_a_mail_of_many_empty_parts_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sieve.formats.mail.structure.MAX_PARTS", 1)
    empty = b"Content-Type: multipart/alternative; boundary=c\r\n\r\n"
    [unit] = read("a.eml", b"Subject: Nothing\r\n" + of_parts(30, part=empty)).units()
    assert unit.text == "Nothing"


def test_addresses_of_fields_are_unique() -> None:
    data = b"X: a\r\nX: b\r\nX/2: c\r\nx: d\r\n\r\ntext"
    addresses = [unit.address for unit in MailReading(data).units()]
    assert len(set(addresses)) == len(addresses) == 5


def test_a_mail_in_a_mail_is_read() -> None:
    data = mail("nothing", attached={"inner.eml": mail(SECRET)})
    marks = [Mark("attachment/1/body/1/text/p2", 12, 23)]
    assert SECRET not in plain_of(data, marks).decode()
    edition = redact(MailReading(data), marks)
    units = {unit.address: unit.text for unit in MailReading(edition).units()}
    assert units["attachment/1/body/1/text/p2"] == "The code is █████, said Ann."


def test_hidden_header_fields_are_no_leak_since_they_never_travel_plain() -> None:
    data = f"X-Note: {SECRET}\r\n".encode() + mail(SECRET, attached=attachments(SECRET))
    reading = MailReading(data)
    found = {
        finding.address for finding in check([*reading.units()], [CODE], may_be_plain=reading.plain_places([CODE]))
    }
    assert "header/X-Note" not in found
    assert "attachment/2/row/1/code" in found
    is_plain = reading.in_plain_stream([CODE])
    assert is_plain("body/1/text/p3")
    assert is_plain("attachment/3/row/1/name")
    assert not any(map(is_plain, ("body/1/text/p2", "attachment/2/row/1/name", "attachment/3/name", "header/Subject")))


def test_a_mark_that_does_not_fit_is_refused() -> None:
    reading = MailReading(mail(SECRET, attached=attachments(SECRET)))
    for mark in (
        Mark("body/1/text/p9"),
        Mark("attachment/9"),
        Mark("attachment/5/bytes/0-3"),
        Mark("header/Subject", 0, 99),
    ):
        with pytest.raises(UnknownPlace):
            reading.spans([mark])


def test_what_is_no_mail_is_refused() -> None:
    with pytest.raises(Damaged, match="does not begin with a header field"):
        read("a.eml", b"\r\nhello")


LINES = (
    *("Subject: =?utf-8?q?=FF?= a", "Content-Type: multipart/alternative; boundary=b", "--b", "--b--", "", "text XQ"),
    *("Content-Type: text/html; charset=x", "Content-Type: text/plain", "Content-Transfer-Encoding: base64", "UEsDBA"),
    *(
        "Content-Type: message/rfc822",
        "Content-Transfer-Encoding: quoted-printable",
        "a=3D= =",
        "<p>hi</p> =E9",
        " more",
    ),
    *("Content-Disposition: attachment; filename*=x''%ff", "Content-Type: application/pdf; name=a.pdf", "%PDF-1.7"),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=14).map(lambda lines: "\r\n".join(["From: a@b", *lines]).encode()))
def test_any_mail_is_read_or_refused(data: bytes) -> None:
    try:
        reading = MailReading(data)
        for unit in [*reading.units()][-3:]:
            plain_of(data, [Mark(unit.address)])
            redact(reading, [Mark(unit.address)])
    except SieveError as error:
        assert str(error)


_TEXT = b"Content-Type: text/plain%b\r\n\r\n%b"
_ATTACHED = (
    b"Content-Type: %b\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=%b\r\n\r\n%b"
)


def attached_part(kind: str, name: str, data: bytes) -> bytes:
    return _ATTACHED % (kind.encode(), name.encode(), base64.encodebytes(data))


UNREAD = {
    "attached page": attached_part("text/html", "a.html", b"<p id='XQZVK-PLMRT'>Hi</p>"),
    "attached mail": attached_part(
        "message/rfc822", "a.eml", b"From: a@b\r\nMIME-Version: 1.0 (XQZVK PLMRT)\r\n\r\nHi"
    ),
    "attached RTF": attached_part("text/rtf", "a.rtf", rb"{\rtf XQ\'5aVK PLMRT}"),
    "attached PDF": attached_part("application/pdf", "a.pdf", small_pdfs()[0] + b"% XQZVK PLMRT\n"),
    "after padding": _ATTACHED % (b"text/plain", b"a.txt", b"SGVsbA==\r\nWFFaVksgUExNUlQ="),
    "stray characters": _ATTACHED % (b"text/plain", b"a.txt", "SGVsbG8geW91\r\n(ключ)".encode()),
    "another charset": attached_part("text/plain; charset=utf-7", "a.txt", b"+AFgAUQBaAFYASw- PLMRT"),
    "unknown boundary": b"Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\nWFFaVksgUExNUlQ=\r\n--x--",
    "encoding twice": b"Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: base64\r\n\r\nWFFaVksgUExNUlQ=",
    "type twice": b"Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\n&#88;QZVK PLMRT",
    "uuencode": _TEXT % (b"", b"begin 644 a.txt\r\n+6%%:5DL@4$Q-4E0\r\n`\r\nend"),
    "signature": _TEXT % (b"", b"a" * 64 + b"\r\nabc\r\n=ABCD"),
    "folded calendar": b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nSUMMARY:XQZ\r\n VK PLMRT",
    "quoted lines": _TEXT % (b"", b"> the thing XQZVK\r\n> PLMRT yes"),
    "deleted spaces": _TEXT % (b"; format=flowed; delsp=yes", b"XQ \r\nZVK PLMRT"),
    "bytes that look like ASCII": _TEXT % (b"; charset=shift_jis", "表".encode("cp932")),
}


@pytest.mark.parametrize("place", UNREAD)
def test_what_may_say_the_secret_in_another_way_travels_classified(place: str) -> None:
    head = b"From: a@b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nXQZVK PLMRT\r\n--b\r\n"
    data = head + UNREAD[place] + b"\r\n--b--\r\n"
    marks = [Mark("body/1/text/p1")]
    assert plain_of(data, marks) == b""
    assert not any(map(MailReading(data).in_plain_stream(marks), (unit.address for unit in MailReading(data).units())))
    edition = redact(MailReading(data), marks)
    assert b"PLMRT" not in edition
    assert b"+6%%:5DL@4$Q-4E0" not in edition


def test_an_attached_pdf_without_a_mark_is_written_again_in_the_edition() -> None:
    data = mail(SECRET, attached={"a.pdf": small_pdfs()[0] + b"% XQZVK PLMRT\n"})
    assert base64.b64decode(by_name(redact(MailReading(data), [CODE]))["a.pdf"]).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("address", "reference", "is_plain"),
    [
        ("body/1/text/p2", "cid:one@here", False),
        ("body/1/text/p2", "cid:one%40here", False),
        ("body/1/text", "cid:one&#64;here", False),
        ("body/1/text/p1", "cid:one@here", True),
        ("body/1/text/a1", "cid:one@here", False),
    ],
)
def test_a_picture_that_a_marked_paragraph_shows_is_classified(address: str, reference: str, is_plain: bool) -> None:
    """It is a part of its own, which the page names by its id."""
    encoded = base64.encodebytes(png(b"")).replace(b"\n", b"\r\n")
    page = f'<p>one</p><p>two <img alt="a view" src="{reference}"> three</p><p>four</p>'.encode()
    data = (
        b"From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=BB\r\n\r\n--BB\r\n"
        b"Content-Type: text/html; charset=utf-8\r\n\r\n" + page + b"\r\n--BB\r\nContent-Type: image/png\r\n"
        b"Content-Transfer-Encoding: base64\r\nContent-ID: <one@here>\r\n\r\n" + encoded + b"--BB--\r\n"
    )
    assert (encoded[:60] in plain_of(data, [Mark(address)])) is is_plain
    edition = redact(read("a.eml", data), [Mark(address)])
    assert (b"image/png" in edition) is is_plain
    assert MailReading(data).in_plain_stream([Mark(address)])("attachment/1") is is_plain
