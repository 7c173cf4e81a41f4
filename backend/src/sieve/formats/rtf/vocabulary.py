"""What control words of RTF mean for its text: which groups readers show, which characters words stand for.

Invariant: a group that is not listed as shown is hidden. What hides text is read as a unit, unless only programs write
it: names of fonts, colours, numbers of revisions, themes.
"""

import re
from enum import Enum, auto
from typing import Final


class Role(Enum):
    """What becomes of the text of a group."""

    SHOWN = auto()
    COMPUTED = auto()
    """Shown, but a program wrote it, and it may depend on text anywhere: results of fields, numbers of lists."""
    BELOW = auto()
    """Hidden text of the paragraph around it."""
    CODE = auto()
    """The code of a field, which belongs to the paragraph around it."""
    ASIDE = auto()
    """Hidden text apart from all paragraphs."""
    STORY = auto()
    """Paragraphs of their own: a header, a footnote, a text box."""
    FONTS = auto()
    PICTURE = auto()
    OBJECT = auto()
    SILENT = auto()
    """Only programs write it."""


_ASIDES: Final = {
    ("property", "a property"): (
        "info title subject author manager company operator category keywords comment doccomm hlinkbase userprops"
        " propname staticval linkval"
    ),
    ("bookmark", "a bookmark"): "bkmkstart bkmkend",
    ("author", "a name of an author"): "revtbl protusertbl atnid atnauthor",
    ("style", "a name of a style"): "stylesheet pgdsctbl pgdsc listname",
    ("numbering", "a text of a numbering"): "leveltext pntxta pntxtb",
    ("variable", "a document variable"): "docvar",
    ("description", "a description"): "sv",
    ("link", "a link"): "filetbl file template nextfile hl hlloc hlsrc hlfr linkself",
    ("object", "a name of an object"): "objname objalias objsect",
    ("formula", "a formula"): "mmath moMath moMathPara",
    ("markup", "hidden text"): (
        "upr shp shpgrp shpinst shprslt do object nonshppict background nonesttables ftnsep ftnsepc ftncn aftnsep"
        " aftnsepc aftncn"
    ),
}
ASIDES: Final = {word: meaning for meaning, words in _ASIDES.items() for word in words.split()}
"""By control word: the address and the phrase of what a group hides."""
UNKNOWN: Final = ("markup", "hidden text")
_HEADERS: Final = "header headerl headerr headerf footer footerl footerr footerf"
HEADERS: Final = frozenset(_HEADERS.split())
NOTES: Final = frozenset({"footnote", "annotation"})
TEXT_BOXES: Final = frozenset({"shptxt", "dptxbxtext"})
_SILENT: Final = (
    "colortbl expandedcolortbl listtable listoverridetable rsidtbl generator themedata colorschememapping datastore"
    " latentstyles lsdlockedexcept panose falt fname fontemb fontfile blipuid levelnumbers objclass objtime datafield"
    " sn passwordhash writereservhash fldtype atrfstart atrfend atndate atntime atnref atnparent oldcprops oldpprops"
    " oldtprops oldsprops wgrffmtfilter mmathPr creatim revtim printim buptim nesttableprops keycode picprop fchars"
    " lchars"
)
ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys(ASIDES, Role.ASIDE),
    **dict.fromkeys((*HEADERS, *NOTES, *TEXT_BOXES), Role.STORY),
    **dict.fromkeys(_SILENT.split(), Role.SILENT),
    **dict.fromkeys(("fldrslt", "result", "listtext", "pntext"), Role.COMPUTED),
    **dict.fromkeys(("xe", "tc"), Role.BELOW),
    "fldinst": Role.CODE,
    "fonttbl": Role.FONTS,
    "pict": Role.PICTURE,
    "objdata": Role.OBJECT,
}
"""What the control word that a group begins with makes of it."""
TRANSPARENT: Final = frozenset({"shppict", "field", "rtf", "ud"})
"""Groups that change nothing, though some programs may skip them."""
CONTAINERS: Final = frozenset({"shp", "shpgrp", "shpinst", "do", "object", "background", "sv"})
"""Groups in which text boxes and results of objects are shown."""
CHARACTERS: Final = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "page": "\n",
    "column": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
}
"""Control words that stand for a character."""
SYMBOLS: Final = {"\\": "\\", "{": "{", "}": "}", "~": "\u00a0", "_": "\u2011", "\t": "\t"}
"""Symbols that stand for a character."""
PARAGRAPH_ENDS: Final = frozenset({"par", "sect"})
CELL_ENDS: Final = frozenset({"cell", "nestcell"})
UNDERLINES: Final = frozenset({"ul", "uld", "uldash", "uldashd", "uldashdd", "uldb", "ulth", "ulw", "ulwave"})
ALIGNMENTS: Final = frozenset({"ql", "qr", "qc", "qj"})
USUAL_NAMES: Final = re.compile(
    r"_GoBack|_(?:Toc|Ref|Hlk|Hlt)[0-9]+|Unknown|User"
    r"|(?:heading|toc|index|list|list bullet|list number|list continue|body text|body text indent|envelope) ?[0-9]?"
    r"|Normal(?: \(Web\)| Indent| Table)?|Default(?: Paragraph Font| Page Style| Style)?|No (?:List|Spacing)|Title"
    r"|Subtitle"
    r"|Table (?:Grid|Normal|Contents|Heading)|(?:annotation|footnote|endnote) (?:text|reference|subject)|header|footer"
    r"|caption|Hyperlink|FollowedHyperlink|Internet Link|Strong|Emphasis|page number|line number|Placeholder Text"
    r"|Balloon Text|List Paragraph|Text Body|Header and Footer|Frame Contents|Comment|Footnote|Endnote"
    r"|(?:Footnote|Endnote) (?:Characters|Anchor|Symbol)|Bullets|Numbering Symbols|Converted[0-9]*|Footer Char"
    r"|Header Char"
    r"|Text body|Internet link|Visited Internet Link",
    re.IGNORECASE,
)
"""Names that Word and LibreOffice give without being asked."""
_CHARSETS: Final = {
    0: "cp1252",
    77: "mac-roman",
    78: "cp932",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_PAGES: Final = {65001: "utf-8", 10000: "mac-roman", 936: "gb18030", 54936: "gb18030", 1361: "johab", 28591: "cp1252"}
_NUMBERED: Final = frozenset(
    {437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 932, 949, 950}
    | {*range(1250, 1259)}
)


def codec_of_charset(number: int) -> str | None:
    """The codec of a font's character set; None for that of the document."""
    return _CHARSETS.get(number)


def codec_of_page(number: int) -> str | None:
    """The codec of a code page; None if it is unknown."""
    return _PAGES.get(number) or (f"cp{number}" if number in _NUMBERED else None)
