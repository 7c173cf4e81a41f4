import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from sieve.marking.detectors.registry import DETECTORS, NAMES, Detector
from sieve.marking.errors import PolicyError

FOUND = [
    ("email", "Write to anna.smith+x@mail.example.co.uk, or not.", ["anna.smith+x@mail.example.co.uk"]),
    ("email", "<mailto:a@b.org>; 'o'brien@x.ie'. jörg@müller.de", ["a@b.org", "o'brien@x.ie", "jörg@müller.de"]),
    ("email", "😀anna@example.com😀", ["anna@example.com"]),
    ("phone", "Call +1 416 555 0123 or +44 (0)20 7946 0958.", ["+1 416 555 0123", "+44 (0)20 7946 0958"]),
    ("phone", "(416) 555-0123, 416-555-0199 x2, 416.555.0177", ["(416) 555-0123", "416-555-0199 x2", "416.555.0177"]),
    ("phone", "555-123-4567", ["555-123-4567"]),
    ("phone", "020 7946 0958 or 030 / 901820", ["020 7946 0958", "030 / 901820"]),
    ("phone", "Tel.: 4165550123; 00 49 30 901820", ["4165550123", "00 49 30 901820"]),
    ("phone", "01 42 68 53 00 12", ["01 42 68 53 00"]),
    ("phone", "+1 416 555 0123 2024", ["+1 416 555 0123"]),
    ("payment-card", "Visa 4111 1111 1111 1111, 5500005555555559", ["4111 1111 1111 1111", "5500005555555559"]),
    ("payment-card", "Amex 3782-822463-10005 02/27", ["3782-822463-10005"]),
    ("payment-card", "2027 4111 1111 1111 1111 123", ["4111 1111 1111 1111"]),
    ("payment-card", "4111 1111\r\n1111 1111", ["4111 1111\r\n1111 1111"]),
    ("iban", "To GB29 NWBK 6016 1331 9268 19 and on", ["GB29 NWBK 6016 1331 9268 19"]),
    ("iban", "de89370400440532013000.", ["de89370400440532013000"]),
    ("canadian-sin", "SIN 046 454 286 and 130-692-544", ["046 454 286", "130-692-544"]),
    ("canadian-sin", "555 046 454 286", ["046 454 286"]),
    ("us-ssn", "SSN 123-45-6789 or 536 90 4399", ["123-45-6789", "536 90 4399"]),
    ("birth-date", "Anna, born in Toronto on March 3, 1980, came", ["March 3, 1980"]),
    ("birth-date", "DOB: 1980-02-29. D.O.B. 29/02/80", ["1980-02-29", "29/02/80"]),
    ("birth-date", "Date of birth\n3rd of March 1980", ["3rd of March 1980"]),
    ("birth-date", "geboren am 3. März 1980, née le 3 août 1980", ["3. März 1980", "3 août 1980"]),
    ("birth-date", "birthdate 19800229", ["19800229"]),
    ("birth-date", "1980年3月3日生まれ。昭和55年、1981年4月4日生。", ["1980年3月3日", "1981年4月4日"]),
    ("api-key", "The password is Orion!Sky. The password is now tide7boat!", ["Orion!Sky", "tide7boat!"]),
    ("salary", "She is (paid $5,000 a month)", ["$5,000"]),
    ("ip-address", "from 192.168.1.20, to 10.0.0.1:80.", ["192.168.1.20", "10.0.0.1:80"]),
    ("ip-address", "2001:db8::1, ::1 and ::ffff:10.0.0.1", ["2001:db8::1", "::1", "::ffff:10.0.0.1"]),
    (
        "person-name",
        "Halvorsen, Ida\nSMITH, John Quincy\nDE LA CRUZ, José M.\n",
        ["Halvorsen, Ida", "SMITH, John Quincy", "DE LA CRUZ, José M."],
    ),
    ("person-name", "no\tname\n1\tVan Dyck, Peter\t1980", ["Van Dyck, Peter"]),
    ("ip-address", "10.0.0.0/24, 10.0.0.5/443 and 2001:db8::/48", ["10.0.0.0/24", "10.0.0.5", "2001:db8::/48"]),
    (
        "birth-date",
        "Acte de naissance n° 7 : née le 3 mai 1990. Naissance à Lyon le 4 mai 1990.",
        ["3 mai 1990", "4 mai 1990"],
    ),
    ("birth-date", "Born on 3 May 1990, certificate issued on 4 May 2010.", ["3 May 1990"]),
    ("birth-date", "Date de naissance : 3 mai 1990, acte délivré le 4 mai 2010", ["3 mai 1990"]),
    ("birth-date", "Date de naissance (acte délivré à Lyon) : 3 mai 1990", ["3 mai 1990"]),
    ("coordinates", "at 45.4215, -75.6972 or 45.4215° N, 75.6972° W", ["45.4215, -75.6972", "45.4215° N, 75.6972° W"]),
    ("coordinates", "45°25'17\"N 75°41'50\"W", ["45°25'17\"N 75°41'50\"W"]),
    ("coordinates", "grid 18T VR 45678 12345; 18TVR4567812345", ["18T VR 45678 12345", "18TVR4567812345"]),
    ("coordinates", "4525N 07541W", ["4525N 07541W"]),
]
NOT_FOUND = [
    ("email", "a @ b, @home, x@y, 5@3.50, user@localhost"),
    ("phone", "2024-01-15, 01.02.2024, 192.168.100.200, 123456789012, 4111 1111 1111 1111, ISBN 0-306-40615-2"),
    (
        "payment-card",
        "4111 1111 1111 1112, 1700000000000, 41111111111111111111, 1234 5678 9012 3456, X4111111111111111",
    ),
    ("iban", "GB29 NWBK 6016 1331 9268 18, AB12 is short, SOMETHING12THAT34IS56LONG78"),
    ("canadian-sin", "046 454 287, 000 000 000, 416-555-0123, 1046454286"),
    ("us-ssn", "000-12-3456, 666-12-3456, 123456789, 078-05-1120, 123-45-67890"),
    ("birth-date", "born on 31/31/1980, on 3 March 1980, reborn 1980, stubborn 1980-01-01"),
    ("api-key", "The password is required! The password is wrong?"),
    ("salary", "lunch (paid $500), 'paid $40'"),
    (
        "ip-address",
        "1.2.3, 1.2.3.4.5, 256.1.1.1, 12:30:45, std::vector, dead::beef, a::b, 00:1a:2b:3c:4d:5e, 1.2.3.256",
    ),
    ("person-name", "In Berlin, Anna slept. Yesterday, Peter came. To the CEO, John\nwas late"),
    ("person-name", "hat, Anna\nand Halvorsen, Annabel\nHalvorsen Ida"),
    ("ip-address", "10.0.0.0/40, 192.168.0.0/33; 2001:db8::/129"),
    ("birth-date", "acte de naissance délivré le 3 mai 1990, copie délivrée le 4 mai 2010"),
    ("birth-date", "Extrait d'acte de naissance établi à Lyon, le 3 mai 1990"),
    ("birth-date", "date of birth certificate issued on 3 May 1990"),
    (
        "birth-date",
        "certificato di nascita rilasciato il 3 maggio 1990, partida de nacimiento expedida el 3 de mayo de 1990",
    ),
    ("coordinates", "1.234, 567.890, 3.14, 2.71, 61A VR 12 34, 18T VR 123 45, 18I VR 12 34"),
]


def found(name: str, text: str) -> list[str]:
    return [text[start:end] for start, end in Detector(name).find(text)]


@pytest.mark.parametrize(("name", "text", "hits"), FOUND)
def test_it_finds(name: str, text: str, hits: list[str]) -> None:
    assert found(name, text) == hits


@pytest.mark.parametrize(("name", "text"), NOT_FOUND)
def test_it_does_not_find(name: str, text: str) -> None:
    assert found(name, text) == []


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_something_in_its_example(name: str) -> None:
    assert found(name, DETECTORS[name].example)


@given(digits=st.text("0123456789", min_size=14, max_size=14), before=st.sampled_from(["", " ", "12 ", "é", "x 1234 "]))
def test_every_card_with_a_right_check_digit_is_found(digits: str, before: str) -> None:
    card = f"4{digits}"
    card += luhn.calc_check_digit(card)
    grouped = " ".join(card[i : i + 4] for i in range(0, 16, 4))
    assert grouped in found("payment-card", f"{before.strip('é')}{grouped}, thanks")[-1]


BASE64_LINE = st.text(st.sampled_from(string.ascii_letters + string.digits + "+/"), min_size=64, max_size=64)


@given(
    kind=st.sampled_from(["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH ", "PGP "]),
    headers=st.sampled_from(
        ["", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n", "Version: GnuPG v2\n\n", "\n"]
    ),
    body=st.lists(BASE64_LINE, min_size=1, max_size=30),
    last=st.sampled_from(["", "a8Xk3Q==\n", "a8Xk3Q=\n=njUN\n"]),
    line_end=st.sampled_from(["\n", "\r\n", "\\n", "\n    "]),
    is_cut=st.booleans(),
)
def test_a_private_key_is_found_with_its_body(
    kind: str, headers: str, body: list[str], last: str, line_end: str, is_cut: bool
) -> None:
    block = " BLOCK" if kind == "PGP " else ""
    key = f"-----BEGIN {kind}PRIVATE KEY{block}-----\n{'' if is_cut else headers}" + "\n".join(body)
    key += "" if is_cut else f"\n{last}-----END {kind}PRIVATE KEY{block}-----"
    key = key.replace("\n", line_end)
    assert found("api-key", f"The key: {key}\nas you asked") == [key]


@pytest.mark.parametrize(
    ("before", "hits"),
    [
        ("A file begins with ", ["-----BEGIN PRIVATE KEY-----", " and a line break"]),
        ("", ["-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEowIBAAKCAQEAz8\nQUJD=", "\n\nThe end"]),
        ("", ["-----BEGIN EC PRIVATE KEY-----\nMHcCAQ", "\n", "-----BEGIN EC PRIVATE KEY-----\nMHcB", "\n\nThe end"]),
        (
            "",
            ["---- BEGIN SSH2 PRIVATE KEY ----\nComment: mine\nP2/56wAA\n---- END SSH2 PRIVATE KEY ----", "\nThe end"],
        ),
    ],
    ids=["mentioned", "cut", "two cut", "SSH2"],
)
def test_where_a_private_key_ends(before: str, hits: list[str]) -> None:
    """Every second text is no part of a key."""
    assert found("api-key", before + "".join(hits)) == hits[::2]


def test_a_private_key_is_followed_only_so_far() -> None:
    text = "-----BEGIN PRIVATE KEY-----\n" + "some words\n" * 10_000 + "-----END PRIVATE KEY-----"
    assert found("api-key", text) == ["-----BEGIN PRIVATE KEY-----"]


@given(
    text=st.text(st.sampled_from("0123456789 -.+()@abNW:°'\"\n٣é😀\ud800\0"), max_size=80), name=st.sampled_from(NAMES)
)
def test_any_text_can_be_searched(text: str, name: str) -> None:
    place = 0
    for start, end in Detector(name).find(text):
        assert place <= start < end <= len(text)
        place = end


@given(name=st.sampled_from(NAMES), texts=st.lists(st.sampled_from(FOUND + NOT_FOUND), min_size=2, max_size=4))
def test_nothing_is_found_across_a_nul(name: str, texts: list[tuple[str, ...]]) -> None:
    apart = [hit for _, text, *_ in texts for hit in found(name, text)]
    assert found(name, "\0".join(text for _, text, *_ in texts)) == apart


@pytest.mark.parametrize(
    "name", ["E-mail", "us_ssn", "US SSN", "ssn", "Payment card", "ip address", "IBAN", "dates of birth"]
)
def test_names_are_read_as_people_write_them(name: str) -> None:
    Detector(name)


def test_an_unknown_detector_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(PolicyError, match="email, phone, person-name"):
        Detector("aura")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "12-",
        "-----BEGIN PRIVATE KEY-----",
        "a@",
        "a.",
        "born ",
        "(0",
        "+1 ",
        "GB29 ",
        "1.",
        ":",
        "1° ",
        "4111 ",
    ],
)
def test_texts_made_to_take_long_take_one_walk(name: str, piece: str) -> None:
    Detector(name).find(piece * (15_000 // len(piece)))


@pytest.mark.parametrize(
    ("name", "text", "last"),
    [
        # Reading the rest again at each brace and each title takes minutes.
        ("email", "{" * 1_000_000 + "a@b.org {a}b@c.org", "{a}b@c.org"),
        ("person-name", "Dr. " * 100_000 + "Okonkwo", "Okonkwo"),
        # Python reads no number of so many digits.
        ("salary", "wages " + "100 " * 2_000 + "in all", "100 " * 1_999 + "100"),
    ],
    ids=["braces", "titles", "digits"],
)
def test_long_runs_of_what_begins_a_hit_are_read_once(name: str, text: str, last: str) -> None:
    assert found(name, text)[-1] == last
