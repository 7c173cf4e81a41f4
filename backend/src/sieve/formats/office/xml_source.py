"""Parses XML that anybody may have made: without a network, without entities, within limits.

Invariant: no DTD, so there is nothing to expand, to fetch or to loop. Only UTF-8 and UTF-16, as Open Packaging
requires; two readers could read other encodings differently.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape, unescape
from io import BytesIO
from typing import Any, Final, cast

from lxml import etree

from sieve.formats.errors import Damaged, TooLarge

MAX_XML_BYTES: Final = 128 << 20
MAX_NODES: Final = 8_000_000
"""Tags and attributes of a part that is parsed at once; a tree needs 100 to 200 bytes for each."""
_NAMES_KEPT: Final = 4096
"""Names that are taken apart once: a large part repeats a few of them a million times."""

# Nothing else is skipped, since text there could not be searched.
_DECLARATION: Final = re.compile(
    r"""\s*<\?xml\s+version\s*=\s*["']1\.[0-9]["'](?:\s+encoding\s*=\s*["']([\w.-]*)["'])?"""
    r"""(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>"""
)
# Without comments, so that a text around a comment is one text.
_OPTIONS: Final[dict[str, Any]] = {
    "resolve_entities": False,
    "no_network": True,
    "huge_tree": False,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}
_DECLARES: Final = re.compile(r"\s*<\?xml\s", re.IGNORECASE)
_VOCABULARY: Final = (
    "http://schemas.openxmlformats.org/",
    "http://schemas.microsoft.com/",
    "http://purl.oclc.org/ooxml/",
    "http://www.w3.org/",
    "urn:schemas-microsoft-com:",
    "urn:oasis:names:tc:opendocument:",
    "urn:org:documentfoundation:names:",
    "urn:openoffice:names:",
    "http://openoffice.org/",
    "http://purl.org/dc/",
)
# Possessive, and tried only where a name may begin, so that a long text without white space is read once and not from
# each of its characters. A value contains no `<`: text such as x=" must not count as the beginning of one.
_ATTRIBUTE: Final = re.compile(r"""(?<=[\s:])([^\s:"'<>=]++)\s*+=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_VALUE: Final = re.compile(r"""=\s*(?:"([^"<]*)"|'([^'<]*)')""")
# In well-formed XML each of them ends; one inside another is text.
_SECTION: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_NOT_UTF_8: Final = "a part of the file is not in UTF-8; save the document again"
_NOT_WELL_FORMED: Final = "a part of the file is not well-formed XML; save the document again"
_KNOWN: Final = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"})


def text_of(data: bytes) -> str:
    """The XML as text, without its declaration.

    Raises:
        Damaged: it is in another encoding, or has a DTD.
        TooLarge: it is longer than a part may be.
    """
    if len(data) > MAX_XML_BYTES:
        raise TooLarge(f"a part of the file has more than {MAX_XML_BYTES >> 20} MiB of XML; classify the whole file")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        # Without the cause, which contains bytes of the document.
        raise Damaged(_NOT_UTF_8) from None
    if "\0" in text:
        # UTF-16 without a byte order mark: programs that guess the encoding would read text that is not read here.
        raise Damaged(_NOT_UTF_8)
    declaration = _DECLARATION.match(text)
    if declaration is None and _DECLARES.match(text):
        raise Damaged(_NOT_WELL_FORMED)
    if declaration is not None and (declaration[1] or "utf-8").lower() not in _KNOWN:
        raise Damaged(_NOT_UTF_8)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Damaged("a part of the file has a DTD, which no office document has; save the document again")
    return text if declaration is None else text[declaration.end() :]


def parse(data: bytes) -> etree._Element:
    """The root of the tree.

    Raises:
        Damaged: it is not well-formed, is nested too deeply, or is refused by `text_of`.
        TooLarge: its tree would take too much memory.
    """
    text = text_of(data)
    if text.count("<") + text.count("=") > MAX_NODES:
        raise TooLarge("a part of the file has too many elements; split the document or classify the whole file")
    source = text.encode()
    try:
        return etree.fromstring(source, etree.XMLParser(**_OPTIONS))
    except etree.XMLSyntaxError:
        # Without the cause, whose message may quote the document.
        raise Damaged(_NOT_WELL_FORMED) from None


def rows(data: bytes, tags: frozenset[str]) -> Iterator[etree._Element]:
    """The elements with one of `tags`, each with its children, in bounded memory. Do not keep them.

    Raises:
        Damaged, TooLarge: as `parse`.
    """
    yield from _read_through(_events(data, tags))


def beside(data: bytes, tags: frozenset[str]) -> etree._Element:
    """The root of the tree without the contents of elements with one of `tags`, of which there may be any number.

    Raises:
        Damaged, TooLarge: as `parse`.
    """
    events = _events(data, tags)
    for _ in _read_through(events):
        pass
    root: etree._Element = events.root
    return root


def _events(data: bytes, tags: frozenset[str]) -> "etree.iterparse[tuple[str, etree._Element]]":
    return etree.iterparse(BytesIO(text_of(data).encode()), events=("end",), tag=sorted(tags), **_OPTIONS)


def _read_through(events: "etree.iterparse[tuple[str, etree._Element]]") -> Iterator[etree._Element]:
    """Each element; afterwards it is emptied, and its preceding siblings are removed."""
    try:
        for _, element in events:
            yield element
            element.clear(keep_tail=False)
            while (before := element.getprevious()) is not None:
                parent = before.getparent()
                if parent is None:
                    break
                parent.remove(before)
    except etree.XMLSyntaxError:
        raise Damaged(_NOT_WELL_FORMED) from None


def character_data(text: str) -> str:
    """All text between the tags, joined as if there were no tags."""
    return unescape(_TAG.sub("", without_sections(text)))


def spaced_data(text: str) -> str:
    """The same with a space for each tag."""
    return unescape(_TAG.sub(" ", without_sections(text)))


def without_sections(text: str) -> str:
    """Well-formed XML with CDATA sections written as other text. Then each sign that opens a tag, a comment or an
    instruction really opens one, and no search for its end reads to the end of the source.
    """

    def written(section: re.Match[str]) -> str:
        return section[0] if section[1] is None else escape(section[1], quote=False)

    return _SECTION.sub(written, text) if "<![CDATA[" in text else text


def attribute_data(text: str) -> str:
    """The values of all attributes, a line each, without namespaces and schemas."""
    return "\n".join(values_of_attributes(text))


def values_of_attributes(text: str) -> Iterator[str]:
    """The values of all attributes, without namespaces and schemas."""
    for first, second in _VALUE.findall(text):
        value = unescape(first or second)
        if not is_vocabulary(value):
            yield value


def attribute_values(text: str) -> Iterator[tuple[str, str]]:
    """Name, without its prefix, and value of each attribute. Slower than `attribute_data`."""
    for match in _ATTRIBUTE.finditer(text):
        yield match[1], unescape(match[2] or match[3] or "")


def is_vocabulary(value: str) -> bool:
    """Whether an attribute's value names a namespace or schema, in which a word like "relationship" is no leak."""
    return value.startswith(_VOCABULARY)


def attributes(element: etree._Element) -> Sequence[tuple[str, str]]:
    """Name and value of each attribute."""
    return cast("list[tuple[str, str]]", element.items())


@lru_cache(_NAMES_KEPT)
def local(name: object) -> str:
    """A name without its namespace; empty for a comment or an instruction."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""


@lru_cache(_NAMES_KEPT)
def space_of(name: str) -> str:
    """The namespace of a tag or attribute."""
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def serialise(root: etree._Element) -> bytes:
    """The bytes of a part."""
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, standalone=True)
