"""Text in a PDF besides what its pages show: properties, bookmarks, comments, attachments, scripts and so on.

Invariant: every loop is bounded by a set of visited objects and by a number. A damaged branch is skipped, and the rest
is read. Text with a known purpose gets an address of its own; any other string of the file, that of its object.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain
from operator import itemgetter
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream, String

from sieve.core.units import Unit
from sieve.formats.errors import TooLarge
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.strings import strings

MAX_HIDDEN: Final = 200_000
"""Hidden units in one PDF."""
MAX_TEXT: Final = 4 << 20
"""Bytes of one unit."""
MAX_UNPACKED: Final = 512 << 20
"""Unpacked bytes of all units together; further streams are not read."""

MAX_FORMS: Final = 50
"""Forms on layers that are read, for each page."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_FORM_FIELDS: Final = ("/T", "/TU", "/TM", "/V", "/DV", "/RV")
_ANNOTATION: Final = ("/Contents", "/T", "/Subj", "/RC", "/V", "/DA", "/OverlayText")
_SPOKEN: Final = ("/T", "/Alt", "/ActualText", "/E")


class StringReader:
    """Strings and streams as text, within a budget: a thousand places may refer to one stream."""

    def __init__(self) -> None:
        self._left = MAX_UNPACKED
        self.read: set[str] = set()
        """Every string that was read."""

    def text(self, value: object) -> str:
        """The text of a string, a name, a stream of text or an array of them; empty for anything else."""
        if isinstance(value, String):
            said = str(value)
            self.read.add(said)
        elif isinstance(value, Stream):
            said = self.content(value) or ""
        elif isinstance(value, Name):
            said = str(value)[1:]
        elif isinstance(value, Array):
            said = "\n".join(self.text(item) for item in list(value)[:1000] if isinstance(item, (String, Name)))
        else:
            return ""
        return _SURROGATE.sub("\ufffd", said[:MAX_TEXT])

    def texts(self, item: Object, keys: tuple[str, ...]) -> str:
        """The texts under the `keys` of a dictionary, a line each."""
        return "\n".join(said for said in (self.text(item.get(key)) for key in keys) if said)

    def content(self, stream: Stream) -> str | None:
        """The unpacked stream, if it is text."""
        if self._left < 0:
            return None
        try:
            data = stream.read_bytes()
        except FAULTS:
            self._left -= 1 << 20
            return None
        self._left -= len(data)
        data = data[:MAX_TEXT]
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        said = data.decode(encoding, "replace")
        return None if "\0" in said or said.count("\ufffd") > len(said) // 100 else said


def hidden_units(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    """The hidden text of the document as a whole.

    Raises:
        TooLarge: there is too much of it.
    """
    left = MAX_HIDDEN
    sources = (_properties, _bookmarks, _destinations, _attachments, _fields, _scripts, _layers, _structure)
    for source in (*sources, _others):
        for unit in _until_fault(source(pdf, reader)):
            left -= 1
            if left < 0:
                raise TooLarge(
                    f"this PDF has more than {MAX_HIDDEN} bookmarks, fields and the like; classify the whole file"
                )
            yield unit


def annotation_units(page: Object, address: str, reader: StringReader) -> Iterator[Unit]:
    """The hidden text of a page: comments, links and its metadata."""
    return _until_fault(_annotations(page, address, reader))


def images(page: Object) -> list[Stream]:
    """The images in the page's resources, in the order of their names."""
    try:
        listed = page.get("/Resources", Dictionary()).get("/XObject", Dictionary())
        return [
            value
            for _, value in sorted(listed.items(), key=itemgetter(0))
            if isinstance(value, Stream) and value.get("/Subtype") == Name.Image
        ]
    except FAULTS:
        return []


def forms_alone(page: Object, layers: frozenset[str]) -> Iterator[bytes]:
    """For each of the page's forms on one of the `layers`, a PDF that shows only this form."""
    try:
        listed = page.get("/Resources", Dictionary()).get("/XObject", Dictionary())
        forms = [form for form in dict(listed.items()).values() if isinstance(form, Stream) and _on_layer(form, layers)]
        for form in forms[:MAX_FORMS]:
            with pikepdf.new() as alone:
                alone.add_blank_page()
                brought = alone.copy_foreign(form)
                del brought["/OC"]
                alone.pages[0].obj.Resources = Dictionary(XObject=Dictionary(X=brought))
                alone.pages[0].obj.Contents = alone.make_stream(b"/X Do")
                written = BytesIO()
                alone.save(written)
                yield written.getvalue()
    except FAULTS:
        return


def _on_layer(form: Stream, layers: frozenset[str]) -> bool:
    layer = form.get("/OC")
    groups = layer.get("/OCGs", layer) if isinstance(layer, Dictionary) else None
    listed = list(groups) if isinstance(groups, Array) else [groups]
    return any(isinstance(group, Dictionary) and str(group.get("/Name", "")) in layers for group in listed)


def _until_fault(units: Iterator[Unit]) -> Iterator[Unit]:
    """The units up to the first error."""
    with suppress(*FAULTS):
        yield from units


def _numbered(address: str, kind: str, hidden: str, texts: Iterable[str]) -> Iterator[Unit]:
    """A unit for each text, numbered from 1."""
    return (Unit(f"{address}/{number}", text, kind, hidden) for number, text in enumerate(texts, 1))


def _walk(start: Iterable[object], below: Callable[[Object], Iterable[object]]) -> Iterator[Object]:
    """The dictionaries in `start` and, depth first, those that `below` returns for each; each of them once."""
    seen = pikepdf.ObjectSet()
    waiting = list(start)[::-1]
    while waiting and len(seen) <= MAX_HIDDEN:
        item = waiting.pop()
        if isinstance(item, Dictionary) and seen.add(item):
            yield item
            waiting += list(below(item))[::-1]


def _kids(node: Object) -> Iterable[object]:
    kids = node.get("/Kids")
    return list(kids) if isinstance(kids, Array) else ()


def _parts(element: Object) -> Iterable[object]:
    parts = element.get("/K")
    return list(parts) if isinstance(parts, Array) else (parts,)


def _properties(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    info = pdf.trailer.get("/Info")
    if isinstance(info, Dictionary):
        for key, value in info.items():
            if text := reader.text(value):
                yield Unit(f"info/{_word(key)}", text, "property", "a property")
    metadata = pdf.Root.get("/Metadata")
    if isinstance(metadata, Stream) and (text := reader.text(metadata)):
        yield Unit("xmp", text, "metadata", "metadata")


def _word(key: str) -> str:
    """A key as part of an address."""
    return _SURROGATE.sub("\ufffd", key[1:]).replace("/", "_")


def _bookmarks(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    items = _walk([pdf.Root.get("/Outlines")], lambda item: [item.get("/First"), item.get("/Next")])
    titles = (reader.text(item["/Title"]) for item in items if "/Title" in item)
    yield from _numbered("bookmark", "bookmark", "a bookmark", titles)


def _tree(root: object, reader: StringReader) -> Iterator[tuple[str, Object]]:
    """Names and values of a name tree, in its order."""
    for node in _walk([root], _kids):
        names = node.get("/Names")
        if isinstance(names, Array):
            pairs = iter(names)
            for name, value in zip(pairs, pairs, strict=False):
                yield reader.text(name), value


def _names(pdf: pikepdf.Pdf, key: str, reader: StringReader) -> Iterator[tuple[str, Object]]:
    names = pdf.Root.get("/Names")
    return _tree(names.get(key), reader) if isinstance(names, Dictionary) else iter(())


def _destinations(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    old = pdf.Root.get("/Dests")
    listed = [_SURROGATE.sub("\ufffd", key[1:]) for key in dict(old.items())] if isinstance(old, Dictionary) else []
    names = chain(listed, (name for name, _ in _names(pdf, "/Dests", reader)))
    yield from _numbered("destination", "destination", "a named destination", names)


def _attachments(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    seen = pikepdf.ObjectSet()
    number = 0
    for name, file in _attached(pdf, reader):
        if not isinstance(file, Dictionary) or not seen.add(file):
            continue
        number += 1
        described = "\n".join(dict.fromkeys(filter(None, [name, reader.texts(file, ("/UF", "/F", "/Desc"))])))
        yield Unit(f"attachment/{number}", described, "attachment", "an attachment's name")
        embedded = file.get("/EF")
        content = embedded.get("/F", embedded.get("/UF")) if isinstance(embedded, Dictionary) else None
        if isinstance(content, Stream) and (text := reader.text(content)):
            yield Unit(f"attachment/{number}/content", text, "attachment", "an attachment")


def _attached(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[tuple[str, object]]:
    yield from _names(pdf, "/EmbeddedFiles", reader)
    associated = pdf.Root.get("/AF")
    yield from (("", file) for file in associated) if isinstance(associated, Array) else ()
    for page in pdf.pages:
        for annotation in _listed(page.obj):
            yield "", annotation.get("/FS")


def _fields(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    form = pdf.Root.get("/AcroForm")
    if not isinstance(form, Dictionary):
        return
    xfa = form.get("/XFA")
    parts = list(xfa)[:1000] if isinstance(xfa, Array) else [xfa]
    said = (reader.text(part) for part in parts if isinstance(part, Stream))
    yield from _numbered("form", "form", "a form", filter(None, said))
    fields = form.get("/Fields")
    said = (reader.texts(field, _FORM_FIELDS) for field in _walk(fields if isinstance(fields, Array) else [], _kids))
    yield from _numbered("field", "form field", "a form field", filter(None, said))


def _scripts(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    yield from _numbered("script", "script", "a script", filter(None, _script_texts(pdf, reader)))


def _script_texts(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[str]:
    seen = pikepdf.ObjectSet()
    for start in _actions(pdf, reader):
        waiting: list[object] = [start]
        while waiting and len(seen) <= MAX_HIDDEN:
            action = waiting.pop()
            if isinstance(action, Array):
                waiting.extend(action)
            if isinstance(action, Dictionary) and seen.add(action):
                yield reader.text(action.get("/JS"))
                waiting.append(action.get("/Next"))


def _actions(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[object]:
    yield from (action for _, action in _names(pdf, "/JavaScript", reader))
    owners: list[Object] = [pdf.Root]
    for page in pdf.pages:
        owners.append(page.obj)
        owners.extend(_listed(page.obj))
    for owner in owners:
        yield from (owner.get(key) for key in ("/OpenAction", "/A"))
        more = owner.get("/AA")
        if isinstance(more, Dictionary):
            yield from more.values()


def _layers(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    properties = pdf.Root.get("/OCProperties")
    groups = properties.get("/OCGs") if isinstance(properties, Dictionary) else None
    if isinstance(groups, Array):
        for number, group in enumerate(groups, 1):
            if isinstance(group, Dictionary) and (text := reader.text(group.get("/Name"))):
                yield Unit(f"layer/{number}", text, "layer", "a layer's name")


def _structure(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    said = (reader.texts(element, _SPOKEN) for element in _walk([pdf.Root.get("/StructTreeRoot")], _parts))
    yield from _numbered("structure", "description", "a description for screen readers", filter(None, said))


def _others(pdf: pikepdf.Pdf, reader: StringReader) -> Iterator[Unit]:
    """The strings that no function above read: a unit for each object, a string a line."""
    for number, value in enumerate([pdf.trailer, *pdf.objects]):
        found = dict.fromkeys(said for said in strings(value) if said not in reader.read)
        if found:
            text = _SURROGATE.sub("\ufffd", "\n".join(found))
            yield Unit(f"object/{number}", text[:MAX_TEXT], "text of an object", "text outside the pages")


def _annotations(page: Object, address: str, reader: StringReader) -> Iterator[Unit]:
    for number, annotation in enumerate(_listed(page), 1):
        if text := reader.texts(annotation, _ANNOTATION):
            yield Unit(f"{address}/annotation/{number}", text, "annotation", "an annotation")
        action = annotation.get("/A")
        if isinstance(action, Dictionary) and (
            text := "\n".join(filter(None, [reader.text(action.get("/URI")), _file(action.get("/F"), reader)]))
        ):
            yield Unit(f"{address}/link/{number}", text, "link", "a link's address")
    metadata = page.get("/Metadata")
    if isinstance(metadata, Stream) and (text := reader.text(metadata)):
        yield Unit(f"{address}/xmp", text, "metadata", "metadata")


def _file(value: object, reader: StringReader) -> str:
    return reader.texts(value, ("/UF", "/F")) if isinstance(value, Dictionary) else reader.text(value)


def _listed(page: Object) -> list[Object]:
    annotations = page.get("/Annots")
    if not isinstance(annotations, Array):
        return []
    if len(annotations) > MAX_HIDDEN:
        raise TooLarge(f"this PDF has a page with more than {MAX_HIDDEN:,} annotations; classify the whole file")
    return [item for item in annotations if isinstance(item, Dictionary)]
