"""Keys of services, and passwords after a word that says so."""

import re
from collections.abc import Iterator
from typing import Final

from sieve.marking.detectors.form import WORD_START, Form, is_between
from sieve.marking.ranges import Range

_VALUE: Final = re.compile(
    r"[\"'”]?\s?[:=]\s?(?:\"([^\"\n\x00]{4,128})\"|'([^'\n\x00]{4,128})'|([^\s\"'<>;,\x00]{4,128}))"
)
_NEXT_PARAMETER: Final = re.compile(r"&\w+=")
_SYMBOLS: Final = frozenset("!#$%&*@^~+?_")


_BEARER: Final = re.compile(r"[ :]\s?([A-Za-z0-9._~+/-]{20,}=*)")


def _bearer(text: str, start: int, end: int) -> Iterator[Range]:
    found = _BEARER.match(text, end)
    if found and any(map(str.isdigit, found[1])):
        yield found.span(1)


def _key(text: str, start: int, end: int) -> Iterator[Range]:
    while text[end - 1] == ".":
        end -= 1
    if is_between(text, start, end):
        yield start, end


MAX_PRIVATE_KEY: Final = 64 << 10
"""Characters of a private key after its first line. One of 16,384 bits has 13,000; OpenPGP keys may hold several."""
_END_OF_KEY: Final = re.compile(r"-{4,5} ?END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Groups are not possessive: before Python 3.11.5, such groups may end one character late.
_HEADERS: Final = re.compile(r"(?:\s*[A-Z][A-Za-z0-9-]{2,30}: [^\n\x00]*+)*")
"""Such as `Proc-Type: 4,ENCRYPTED` and `Version: GnuPG v2`."""
_BASE64: Final = re.compile(
    r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{16,}={0,2})*(?:\s*+[A-Za-z0-9+/]{1,15}={0,2}(?=\s*?(?:\n|$)))?"
)
"""Long lines, and a short one at the end."""


def _private_key(text: str, start: int, end: int) -> Iterator[Range]:
    """From the first line of a private key to its last one. Without a last line, to where Base64 ends."""
    limit = min(len(text), end + MAX_PRIVATE_KEY)
    for stop in ("BEGIN ", "\0"):
        # The next key, or the next unit.
        if (at := text.find(stop, end, limit)) >= 0:
            limit = at
    if last := _END_OF_KEY.search(text, end, limit):
        yield start, last.end()
    else:
        headers = _HEADERS.match(text, end, limit)
        body = _BASE64.match(text, headers.end() if headers else end, limit)
        yield start, body.end() if body and body[0] else end


def keys_left_open(text: str) -> int:
    """How many more private keys begin than end in `text`, by their first and last lines; less than 0 if fewer do."""
    if "PRIVATE KEY" not in text:
        return 0
    return text.count("BEGIN ") - len(_END_OF_KEY.findall(text))


_PIN: Final = re.compile(r"[\"'”]?\s(\d{4,8})(?!\w)")
_SENTENCE: Final = re.compile(
    r"\s(?:is|was|lautet|ist|est|es)\s(?:now\s)?[\"“„«]?\s?([^\s\"”“»<>;,\x00]{6,128})", re.IGNORECASE
)


def _said_password(text: str, start: int, end: int) -> Iterator[Range]:
    """A password in a sentence has letters, and digits or symbols: "the password is 12 characters long"."""
    if found := _PIN.match(text, end) if text[start:end].endswith("PIN") else _SENTENCE.match(text, end):
        first, last = found.span(1)
        while text[last - 1] in ".):?":
            last -= 1
        value = text[first:last]
        # A mark at the end belongs to the sentence: "the password is required!"
        has_more_than_letters = any(each.isdigit() or each in _SYMBOLS for each in value.rstrip("!?"))
        if value.isdigit() or (any(map(str.isalpha, value)) and has_more_than_letters):
            yield first, last


def _password(text: str, start: int, end: int) -> Iterator[Range]:
    """A value without digit or symbol is rather a word: "Password: required"."""
    found = _VALUE.match(text, end)
    if not found:
        return
    first, last = found.span(found.lastindex or 0)
    if found.lastindex == 3:
        if parameter := _NEXT_PARAMETER.search(text, first, last):
            last = parameter.start()
        while last > first and text[last - 1] in ".):":
            last -= 1
    value = text[first:last]
    if any(character.isdigit() or character in _SYMBOLS for character in value):
        yield first, last


PRIVATE_KEY: Final = Form(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}", _private_key, case=True, across=True
)
API_KEY: Final = [
    Form(
        r"A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,}"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"
        r"|sk-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}|glpat-[\w-]{20,}"
        r"|npm_[A-Za-z0-9]{36}"
        r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+",
        _key,
        case=True,
    ),
    PRIVATE_KEY,
    Form(rf"{WORD_START}bearer", _bearer),
    Form(
        rf"{WORD_START}(?:(?i:password|passphrase|passwort|kennwort|mot\s+de\s+passe|contraseña)|PIN)",
        _said_password,
        case=True,
    ),
    Form(
        rf"{WORD_START}(?:password|passwd|pwd|passphrase|secret|token|pin|api[\s_-]?key|access[\s_-]?key|passwort|kennwort|"
        r"mot\s+de\s+passe|mdp|clave|contraseña|wachtwoord|lösenord|hasło|пароль)",
        _password,
    ),
]
