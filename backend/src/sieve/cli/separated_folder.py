"""A document separated into a folder, without a gateway: `secure.bin`, `plain.bin` and `manifest.json`.

Invariant: the file comes back byte for byte, or not at all. The manifest holds the positions and both digests, so a
folder that was changed, cut or mixed with another is refused. Only the owner may read it: files 0600, folder 0700.
"""

import json
from pathlib import Path
from typing import Any, Final, Literal

from blake3 import blake3

from sieve.cli.errors import BadInput, Failed
from sieve.cli.files import read_source, write_target
from sieve.core.document import Document, Spans
from sieve.core.errors import SieveError
from sieve.core.integrate import integrate
from sieve.core.markup import parse, print_document
from sieve.core.separate import separate

VERSION: Final = 1
SECURE_NAME: Final = "secure.bin"
PLAIN_NAME: Final = "plain.bin"
MANIFEST_NAME: Final = "manifest.json"

_Given = Literal["marked", "unmarked"]


def write(source: str, folder: Path, *, unmarked: bool = False) -> Document:
    """Separates the file `source`, standard input for `-`, into `folder`.

    With `unmarked`, tags are text and the whole file is plain. Nothing is written if the marked text is not
    well-formed.

    Raises:
        MarkupError: the marked text is not well-formed.
        BadInput, Failed: the file cannot be read, or the folder not written.
    """
    data = read_source(source)
    document = Document(data) if unmarked else parse(data)
    _write(document, "unmarked" if unmarked else "marked", folder)
    return document


def write_document(document: Document, folder: Path) -> None:
    """Separates a document of any format into `folder`.

    Raises:
        Failed: the folder cannot be written.
    """
    _write(document, "unmarked", folder)


def _write(document: Document, given: _Given, folder: Path) -> None:
    streams = separate(document)
    manifest = {
        "version": VERSION,
        "given": given,
        "size": document.size,
        "spans": list(document.spans),
        "secure": _describe(streams.secure),
        "plain": _describe(streams.plain),
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Failed(f"cannot make the folder {folder}: {error.strerror}") from error
    # The manifest comes last: of a folder that is half written, `read` finds digests that do not match.
    write_target(folder / SECURE_NAME, streams.secure)
    write_target(folder / PLAIN_NAME, streams.plain)
    write_target(folder / MANIFEST_NAME, json.dumps(manifest, separators=(",", ":")).encode() + b"\n")


def read(folder: Path, *, content: bool = False) -> bytes:
    """The file that was separated into `folder`; with `content`, without its tags.

    Raises:
        BadInput: a file is missing, or does not match the manifest.
    """
    given, size, spans, descriptions = _read_manifest(folder / MANIFEST_NAME)
    streams = {}
    for name in (SECURE_NAME, PLAIN_NAME):
        streams[name] = read_source(str(folder / name))
        if _describe(streams[name]) != descriptions[name]:
            raise BadInput(f"{folder / name} does not match {MANIFEST_NAME}; separate the document again")
    try:
        document = Document(integrate(spans, size, streams[SECURE_NAME], streams[PLAIN_NAME]), spans)
        return document.content if content or given == "unmarked" else print_document(document)
    except SieveError as error:
        raise BadInput(f"{folder / MANIFEST_NAME} does not match its streams: {error}") from error


def _read_manifest(path: Path) -> tuple[_Given, int, Spans, dict[str, Any]]:
    raw = read_source(str(path))
    try:
        manifest = json.loads(raw)
        version = manifest["version"]
        if version == VERSION:
            given, size = manifest["given"], manifest["size"]
            if given not in ("marked", "unmarked") or type(size) is not int or size < 0:
                raise ValueError
            spans = Spans.of(manifest["spans"])
            return given, size, spans, {SECURE_NAME: manifest["secure"], PLAIN_NAME: manifest["plain"]}
    except (ValueError, KeyError, TypeError, RecursionError, SieveError):
        # Without the cause: a JSON error holds the text, and this text holds positions.
        complaint = f"{path} is not the manifest of a separated document; separate the document again"
        raise BadInput(complaint) from None
    raise BadInput(f"{path} has version {version!r}; this program reads version {VERSION}")


def _describe(stream: bytes) -> dict[str, Any]:
    return {"size": len(stream), "blake3": blake3(stream).hexdigest()}
