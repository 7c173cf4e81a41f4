"""Web pages: blocks of text are units, and so is everything else that people may have written.

The text of the page has the addresses text/p1, text/p2 and so on, block by block; what its elements hide is below it,
at text/p7/hidden. Attributes that say something are text/a1 and so on. Besides these there are `title`, comments,
scripts, style sheets and other markup.

Invariant, as soon as anything is marked: only visible text of blocks without a mark and without a copy of marked text
travels plain, with the tags of `plain_tags`. A block with either travels classified as a whole, because programs break
its lines by the length of its text, and so do the attributes of all elements around it. Everything else is classified.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from sieve.core.document import Spans
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.html.blocks import Block, Element, parts
from sieve.formats.html.plain_tags import PlainTags
from sieve.formats.html.tokens import Kind, Token
from sieve.formats.marked_units import MarkedUnits, marked_units
from sieve.formats.phrases import Phrases
from sieve.formats.text.charset import decoded, has_ascii_bytes_in_letters
from sieve.formats.text_ranges import byte_offsets, everywhere, united_in_order
from sieve.formats.why_classified import MARKED_PARAGRAPHS, Classified, Tally

_DECLARED_WITHIN: Final = 1024
_DECLARED: Final = re.compile(rb"<meta\b[^>]*\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_UNINTERESTING: Final = re.compile(
    r"class|style|width|height|id|name|for|headers|rel|rev|type|charset|http-equiv|media|sizes|srcset|role|target|method"
    r"|align|valign|lang|dir|face|color|link|vlink|alink|text|bgcolor|border|shape|coords|xmlns.*|xml:.*|viewbox|d|points"
    r"|fill.*|stroke.*|transform|version|async|defer|crossorigin|integrity|loading|decoding|nonce|autocomplete|enctype"
)
"""Attributes that programs write. They are no units, but always classified, unless `plain_tags` lists them."""
_LETTERS: Final = re.compile(r"[^\W\d_].*[^\W_]", re.DOTALL)
_USUAL: Final = re.compile(
    r"<!doctype\s+html(\s+public\s+\"-//w3c//dtd [^>]*|\s+system\s+\"about:legacy-compat\"\s*)?\s*>", re.I
)
_USUAL_VALUES: Final = re.compile(
    r"true|false|text/html;\s*charset=[\w-]+|(?:width|initial-scale)=[\w,;=. -]+|ie=\w+|(?:no)?index,\s*(?:no)?follow",
    re.IGNORECASE,
)
_LINKS: Final = frozenset({"href", "src", "action", "cite", "background", "data", "poster", "longdesc", "formaction"})
_UNSEEN: Final = frozenset({"script", "style", "template", "link", "meta", "base", "title", "noembed", "noframes"})
TAGS: Final = Sentence("why-html-tags", "Links, descriptions and other attributes, and the tags around a marked text")
UNSEEN_PARTS: Final = Sentence("why-html-unseen", "The title, scripts, style sheets and comments")
HIDDEN: Final = Sentence("why-html-hidden", "Hidden text and everything not listed here")
_RAW_KINDS: Final = {"script": ("script", "a script"), "style": ("style", "a style sheet")}


class Placed(NamedTuple):
    """A block with the address of its text, which may be empty, and of all units in it."""

    block: Block
    address: str
    addresses: list[str]


class Resolved(NamedTuple):
    """What marks classify: `touched` are the blocks that contain a mark or a marked text, `split` the addresses of
    those that contain it only together.
    """

    marked: MarkedUnits
    phrases: Phrases
    touched: set[int]
    split: set[str]


class HtmlReading:
    """A web page, read."""

    name: ClassVar[str] = "html"

    def __init__(self, data: bytes, charset: str | None = None) -> None:
        """`charset`: the encoding that came with the page; None to find it in the page.

        Raises:
            FormatError: the encoding is unknown or wrong, or the page has too many tags.
        """
        if charset is None and (declared := _DECLARED.search(data, 0, _DECLARED_WITHIN)):
            charset = declared[1].decode("ascii", "replace")
            charset = "utf-8" if charset.lower().startswith("utf-16") else charset
        self.data = data
        self.source, self._encoding, self._mark = decoded(data, charset)
        self.keeps_places = not has_ascii_bytes_in_letters(self._encoding)
        """Whether the bytes of ASCII letters are the same in other encodings."""
        self.parts: list[Placed | Token] = []
        self._units: dict[str, Unit] = {}
        self._known: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        waiting: list[str] = []
        for part in parts(self.source):
            if isinstance(part, Token):
                waiting += self._add_token(part)
                self.parts.append(part)
            else:
                self.parts.append(self._placed(part, waiting))
                waiting = []

    def units(self) -> Sequence[Unit]:
        """In reading order, hidden ones too."""
        return list(self._units.values())

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """Everything except visible text of untouched blocks and plain tags.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return Spans.EMPTY
        bounds = [0, *(place for pair in self.plain_bytes(marks) for place in pair), len(self.data)]
        return Spans.of(pair for pair in zip(bounds[::2], bounds[1::2], strict=True) if pair[0] < pair[1])

    def source_of_marked(self, marks: Sequence[Mark]) -> str:
        """The source of the blocks with a mark; of all of the page if all that is seen has one.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = self.resolved(marks).marked
        if self._is_all_seen_in(marked):
            return self.source
        tokens = [block.block.tokens for block in self.marked_blocks(marked) if block.block.tokens]
        return "\n".join(self.source[one[0].start : one[-1].end] for one in tokens)

    def with_tags(self, places: Sequence[tuple[int, int]], start: str, end: str) -> bytes:
        """The page with `start` before and `end` after these places of the source, which are in order and apart."""
        bounds = byte_offsets(self.source, (place for pair in places for place in pair), self._encoding)
        pieces: list[bytes] = []
        at = 0
        for number, bound in enumerate(bounds):
            pieces += [self.data[at : self._mark + bound], (end if number % 2 else start).encode(self._encoding)]
            at = self._mark + bound
        return b"".join([*pieces, self.data[at:]])

    def marked_blocks(self, marked: MarkedUnits) -> Iterator[Placed]:
        """The blocks with a mark, also on an attribute in them, such as the description of a picture; all blocks if
        all that is seen has one.
        """
        every = self._is_all_seen_in(marked)
        for part in self.parts:
            if isinstance(part, Placed) and (every or not marked.ranges.keys().isdisjoint(part.addresses)):
                yield part

    def _is_all_seen_in(self, marked: MarkedUnits) -> bool:
        return bool(marked.ranges) and all(unit.address in marked.ranges for unit in self.units() if not unit.hidden)

    def plain_bytes(self, marks: Sequence[Mark], *, bare_tags: bool = False) -> Iterator[tuple[int, int]]:
        """The bytes that travel plain, in order, with at least one mark. `bare_tags`: no tag with attributes.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        plain = self._plain_ranges(marks, bare_tags)
        places = byte_offsets(self.source, (place for pair in plain for place in pair), self._encoding)
        bounds = [self._mark + place for place in places]
        yield from zip(bounds[::2], bounds[1::2], strict=True)

    def _plain_ranges(self, marks: Sequence[Mark], bare_tags: bool) -> list[tuple[int, int]]:
        """The characters of the source that travel plain."""
        resolved = self.resolved(marks)
        plain_tags = PlainTags(resolved.marked.texts, bare_tags=bare_tags)
        telling = self._tags_around(resolved.touched)
        plain: list[tuple[int, int]] = []
        says_something = False
        for number, part in enumerate(self.parts):
            if isinstance(part, Placed):
                if number not in resolved.touched and part.block.kind != "title":
                    plain += self._plain_in(part.block.tokens, plain_tags)
                    says_something |= bool(part.block.text)
            elif _is_tag(part) and id(part) not in telling:
                plain += self._plain_in([part], plain_tags)
        return list(united_in_order(plain)) if says_something else []

    def why_classified(self, marks: Sequence[Mark]) -> list[Classified]:
        """What travels classified, for the author.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        bounds = [place for pair in self._plain_ranges(marks, bare_tags=False) for place in pair]
        found = [one for one in self._explained(self.resolved(marks)) if not bisect_right(bounds, one[0].start) % 2]
        places = byte_offsets(
            self.source, (place for token, _, _ in found for place in (token.start, token.end)), self._encoding
        )
        tally = Tally()
        for (_, why, name), start, end in zip(found, places[::2], places[1::2], strict=True):
            tally.add(why, end - start, name)
        return tally.ranked(self.spans(marks).classified_size, HIDDEN)

    def _explained(self, resolved: Resolved) -> Iterator[tuple[Token, Sentence, str]]:
        """Each token, why it is classified if it is, and the address of its block."""
        for number, part in enumerate(self.parts):
            if isinstance(part, Token):
                yield part, TAGS if _is_tag(part) else UNSEEN_PARTS, ""
                continue
            for token in part.block.tokens:
                if number in resolved.touched:
                    yield token, MARKED_PARAGRAPHS, part.address
                elif part.block.kind == "title" or not (_is_tag(token) or token.kind is Kind.TEXT):
                    yield token, UNSEEN_PARTS, ""
                else:
                    yield token, TAGS if _is_tag(token) else HIDDEN, ""

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says no for all hidden text, as soon as anything is marked.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        self.resolved(marks)
        return lambda address: address not in self._units or not self._units[address].hidden

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Says yes for the text of blocks that travel plain.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        if not marks:
            return everywhere
        touched = self.resolved(marks).touched
        plain = {
            part.address
            for number, part in enumerate(self.parts)
            if isinstance(part, Placed) and number not in touched and part.block.kind != "title"
        }
        return lambda address: address in plain

    def resolved(self, marks: Sequence[Mark]) -> Resolved:
        """What the marks classify.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        marked = marked_units(self._units.values(), marks)
        phrases = Phrases(marked.texts)
        telling = marked.ranges.keys() | {unit.address for unit in self._units.values() if phrases.in_text(unit.text)}
        touched = {
            number
            for number, part in enumerate(self.parts)
            if isinstance(part, Placed) and not telling.isdisjoint(part.addresses)
        }
        split: set[str] = set()
        squeezed = Phrases("".join(text.split()) for text in marked.texts)
        for run in self._adjoining():
            text = " ".join(placed.block.text for _, placed in run)
            if phrases.in_text(text) or squeezed.in_text("".join(text.split())):
                touched.update(number for number, _ in run)
                split.update(placed.address for _, placed in run)
        return Resolved(marked, phrases, touched, split)

    def _adjoining(self) -> Iterator[list[tuple[int, Placed]]]:
        """Blocks with their numbers that browsers show as one, since only elements without text are between them."""
        run: list[tuple[int, Placed]] = []
        for number, part in enumerate(self.parts):
            if isinstance(part, Placed):
                run.append((number, part))
            elif part.name not in _UNSEEN:
                if len(run) > 1:
                    yield run
                run = []
        if len(run) > 1:
            yield run

    def unit(self, address: str) -> Unit:
        """The unit at an address of this page."""
        return self._units[address]

    def _plain_in(self, tokens: Sequence[Token], plain_tags: PlainTags) -> Iterator[tuple[int, int]]:
        for token in tokens:
            if _is_tag(token):
                is_plain = plain_tags.may_travel_plain(token, self.source[token.start : token.end])
            else:
                # In drawings, elements of these names contain tags and references.
                is_plain = token.kind is Kind.TEXT and not token.hidden
            if is_plain:
                yield token.start, token.end

    def _tags_around(self, touched: set[int]) -> set[int]:
        """The start tags with attributes of all elements around touched blocks."""
        found: set[int] = set()
        for number in touched:
            part = self.parts[number]
            element: Element | None = part.block.element if isinstance(part, Placed) else None
            while element is not None and id(element) not in found:
                found.add(id(element))
                if element.tag.attributes:
                    found.add(id(element.tag))
                element = element.parent
        return found

    def _placed(self, block: Block, addresses: list[str]) -> Placed:
        text, hidden_text = block.text, block.hidden_text
        address = ""
        if text or hidden_text:
            address = self._title() if block.kind == "title" else f"text/p{self._next('p')}"
            addresses.append(address)
            if text:
                self._add(Unit(address, text, block.kind, "", block.cells))
            if hidden_text:
                addresses.append(f"{address}/hidden")
                self._add(Unit(addresses[-1], hidden_text, "hidden text", "hidden text", block.cells))
        for token in block.tokens:
            addresses += self._add_token(token)
        return Placed(block, address, addresses)

    def _add_token(self, token: Token) -> list[str]:
        """The addresses of the units of a token that is not text."""
        source = self.source
        if token.kind is Kind.COMMENT:
            return self._other("comment", source[token.start + 4 : token.end].removesuffix("-->"), "a comment")
        if token.kind is Kind.RAW and token.name in _RAW_KINDS:
            name, hidden = _RAW_KINDS[token.name]
            return self._other(name, source[token.start : token.end], hidden)
        if token.kind is Kind.OTHER and not _USUAL.fullmatch(source, token.start, token.end):
            return self._other("markup", source[token.start : token.end], "markup that no browser shows")
        if token.kind is Kind.RAW and token.name in ("iframe", "noembed", "noframes"):
            return self._other("markup", source[token.start : token.end], "markup that few browsers show")
        found = [self._attribute(name, value.strip()) for name, value in token.attributes]
        return [address for address in found if address]

    def _attribute(self, name: str, value: str) -> str:
        if (
            not _LETTERS.search(value)
            or _USUAL_VALUES.fullmatch(value)
            or value.startswith("data:")
            or _UNINTERESTING.fullmatch(name)
        ):
            return ""
        kind = "link" if name in _LINKS else "attribute"
        hidden = "a link" if name in _LINKS else f"the attribute “{name[:40]}”"
        if (name, value) not in self._known:
            self._known[name, value] = address = f"text/a{self._next('a')}"
            self._add(Unit(address, value, kind, hidden))
        return self._known[name, value]

    def _other(self, name: str, text: str, hidden: str) -> list[str]:
        if not _LETTERS.search(text):
            return []
        address = f"{name}/{self._next(name)}"
        self._add(Unit(address, text.strip(), name, hidden))
        return [address]

    def _title(self) -> str:
        number = self._next("title")
        return "title" if number == 1 else f"title/{number}"

    def _next(self, name: str) -> int:
        self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts[name]

    def _add(self, unit: Unit) -> None:
        self._units[unit.address] = unit


def _is_tag(token: Token) -> bool:
    return token.kind in (Kind.START, Kind.END)
