"""Maps of the codes of a font's characters to text, as far as the PDF itself gives them."""

import re
from typing import Any, Final

from pikepdf import Array, Dictionary, Name, Object, Stream

from sieve.formats.pdf.opening import FAULTS

MAX_MAP: Final = 4 << 20
"""Bytes of a map of codes. A longer one counts as empty."""
MAX_RANGE: Final = 65_536
_MAX_TARGET: Final = 128
"""Hexadecimal digits of the text of one code."""

_SECTION: Final = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf(?:char|range)", re.DOTALL)
_HEX: Final = rb"<([0-9A-Fa-f\s]*)>"
_CHAR: Final = re.compile(_HEX + rb"\s*" + _HEX)
_RANGE: Final = re.compile(_HEX + rb"\s*" + _HEX + rb"\s*(?:" + _HEX + rb"|\[([^\]]*)\])")
_TARGET: Final = re.compile(_HEX)
_CODECS: Final = {"/WinAnsiEncoding": "cp1252", "/MacRomanEncoding": "mac_roman"}
_STANDARD_QUOTES: Final = {39: "’", 96: "‘"}
"""Where Adobe's standard encoding differs from ASCII. pdfium reads an unknown encoding as this one."""
_ASCII_QUOTES: Final = frozenset({"/PDFDocEncoding", "/MacExpertEncoding"})
_SYMBOLIC: Final = 4
_GLYPH_NAME: Final = re.compile(r"uni([0-9A-F]{4})|([A-Za-z])|u([0-9A-F]{4,6})")
_SYMBOLS: Final = re.compile("symbol|dingbat", re.IGNORECASE)
_NAMES: Final = """
space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen
period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at
bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright asciitilde quoteleft
quoteright quotedblleft quotedblright endash emdash bullet germandbls adieresis odieresis udieresis Adieresis
Odieresis Udieresis eacute egrave fi fl ff ffi ffl
"""
_TEXTS: Final = (*" !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~‘’“”–—•ßäöüÄÖÜéè", "fi", "fl", "ff", "ffi", "ffl")
_NAMED: Final = dict(zip(_NAMES.split(), _TEXTS, strict=True))
"""Names of glyphs that occur in texts; any other is left out."""


def character_map(font: Object) -> dict[int, str]:
    """The text of each code of `font`; without those of which the PDF does not give it."""
    try:
        table = font.get("/ToUnicode")
        if isinstance(table, Stream):
            return parsed(bytes(table.read_bytes()))
        if font.get("/Subtype") == Name.Type0:
            return {}
        return _of_encoding(font)
    except FAULTS:
        return {}


def parsed(table: bytes) -> dict[int, str]:
    """The map that a ToUnicode stream contains."""
    found: dict[int, str] = {}
    if len(table) > MAX_MAP:
        return found
    left = 4 * MAX_RANGE  # ranges may overlap, so that a short map takes long
    for section in _SECTION.finditer(table):
        if section[1] == b"bfchar":
            for code, target in _CHAR.findall(section[2]):
                found[_number(code)] = _text(target)
            continue
        for first, last, target, targets in _RANGE.findall(section[2]):
            low, high = _number(first), _number(last)
            if not low <= high < low + MAX_RANGE or high - low >= left:
                continue
            left -= high - low + 1
            if targets:
                found.update(zip(range(low, high + 1), map(_text, _TARGET.findall(targets)), strict=False))
            elif text := _text(target):
                head, tail = text[:-1], ord(text[-1])
                found.update((low + at, head + chr(min(tail + at, 0x10FFFF))) for at in range(high - low + 1))
    return found


def glyph_names(encoding: object) -> dict[int, str]:
    """The glyph name of each code that the /Differences of an encoding list."""
    names: dict[int, str] = {}
    listed = encoding.get("/Differences") if isinstance(encoding, Dictionary) else None
    code = 0
    items: list[Any] = list(listed)[:2_000] if isinstance(listed, Array) else []
    for item in items:
        if isinstance(item, Name):
            names[code] = str(item)[1:]
            code += 1
        elif isinstance(item, int):
            code = item
    return names


def _of_encoding(font: Object) -> dict[int, str]:
    encoding = font.get("/Encoding")
    base = encoding.get("/BaseEncoding") if isinstance(encoding, Dictionary) else encoding
    codec = _CODECS.get(str(base), "ascii")
    is_symbolic = _SYMBOLS.search(str(font.get("/BaseFont", ""))) is not None
    is_text = isinstance(base, Name) or ("/FontDescriptor" not in font and not is_symbolic)
    found = {}
    if is_text and font.get("/Subtype") != Name.Type3:
        found = {code: bytes([code]).decode(codec, "ignore") for code in range(32, 256)}
        if codec == "ascii" and str(base) not in _ASCII_QUOTES and not _is_by_symbols(font):
            found |= _STANDARD_QUOTES
    for code, name in glyph_names(encoding).items():
        shape = _GLYPH_NAME.fullmatch(name)
        digits = shape and (shape[1] or shape[3])
        found[code] = chr(min(int(digits, 16), 0x10FFFF)) if digits else name if shape else _NAMED.get(name, "")
    return {code: text for code, text in found.items() if text}


def _is_by_symbols(font: Object) -> bool:
    """Whether pdfium reads no quotes of the standard encoding, since the descriptor of the font calls it symbolic."""
    descriptor = font.get("/FontDescriptor")
    flags = descriptor.get("/Flags", 0) if isinstance(descriptor, Dictionary) else 0
    is_named = isinstance(font.get("/Encoding"), Name)
    return bool(int(flags) & _SYMBOLIC) and (is_named or font.get("/Subtype") == Name.TrueType)


def _number(digits: bytes) -> int:
    return int(b"".join(digits.split()) or b"0", 16)


def _text(digits: bytes) -> str:
    packed = b"".join(digits.split())[:_MAX_TARGET]
    packed = packed[: len(packed) // 2 * 2]
    raw = bytes.fromhex(packed.decode())
    return (raw if len(raw) > 1 else b"\0" + raw).decode("utf-16-be", "ignore") if raw else ""
