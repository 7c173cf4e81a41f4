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


API_KEY: Final = [
    Form(
        r"A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,}"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"
        r"|sk-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}|glpat-[\w-]{20,}"
        r"|npm_[A-Za-z0-9]{36}"
        r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"
        r"|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
        _key,
        case=True,
    ),
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
