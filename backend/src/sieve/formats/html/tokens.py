"""The tokens of HTML with their positions, as the HTML standard divides a page into text, tags and the rest.

Invariant: tokens touch and cover the whole source, whatever it contains, in linear time. Where browsers differ from
this (script in comments, CDATA in drawings), text may count as a script or the other way round; nothing plain depends
on it, because every text is a unit and everything that is neither text nor one of `plain_tags` is classified.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from sieve.formats.errors import TooLarge

MAX_TOKENS: Final = 2_000_000
"""Tokens and attributes together."""


class Kind(Enum):
    """What a token is."""

    TEXT = auto()
    RAW = auto()
    """The text of an element that contains no tags; `name` says of which."""
    START = auto()
    END = auto()
    COMMENT = auto()
    OTHER = auto()
    """Document types, processing instructions, tags that never end."""


@dataclass(slots=True, repr=False)
class Token:
    """Characters `start` to `end` of the source. `name`: of the element, in lower case. `hidden`: an element hides
    it. `keeps_space`: white space in it counts."""

    kind: Kind
    start: int
    end: int
    name: str = ""
    attributes: list[tuple[str, str]] = field(default_factory=list)
    hidden: bool = False
    keeps_space: bool = False


_NAME: Final = re.compile(r"[^\t\n\f\r />]*")
_ATTRIBUTE: Final = re.compile(
    r"""[\t\n\f\r /]*+(?P<name>=?[^\t\n\f\r />=]++|=)
    (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+
        (?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<open>["'])
        |(?P<bare>[^\t\n\f\r >"'][^\t\n\f\r >]*+)|(?=>)))?""",
    re.VERBOSE,
)
_TAG_END: Final = re.compile(r"[\t\n\f\r /]*+>")
_COMMENT_END: Final = re.compile(r"--!?>")
_RAW: Final = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title"})


def tokens(source: str) -> Iterator[Token]:
    """The tokens of a page.

    Raises:
        TooLarge: it has more than `MAX_TOKENS` tokens and attributes.
    """
    count = 0
    for token in _tokens(source):
        count += 1 + len(token.attributes)
        if count > MAX_TOKENS:
            raise TooLarge(f"the page has more than {MAX_TOKENS:,} tags and attributes; classify the whole file")
        yield token


def _tokens(source: str) -> Iterator[Token]:
    at = text_from = 0
    size = len(source)
    while at < size:
        at = source.find("<", at)
        if at < 0:
            break
        token = _markup(source, at)
        if token is None:
            at += 1
            continue
        if text_from < at:
            yield Token(Kind.TEXT, text_from, at)
        yield token
        at = text_from = token.end
        if token.kind is Kind.START and (token.name in _RAW or token.name == "plaintext"):
            end = _raw_end(source, at, token.name)
            if at < end:
                yield Token(Kind.RAW, at, end, token.name)
            at = text_from = end
    if text_from < size:
        yield Token(Kind.TEXT, text_from, size)


def _markup(source: str, at: int) -> Token | None:
    """The token that begins with the "<" at `at`; None if that is text."""
    following = source[at + 1 : at + 2]
    if following.isascii() and following.isalpha():
        return _tag(source, at, at + 1, Kind.START)
    if following == "/":
        after = source[at + 2 : at + 3]
        if after.isascii() and after.isalpha():
            return _tag(source, at, at + 2, Kind.END)
        return Token(Kind.OTHER, at, _past(source, ">", at + 2)) if after else None
    if following == "!" and source.startswith("--", at + 2):
        return _comment(source, at)
    if following in ("!", "?") and following:
        return Token(Kind.OTHER, at, _past(source, ">", at + 2))
    return None


def _tag(source: str, start: int, at: int, kind: Kind) -> Token:
    name = _NAME.match(source, at)
    assert name is not None  # noqa: S101 (it matches anything)
    found: list[tuple[str, str]] = []
    at = name.end()
    while (end := _TAG_END.match(source, at)) is None:
        attribute = _ATTRIBUTE.match(source, at)
        if attribute is None or attribute["open"]:
            return Token(Kind.OTHER, start, len(source))
        value = attribute["double"] or attribute["single"] or attribute["bare"] or ""
        found.append((attribute["name"].lower(), html.unescape(value)))
        if len(found) > MAX_TOKENS:
            break
        at = attribute.end()
    return Token(kind, start, end.end() if end else at, name[0].lower(), found)


def _comment(source: str, at: int) -> Token:
    body = at + 4
    for abrupt in (">", "->"):
        if source.startswith(abrupt, body):
            return Token(Kind.COMMENT, at, body + len(abrupt))
    end = _COMMENT_END.search(source, body)
    return Token(Kind.COMMENT, at, end.end() if end else len(source))


def _raw_end(source: str, at: int, name: str) -> int:
    if name == "plaintext":
        return len(source)
    end = re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII).search(source, at)
    return end.start() if end else len(source)


def _past(source: str, what: str, at: int) -> int:
    found = source.find(what, at)
    return len(source) if found < 0 else found + len(what)
