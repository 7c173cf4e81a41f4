"""Reads RTF: follows its groups and their state, and collects the text of each group by what the group is.

Invariant: every character is in a paragraph, in an aside, in a picture or object, or in a group that only programs
write. What two readers may understand differently never matters: only letters of text that the author sees as a unit
travel plain.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from sieve.core.units import Cell
from sieve.formats.errors import Damaged
from sieve.formats.rtf.content import Aside, Look, Paragraph, Picture, Run, Story
from sieve.formats.rtf.tokens import Kind, Token, tokens
from sieve.formats.rtf.vocabulary import (
    ALIGNMENTS,
    ASIDES,
    CELL_ENDS,
    CHARACTERS,
    CONTAINERS,
    HEADERS,
    PARAGRAPH_ENDS,
    ROLES,
    SYMBOLS,
    TEXT_BOXES,
    TRANSPARENT,
    UNDERLINES,
    UNKNOWN,
    Role,
    codec_of_charset,
    codec_of_page,
)

_BEGINNING: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\\rtf")
PIECES: Final = re.compile(rb"(?P<letters>[ -~]+)|(?P<tab>\t)|(?P<other>[\x80-\xff])|[\x01-\x1f\x7f]")
"""What bytes of text are: letters that stand for themselves, or one byte."""
_MULTIBYTE: Final = frozenset({"utf-8", "cp932", "cp949", "johab", "gb18030", "cp950"})
_CODE_PAGES: Final = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}
_GOALS: Final = {"picwgoal": "width", "pichgoal": "height"}
_BLIPS: Final = {"pngblip": "png", "jpegblip": "jpeg"}
_MOST_TWIPS: Final = 31_680
_INSIDE_CODE: Final = frozenset({Role.SILENT, Role.PICTURE, Role.OBJECT})


@dataclass(slots=True, repr=False)
class _State:
    """What holds in a group. `is_closed`: no reader shows anything in it. `at_end`: to be done where it ends."""

    story: Story
    role: Role = Role.SHOWN
    aside: list[str] | None = None
    is_computed: bool = False
    is_closed: bool = False
    before_upr: "tuple[Role, list[str] | None, bool] | None" = None
    picture: Picture | None = None
    fallback_bytes: int = 1
    font: int | None = None
    is_hidden: bool = False
    is_deleted: bool = False
    look: Look = field(default_factory=Look)
    align: str = ""
    is_in_table: bool = False
    at_end: Callable[[], None] | None = None


class RtfDocument:
    """A document in RTF. `stories`: in the order in which they end, the body last."""

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is no RTF, has too many tokens, groups in groups, or ends too soon."""
        if not data:
            raise Damaged("this file is empty; download it again")
        if not _BEGINNING.match(data):
            raise Damaged("the file does not begin as RTF does, with {\\rtf; send it under another name")
        self.body = Story("rtf", "text")
        self.stories: list[Story] = []
        self.asides: list[Aside] = []
        self.pictures: list[Picture] = []
        self.objects = 0
        self.after = b""
        """What follows the document in the file."""
        self._data = data
        self._state = _State(self.body)
        self._above: list[_State] = []
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default_font: int | None = None
        self._page = "cp1252"
        self._is_starred = False
        self._is_over = False
        self._fallback_left = 0
        self._shown_before = ""
        self._high = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._tables = 0
        self._read()

    def _read(self) -> None:
        for token in tokens(self._data):
            self._step(token)
            if token.kind is Kind.CLOSE and self._is_over:
                self.after = self._data[token.end :]
                break
        self._end_of_bytes()
        while self._above:
            self._close()
        self._end_story(self.body)

    def _step(self, token: Token) -> None:
        """Reads one token."""
        if token.kind is not Kind.BYTE and token.kind is not Kind.TEXT and token.kind is not Kind.BREAK:
            self._end_of_bytes()
        match token.kind:
            case Kind.TEXT:
                self._text(token)
            case Kind.BYTE:
                self._byte(token.number or 0)
            case Kind.WORD:
                self._fallback_left = 0
                self._word(token)
            case Kind.SYMBOL:
                self._symbol(token)
            case Kind.OPEN:
                self._open()
            case Kind.CLOSE:
                self._is_over = self._close() and not self._above
            case Kind.BINARY if self._state.picture is not None:
                picture = self._state.picture
                picture.start, picture.end, picture.is_binary = token.start, token.end, True
            case _:
                pass

    def _open(self) -> None:
        self._fallback_left = 0
        self._above.append(self._state)
        self._state = copy(self._state)
        self._state.at_end = None
        self._is_starred = False

    def _close(self) -> bool:
        """Ends a group; false if none is open."""
        self._fallback_left = 0
        self._is_starred = False
        if not self._above:
            return False
        if self._state.at_end is not None:
            self._state.at_end()
        self._state = self._above.pop()
        return True

    # Text

    def _text(self, token: Token) -> None:
        start, end = token.start, token.end
        role = self._state.role
        if role is Role.PICTURE and self._state.picture is not None and not self._state.picture.is_binary:
            picture = self._state.picture
            if self._data[start:end].strip():
                picture.start, picture.end = picture.start or start, end
            return
        if role in (Role.SILENT, Role.FONTS, Role.OBJECT, Role.PICTURE):
            return
        while self._fallback_left and start < end:
            self._fall_back(self._data[start])
            start += 1
        while start < end and self._decoder is not None and self._decoder.getstate()[0]:
            self._put(self._decoder.decode(self._data[start : start + 1]))
            start += 1
        for piece in PIECES.finditer(self._data, start, end):
            if piece.lastgroup == "letters":
                self._put(piece[0].decode("ascii"), piece.span())
            elif piece.lastgroup == "tab":
                self._put("\t")
            elif piece.lastgroup == "other":
                self._byte(piece[0][0])

    def _byte(self, value: int) -> None:
        if self._fallback_left:
            self._fall_back(value)
            return
        codec = self._codec()
        if codec in _MULTIBYTE:
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder(codec)("replace")
            self._put(self._decoder.decode(bytes([value])))
        else:
            self._put(_letters(codec)[value])

    def _end_of_bytes(self) -> None:
        if self._decoder is not None:
            self._put(self._decoder.decode(b"", final=True))
            self._decoder = None

    def _codec(self) -> str:
        font = self._state.font if self._state.font is not None else self._default_font
        return self._fonts.get(font, self._page) if font is not None else self._page

    def _fall_back(self, value: int) -> None:
        """A byte that stands for the last character in readers that do not know Unicode."""
        self._fallback_left -= 1
        codec = self._codec()
        said = _letters(codec)[value] if value < 128 or codec not in _MULTIBYTE else "?"
        if said not in ("?", self._shown_before) and not unicodedata.normalize("NFKD", self._shown_before).startswith(
            said
        ):
            self._state.story.current.fallback.append(said)

    def _unicode(self, number: int) -> None:
        self._fallback_left = self._state.fallback_bytes
        value = number + 0x10000 if number < 0 else number
        if 0xD800 <= value < 0xDC00:
            self._high = value
            self._shown_before = ""
            return
        if 0xDC00 <= value < 0xE000:
            value = 0x10000 + ((self._high - 0xD800) << 10) + (value - 0xDC00) if self._high else 0xFFFD
        self._high = 0
        self._shown_before = chr(value) if 0 < value < 0x110000 else "\ufffd"
        self._put(self._shown_before)

    def _put(self, text: str, place: tuple[int, int] | None = None) -> None:
        """Adds text where it belongs. `place`: where the source has it unchanged."""
        state = self._state
        self._is_starred = False
        if not text:
            return
        paragraph = state.story.current
        match state.role:
            case Role.SHOWN if state.is_hidden or state.is_deleted:
                paragraph.below.setdefault("deleted" if state.is_deleted else "hidden", []).append(text)
            case Role.SHOWN:
                paragraph.shown.append(Run(text, state.look))
                if place is not None and not state.is_computed:
                    paragraph.plain.append(place)
            case Role.BELOW:
                paragraph.below.setdefault("hidden", []).append(text)
            case Role.CODE:
                paragraph.below.setdefault("code", []).append(text)
            case Role.ASIDE if state.aside is not None:
                state.aside.append(text)
            case _:
                pass

    # Control words

    def _symbol(self, token: Token) -> None:
        name = token.name
        if name == "*":
            self._is_starred = True
        elif name in ("\r", "\n", "\r\n"):
            self._end_paragraph(is_cell=False)
        elif self._fallback_left:
            self._fallback_left -= 1
        elif name in SYMBOLS:
            self._put(SYMBOLS[name])

    def _word(self, token: Token) -> None:
        name, number = token.name, token.number
        is_starred, self._is_starred = self._is_starred, False
        if self._begins_group(name, is_starred):
            return
        state = self._state
        if state.role is Role.FONTS:
            self._font_word(name, number)
        elif name == "u":
            self._unicode(number or 0)
        elif name == "uc":
            state.fallback_bytes = min(max(number or 0, 0), 255)
        elif name in CHARACTERS:
            self._put(CHARACTERS[name])
        elif name in PARAGRAPH_ENDS or name in CELL_ENDS:
            self._end_paragraph(is_cell=name in CELL_ENDS)
        elif name == "row":
            state.story.row += 1
            state.story.column = 0
        elif state.picture is not None and state.role is Role.PICTURE:
            self._picture_word(state.picture, name, number)
        else:
            self._document_word(name, number)
            self._format_word(name, number)

    def _document_word(self, name: str, number: int | None) -> None:
        story = self._state.story
        if name == "ansicpg":
            self._page = codec_of_page(number or 0) or self._page
        elif name in _CODE_PAGES:
            self._page = _CODE_PAGES[name]
        elif name == "deff":
            self._default_font = number
        elif name == "trowd":
            story.is_header_row = False
        elif name == "trhdr":
            story.is_header_row = True
        elif name == "ftnalt" and story.word == "footnote":
            story.name = "endnotes"

    def _format_word(self, name: str, number: int | None) -> None:
        state, is_on = self._state, number != 0
        if name == "f":
            state.font = number
        elif name in ("v", "deleted"):
            state.is_hidden, state.is_deleted = (is_on, state.is_deleted) if name == "v" else (state.is_hidden, is_on)
        elif name == "plain":
            state.font, state.is_hidden, state.is_deleted, state.look = None, False, False, Look()
        elif name == "b":
            state.look = state.look._replace(bold=is_on)
        elif name == "i":
            state.look = state.look._replace(italic=is_on)
        elif name in UNDERLINES or name == "ulnone":
            state.look = state.look._replace(underline=is_on and name != "ulnone")
        elif name == "fs":
            state.look = state.look._replace(size=min(max(number or 0, 0), 3276))
        elif name == "pard":
            state.align, state.is_in_table = "", False
        elif name in ALIGNMENTS:
            state.align = name
        elif name in ("intbl", "itap"):
            state.is_in_table = is_on

    def _font_word(self, name: str, number: int | None) -> None:
        if name == "f":
            self._font = number or 0
        elif name in ("fcharset", "cpg"):
            codec = codec_of_charset(number or 0) if name == "fcharset" else codec_of_page(number or 0)
            if codec is not None:
                self._fonts[self._font] = codec

    def _picture_word(self, picture: Picture, name: str, number: int | None) -> None:
        if name in _BLIPS:
            picture.kind = _BLIPS[name]
        elif name in _GOALS:
            setattr(picture, _GOALS[name], min(max(number or 0, 0), _MOST_TWIPS))

    # Groups

    def _begins_group(self, name: str, is_starred: bool) -> bool:
        """Whether a control word says what its group is."""
        state = self._state
        if name == "upr":
            state.before_upr = state.role, state.aside, state.is_closed
        elif name == "ud" and state.before_upr is not None:
            state.role, state.aside, state.is_closed = state.before_upr
            return True
        if name in TRANSPARENT:
            return True
        role = ROLES.get(name)
        if role is None:
            if not is_starred:
                return False
            role = Role.ASIDE
        if state.role in (Role.BELOW, Role.CODE) and role not in _INSIDE_CODE:
            self._put(" ")
            return name in ROLES
        match role:
            case Role.COMPUTED | Role.STORY if state.is_closed:
                self._put(" ")
            case Role.COMPUTED:
                state.role, state.is_computed = Role.SHOWN, True
            case Role.STORY:
                self._begin_story(name)
            case Role.ASIDE:
                self._begin_aside(name)
            case Role.PICTURE:
                self._begin_picture()
            case Role.OBJECT:
                state.role, state.is_closed = role, True
                self.objects += 1
            case _:
                state.role = role
        # Words that begin an entry of a list, such as \*\cs, mean something there, too.
        return name in ROLES

    def _begin_aside(self, name: str) -> None:
        state = self._state
        if name not in ASIDES and state.role is not Role.SHOWN:
            self._put(" ")
            return
        aside, hidden = ASIDES.get(name, UNKNOWN)
        said: list[str] = []
        picture = state.picture.number if state.picture is not None else 0
        state.role, state.aside = Role.ASIDE, said
        state.is_closed |= name not in CONTAINERS
        self._at_end(lambda: self.asides.append(Aside(aside, hidden, "".join(said), picture)))

    def _begin_story(self, word: str) -> None:
        state = self._state
        around = state.story
        if word in TEXT_BOXES:
            name = around.name
        elif word in HEADERS:
            name = "headers"
        else:
            name = "comments" if word == "annotation" else "footnotes"
        story = Story(word, name)
        state.story, state.role, state.is_in_table = story, Role.SHOWN, False
        state.is_hidden = state.is_deleted = False
        around.current.shown.append(story)
        self._at_end(lambda: self._end_story(story))

    def _begin_picture(self) -> None:
        state = self._state
        picture = Picture(len(self.pictures) + 1)
        if state.role is Role.SHOWN and not state.is_hidden and not state.is_deleted:
            state.story.current.shown.append(picture)
        if not state.is_closed:
            self.pictures.append(picture)
        state.role, state.picture = Role.PICTURE, picture

    def _at_end(self, then: Callable[[], None]) -> None:
        before = self._state.at_end

        def both() -> None:
            then()
            if before is not None:
                before()

        self._state.at_end = both

    def _end_paragraph(self, *, is_cell: bool) -> None:
        state = self._state
        if state.role is not Role.SHOWN:
            self._put(" ")
            return
        story = state.story
        paragraph = story.current
        paragraph.align = state.align
        if is_cell or state.is_in_table:
            if not story.table:
                self._tables += 1
                story.table, story.row, story.column = self._tables, 0, 0
            paragraph.cells = (Cell(story.table, story.row, story.column, 1, 1, story.is_header_row),)
            story.column += is_cell
        else:
            story.table = 0
        story.paragraphs.append(paragraph)
        story.current = Paragraph()

    def _end_story(self, story: Story) -> None:
        if not story.current.is_empty:
            story.paragraphs.append(story.current)
            story.current = Paragraph()
        self.stories.append(story)

    def paragraphs(self) -> Iterator[tuple[Story, Paragraph]]:
        """All paragraphs with their stories, in reading order: notes and text boxes where their paragraph is."""
        yield from _in_order(self.body)


def _in_order(story: Story) -> Iterator[tuple[Story, Paragraph]]:
    for paragraph in story.paragraphs:
        yield story, paragraph
        for piece in paragraph.shown:
            if isinstance(piece, Story):
                yield from _in_order(piece)


@cache
def _letters(codec: str) -> tuple[str, ...]:
    """What each byte says in an encoding of single bytes; in others, what ASCII says."""
    return tuple(bytes([value]).decode(codec, "replace") for value in range(256))
