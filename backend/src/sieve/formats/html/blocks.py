"""The text of a page: blocks, such as paragraphs, headings and cells, each with the tokens that it consists of.

A block reaches from one block-level tag to the next. Its text is what a browser shows of it: white space collapsed,
character references resolved. Hidden elements are apart from it. Style sheets are not evaluated: what only they hide
counts as visible.

Invariant: every character of the source is in a block, a tag between blocks, or something that is never plain. Text
is never dropped, except white space.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sieve.core.units import Cell
from sieve.formats.html.tokens import Kind, Token, tokens

_BLOCK_NAMES: Final = (
    "address article aside base blockquote body button caption center col colgroup dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend"
    " li link main menu meta nav noembed noframes noscript object ol optgroup option p plaintext pre script section"
    " select style summary svg table tbody td template textarea tfoot th thead title tr ul xmp"
)
_BLOCKS: Final = frozenset(_BLOCK_NAMES.split())
_VOID_NAMES: Final = (
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
)
_VOID: Final = frozenset(_VOID_NAMES.split())
_CLOSED_BY: Final[dict[str, frozenset[str]]] = {
    "p": _BLOCKS - {"body", "button", "head", "html", "object", "script", "style", "svg", "template"},
    "li": frozenset({"li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd"})),
    **dict.fromkeys(("td", "th"), frozenset({"td", "th", "tr", "tbody", "thead", "tfoot"})),
    "tr": frozenset({"tr", "tbody", "thead", "tfoot"}),
    **dict.fromkeys(("tbody", "thead", "tfoot"), frozenset({"tbody", "thead", "tfoot"})),
    "option": frozenset({"option", "optgroup"}),
}
"""Elements without an end tag, and which start tags end them."""
_KEEPING_SPACE: Final = frozenset({"pre", "textarea", "xmp", "plaintext", "listing"})
_SHOWN_RAW: Final = frozenset({"title", "textarea", "xmp", "plaintext"})
_RESOLVED_RAW: Final = frozenset({"title", "textarea"})
_HIDING_STYLE: Final = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all)", re.I
)
_ENTITY: Final = r"(?P<entity>&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?)"
_PIECE: Final = re.compile(rf"[\t\n\f\r ]+|{_ENTITY}")
_PIECE_WITH_SPACE: Final = re.compile(rf"\r\n?|{_ENTITY}")
_AROUND_BREAK: Final = re.compile(r" *(\n) *")
_MOST_CELLS: Final = 100
"""Rows or columns that one cell covers, at most, in the table that is drawn."""
_MOST_TABLES: Final = 8
"""Tables around a cell that are drawn."""
_KINDS: Final = {"li": "list item", "td": "table cell", "th": "table cell", "title": "title"} | {
    f"h{level}": "heading" for level in range(1, 7)
}


@dataclass(slots=True, repr=False)
class Element:
    """An open element. `tag`: its start tag."""

    name: str
    tag: Token
    parent: "Element | None"
    hidden: bool
    keeps_space: bool
    cells: tuple[Cell, ...] = ()
    table: "_Table | None" = None


@dataclass(slots=True, repr=False)
class _Table:
    number: int
    cells: tuple[Cell, ...]
    row: int = -1
    column: int = 0
    free_from: dict[int, int] = field(default_factory=dict)
    """For columns that a cell from above covers: the first row after it."""


@dataclass(slots=True, repr=False)
class Block:
    """Tokens between two block-level tags. `element`: the one that contains them."""

    element: Element | None
    kind: str
    keeps_space: bool
    cells: tuple[Cell, ...]
    tokens: list[Token] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What readers see."""
        return _trimmed(self.shown, self.keeps_space)

    def places(self, source: str) -> list[tuple[int, int]]:
        """From where to where in the source each character of the text is written."""
        texts: list[str] = []
        places: list[tuple[int, int]] = []
        for token in self.tokens:
            if token.hidden:
                continue
            if token.kind in (Kind.START, Kind.END) and token.name == "br":
                texts.append("\n")
                places.append((token.start, token.end))
            elif _is_text(token):
                for text, start, end in _pieces(token, source, texts):
                    texts.append(text)
                    # A reference stands for its characters as a whole.
                    each = len(text) == end - start
                    places += [(at, at + 1) for at in range(start, end)] if each else [(start, end) for _ in text]
        return [places[at] for at in _kept("".join(texts), self.keeps_space)]

    @property
    def hidden_text(self) -> str:
        """What the elements in it hide."""
        return _trimmed(self.hidden, self.keeps_space)


def parts(source: str) -> Iterator[Block | Token]:
    """The blocks, and the tags and other tokens between them, in the order of the source.

    Raises:
        TooLarge: the page has too many tags.
    """
    builder = _Builder()
    for token in tokens(source):
        yield from builder.add(token, source)
    yield from builder.end()


class _Builder:
    def __init__(self) -> None:
        self._top: Element | None = None
        self._open: Counter[str] = Counter()
        self._block: Block | None = None
        self._tables = 0

    def add(self, token: Token, source: str) -> Iterator[Block | Token]:
        is_tag = token.kind in (Kind.START, Kind.END)
        token.hidden = self._hides
        token.keeps_space = self._top is not None and self._top.keeps_space
        if is_tag and token.name in _BLOCKS:
            yield from self.end()
            self._track(token)
            yield token
        elif token.kind is Kind.RAW and not _is_text(token):
            yield from self.end()
            yield token
        else:
            block = self._of_block()
            block.tokens.append(token)
            if _is_text(token):
                texts = self._texts(block)
                for text, _, _ in _pieces(token, source, texts):
                    texts.append(text)
            elif is_tag:
                self._track(token)
                if token.name == "br":
                    self._texts(block).append("\n")

    def end(self) -> Iterator[Block]:
        if self._block is not None:
            block, self._block = self._block, None
            yield block

    def _of_block(self) -> Block:
        if self._block is None:
            top = self._top
            named = top
            while named is not None and named.name not in _BLOCKS:
                named = named.parent
            kind = _KINDS.get(named.name, "paragraph") if named else "paragraph"
            self._block = Block(top, kind, bool(top and top.keeps_space), top.cells if top else ())
        return self._block

    def _texts(self, block: Block) -> list[str]:
        return block.hidden if self._hides else block.shown

    @property
    def _hides(self) -> bool:
        return self._top is not None and self._top.hidden

    def _track(self, token: Token) -> None:
        name = token.name
        if token.kind is Kind.START:
            while self._top is not None and name in _CLOSED_BY.get(self._top.name, ()):
                self._pop()
            if name not in _VOID:
                self._push(token)
        elif self._open[name]:
            while self._top is not None and self._top.name != name:
                self._pop()
            self._pop()

    def _pop(self) -> None:
        if self._top is not None:
            self._open[self._top.name] -= 1
            self._top = self._top.parent

    def _push(self, token: Token) -> None:
        parent, name = self._top, token.name
        hides = name in ("template", "datalist") or any(
            key == "hidden" or (key == "style" and _HIDING_STYLE.search(value)) for key, value in token.attributes
        )
        element = Element(
            name,
            token,
            parent,
            hidden=hides or bool(parent and parent.hidden),
            keeps_space=name in _KEEPING_SPACE or bool(parent and parent.keeps_space),
            cells=parent.cells if parent else (),
            table=parent.table if parent else None,
        )
        if name == "table":
            self._tables += 1
            element.table = _Table(self._tables, element.cells)
        elif name == "tr" and element.table:
            element.table.row += 1
            element.table.column = 0
        elif name in ("td", "th") and element.table:
            element.cells = _cell(element.table, token, self._open["thead"] > 0)
        self._open[name] += 1
        self._top = element
        token.hidden = element.hidden


def _cell(table: _Table, token: Token, header: bool) -> tuple[Cell, ...]:
    table.row = max(table.row, 0)
    while table.free_from.get(table.column, 0) > table.row:
        table.column += 1
    spans = dict(token.attributes)
    columns, rows = _count(spans.get("colspan")), _count(spans.get("rowspan"))
    first = table.column
    table.column += columns
    for column in range(first, table.column) if rows > 1 else ():
        table.free_from[column] = table.row + rows
    return (*table.cells[: _MOST_TABLES - 1], Cell(table.number, table.row, first, rows, columns, header))


def _count(value: str | None) -> int:
    value = (value or "").strip()
    return min(max(int(value), 1), _MOST_CELLS) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _is_text(token: Token) -> bool:
    return token.kind is Kind.TEXT or (token.kind is Kind.RAW and token.name in _SHOWN_RAW)


def _pieces(token: Token, source: str, texts: list[str]) -> Iterator[tuple[str, int, int]]:
    """What a text adds to the `texts` before it, piece by piece, and from where to where in the source each is."""
    raw = source[token.start : token.end]
    if "\0" in raw:
        # Browsers ignore characters of the value 0 in text.
        kept = [at for at, character in enumerate(raw, token.start) if character != "\0"]
        for text, start, end in _pieces_of(token, raw.replace("\0", ""), texts):
            yield text, kept[start], kept[end - 1] + 1
    else:
        for text, start, end in _pieces_of(token, raw, texts):
            yield text, token.start + start, token.start + end


def _pieces_of(token: Token, raw: str, texts: list[str]) -> Iterator[tuple[str, int, int]]:
    resolves = token.kind is Kind.TEXT or token.name in _RESOLVED_RAW
    at = 0
    for found in (_PIECE_WITH_SPACE if token.keeps_space else _PIECE).finditer(raw):
        if at < found.start():
            yield raw[at : found.start()], at, found.start()
        at = found.end()
        if found["entity"]:
            yield html.unescape(found[0]) if resolves else found[0], *found.span()
        elif token.keeps_space:
            yield "\n", *found.span()
        elif texts and not texts[-1].endswith((" ", "\n")):
            yield " ", *found.span()
    if at < len(raw):
        yield raw[at:], at, len(raw)


def _trimmed(pieces: list[str], keeps_space: bool) -> str:
    text = "".join(pieces)
    if keeps_space:
        return text.strip("\n")
    return _AROUND_BREAK.sub("\n", text).strip(" \n")


def _kept(text: str, keeps_space: bool) -> list[int]:
    """Which characters of the text `_trimmed` keeps."""
    kept: list[int] = []
    at = 0
    for found in _AROUND_BREAK.finditer(text) if not keeps_space else ():
        kept += [*range(at, found.start()), found.start(1)]
        at = found.end()
    kept += range(at, len(text))
    trimmed = "".join(text[at] for at in kept)
    edge = "\n" if keeps_space else " \n"
    start = len(trimmed) - len(trimmed.lstrip(edge))
    return kept[start : max(start, len(trimmed.rstrip(edge)))]
