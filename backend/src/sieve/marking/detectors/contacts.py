"""Addresses of persons and machines: email, phone, IP."""

import re
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import Final

import phonenumbers

from sieve.marking.detectors.form import GAP, GROUP, WORD_START, Form, alone, digits_of, is_between, is_unspaced
from sieve.marking.ranges import Range

_PICTURE: Final = re.compile(r"\d(?:\.\d)?x\.(?:png|jpe?g|gif|webp|svg|avif)", re.IGNORECASE)
"""The domain that the name of a picture seems to have: logo@2x.png."""


def _email(text: str, start: int, end: int) -> Iterator[Range]:
    at = text.index("@", start, end)
    for place in range(at - 1, start - 1, -1):
        # Chinese before a Latin address belongs to the sentence, and so does Chinese after it.
        if is_unspaced(text[place]) and text[at - 1].isascii():
            start = place + 1
            break
    closed = text.rfind("}", start, at)
    while text[start] in ".'-%&!#$*^~" or (text[start] == "{" and start > closed):
        start += 1
    if text[end - 1] != "]" and (last := text.rfind(".", at, end)) > 0 and text[last + 1].isascii():
        end = next((place for place in range(last + 1, end) if is_unspaced(text[place])), end)
    if start < at and not _PICTURE.fullmatch(text, at + 1, end):
        yield start, end


_PHONE_GAP: Final = r"[\s().\-/\x{2010}-\x{2013}]"
_DATE: Final = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_DATE_WITH_YEAR: Final = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)|(?:19|20)\d\d[./-]\d\d[./-]\d\d(?!\d)"
)
_EXTENSION: Final = re.compile(
    r"\s?,?\s?(?:x|ext(?:n|ension)?|poste|durchwahl|dw|interno|anexo|extensión|доб)\.?\s?:?\s?\d{1,6}(?!\w)",
    re.IGNORECASE,
)
_PHONE_REGIONS: Final = ("GB", "FR", "DE", "IT", "NL", "AU")
_MOBILE_REGIONS: Final = ("GB", "FR", "DE", "IN")
_NATIONAL_DIGITS: Final = range(9, 13)
_TRUNK: Final = re.compile(r"\A(?:0011|011|0+)")


def _with_extension(text: str, start: int, end: int) -> Range:
    extension = _EXTENSION.match(text, end)
    return start, extension.end() if extension else end


def _by_form(text: str, start: int, end: int) -> Iterator[Range]:
    place = _with_extension(text, start, end)
    if is_between(text, *place):
        yield place


def _international_phone(text: str, start: int, end: int) -> Iterator[Range]:
    """The text after a number may look like part of it, so the longest prefix that can be dialled counts.

    Numbers in assigned ranges have precedence over possible ones.
    """
    if text[start - 1 : start].isalnum():
        return
    ends = [
        group.end() for group in GROUP.finditer(text, start, end) if not text[group.end() : group.end() + 1].isalpha()
    ]
    numbers = {last: _dialled("+" + _TRUNK.sub("", digits_of(text[start:last])), None) for last in reversed(ends)}
    for counts in (phonenumbers.is_valid_number, phonenumbers.is_possible_number):
        for last, number in numbers.items():
            if number and counts(number):
                yield _with_extension(text, start, last)
                return


def _dialled(digits: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None


def _national_phone(text: str, start: int, end: int) -> Iterator[Range]:
    """The longest prefix that is in an assigned range of some country."""
    if text[start - 1 : start].isalnum() or _DATE.fullmatch(text, start, end) or _DATE_WITH_YEAR.match(text, start):
        return
    ends = [group.end() for group in GROUP.finditer(text, start, end)]
    for last in reversed(ends):
        digits = digits_of(text[start:last])
        if len(digits) not in _NATIONAL_DIGITS or text[last : last + 1].isalnum():
            continue
        numbers = (_dialled(digits, region) for region in _PHONE_REGIONS)
        if any(number and phonenumbers.is_valid_number(number) for number in numbers):
            yield _with_extension(text, start, last)
            return


def _mobile_phone(text: str, start: int, end: int) -> Iterator[Range]:
    """Digits without gaps count only in a range of mobile phones: too much else has ten digits."""
    if not is_between(text, start, end, "."):
        return
    digits = digits_of(text[start:end])
    for region in _MOBILE_REGIONS:
        number = _dialled(digits, region)
        if number and phonenumbers.number_type(number) == phonenumbers.PhoneNumberType.MOBILE:
            yield start, end
            return


def _labelled_phone(text: str, start: int, end: int) -> Iterator[Range]:
    # "Call" is also a verb, so a number after it is at least as long as a local one in North America.
    if "call" in text[max(0, start - 8) : start].lower() and len(digits_of(text[start:end])) < 7:
        return
    yield from _by_form(text, start, end)


_BRACKETED_PORT: Final = re.compile(r"\]:(\d{1,5})(?!\d)", re.ASCII)
_VERSION: Final = re.compile(r"(?:version|firmware|release|build)\s$", re.IGNORECASE)
_WRONG_PREFIX: Final = {
    "": re.compile(r"/(?:3[3-9]|[4-9]\d)(?!\d)", re.ASCII),
    ":": re.compile(r"/(?:129|1[3-9]\d|[2-9]\d\d)(?!\d)", re.ASCII),
}
"""What is written as a prefix length and is none, of IPv4 and IPv6. Three digits after IPv4 are rather a port."""
_IP_PORT: Final = re.compile(r":(\d{1,5})$", re.ASCII)


def _ip(text: str, start: int, end: int) -> Iterator[Range]:
    while text[end - 1] in ":.%/" and text[end - 2 : end] != "::":
        end -= 1
    address, suffix = _parsed(text, start, end)
    # A hex digit is a letter as well: "dead::beef" is a name in some programs. An address mostly has a digit.
    more = ":" if ":" in text[start:address] else ""
    if not any(character.isdigit() for character in text[start:address]):
        return
    if text[start - 1 : start] == "." and text[start - 2 : start - 1].isdigit():
        return
    if _WRONG_PREFIX[more].match(text, address):
        return
    with suppress(ValueError):
        ip_address(text[start:address])
        last = suffix if is_between(text, start, suffix, more) else address
        if not is_between(text, start, last, more) or (not more and _VERSION.search(text[max(0, start - 9) : start])):
            return
        port = _BRACKETED_PORT.match(text, last) if more and text[start - 1 : start] == "[" else None
        yield (start - 1, port.end()) if port and int(port[1]) < 65_536 else (start, last)


def _parsed(text: str, start: int, end: int) -> tuple[int, int]:
    """The ends of the address itself, and of its zone, prefix length, mask or port, if they are valid."""
    address = next((place for place in range(start, end) if text[place] in "%/"), end)
    if text.count(":", start, address) == 1:
        address = text.index(":", start)
    suffix = text[address:end]
    if suffix.startswith("/"):
        with suppress(ValueError):
            ip_network(text[start:end], strict=False)
            return address, end
        return address, address
    if port := _IP_PORT.match(suffix):
        return address, end if int(port[1]) < 65_536 else address
    return address, end


EMAIL: Final = [
    Form(
        r"""(?:[\w.%+&'!#$*^{}~-]+|"[^"\s@\x00]+(?: [^"\s@\x00]+)?")"""
        r"@(?:(?:[\w-]+\.)+\p{L}[\w-]*\p{L}|\[[0-9a-fA-F:.]+\])",
        _email,
    ),
    Form(
        r"[\w.+-]+\s?(?:\[\s?at\s?\]|\(\s?at\s?\))\s?[\w-]+"
        r"(?:(?:\.|\s?(?:\[\s?dot\s?\]|\(\s?dot\s?\))\s?)[\w-]+)+",
        alone,
    ),
]
PHONE: Final = [
    Form(rf"(?:\+\s?|00\s?|011[\s-])\(?[1-9](?:{_PHONE_GAP}{{0,3}}\d){{6,14}}", _international_phone),
    # North America, by its form alone: 555-0123 is not assigned to anybody, but stands for a person in a text.
    # So is the way that Russians write theirs.
    Form(
        rf"(?:1{_PHONE_GAP})?(?:\(\d{{3}}\)\s?|\d{{3}}[\s./\-\x{{2010}}-\x{{2013}}])\d{{3}}{GAP}\d{{4}}"
        r"|\d{3}\.\d{3}\.\d{4}|8\s?\(\d{3}\)\s?\d{3}-\d{2}-\d{2}",
        _by_form,
    ),
    Form(rf"\(?0\d{{1,4}}(?:{_PHONE_GAP}{{1,3}}\d{{2,8}}){{1,5}}(?:-\d)?", _national_phone),
    Form(r"0[1-9]\d{8,10}|0[6-9]\d{4} \d{5}", _mobile_phone),
    Form(
        rf"(?:{WORD_START}(?:tel|t[eé]l[eé]phones?|tél|tele(?:f|ph)on\p{{L}}{{0,8}}|teléfonos?|telemóvel|phones?|fax|mobile?|"
        r"m[oó]vil|cell|cellulare|celular|handy|rufnummer|portable|whatsapp|call|тел|телефон|هاتف)|电话|手机|電話)"
        rf"(?:\s(?:number|phone|no|nº|nr|mobile|komórkowy|portable|móvil))?[\s.:：#=\-–]{{0,4}}"
        rf"(\(?\d(?:{_PHONE_GAP}{{0,2}}\d){{5,14}})",
        _labelled_phone,
        group=1,
    ),
]
IP: Final = [
    Form(r"[0-9]{1,3}(?:\.[0-9]{1,3})+(?::[0-9]{1,5}|/[0-9]{1,3}(?:\.[0-9]{1,3}){0,3})?", _ip),
    Form(
        r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,8}(?:\.[0-9]{1,3}){0,3}(?:%[a-zA-Z0-9_.-]{1,15})?(?:/[0-9]{1,3})?",
        _ip,
    ),
]
