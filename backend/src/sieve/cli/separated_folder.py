"""A document separated into a folder, without a gateway: `secure.bin`, `plain.bin` and `manifest.json`.

The law: what was given comes back byte for byte, or not at all. The manifest holds the positions and both
digests, so a folder that was changed, cut or mixed with another is refused. Everything is for its owner's
eyes: files 0600, folder 0700.

SieveError
└── FolderError
    ├── InputUnusable     what was to be read is missing, unreadable or damaged
    └── OutputFailed      what was to be written could not be
"""

import json
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from blake3 import blake3

from sieve.core.document import Document, Spans
from sieve.core.errors import SieveError
from sieve.core.integrate import integrate
from sieve.core.markup import parse, print_document
from sieve.core.separate import separate

VERSION: Final = 1
SECURE_NAME: Final = "secure.bin"
PLAIN_NAME: Final = "plain.bin"
MANIFEST_NAME: Final = "manifest.json"
STANDARD_STREAM: Final = "-"

_Given = Literal["marked", "unmarked"]


class FolderError(SieveError):
    """A separated folder cannot be written or read."""


class InputUnusable(FolderError):
    """What was to be read is missing, unreadable or damaged."""


class OutputFailed(FolderError):
    """What was to be written could not be."""


def write(source: str, folder: Path, *, unmarked: bool = False) -> Document:
    """Separates the file `source`, standard input if it is `-`, into `folder`.

    `unmarked` takes tags for text: all of the file is plain then. Nothing is written if the input is not
    well-formed.

    Raises:
        MarkupError: the marked text is not well-formed.
        InputUnusable, OutputFailed: reading or writing failed.
    """
    data = read_source(source)
    document = Document(data) if unmarked else parse(data)
    _write(document, "unmarked" if unmarked else "marked", folder)
    return document


def write_document(document: Document, folder: Path) -> None:
    """Separates a document of any format into `folder`; its content is what was given.

    Raises:
        OutputFailed: writing failed.
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
    with _writing(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The manifest comes last: if we are stopped half-way, digests and streams do not fit, and `read` says so.
    write_private(folder / SECURE_NAME, streams.secure)
    write_private(folder / PLAIN_NAME, streams.plain)
    write_private(folder / MANIFEST_NAME, json.dumps(manifest, separators=(",", ":")).encode() + b"\n")


def read(folder: Path, *, content: bool = False) -> bytes:
    """The very file that was separated into `folder`, with its tags; or only its `content`, without them.

    Raises:
        InputUnusable: a file is missing, or is not what the manifest says.
    """
    given, size, spans, descriptions = _read_manifest(folder / MANIFEST_NAME)
    streams = {}
    for name in (SECURE_NAME, PLAIN_NAME):
        streams[name] = _read_file(folder / name)
        if _describe(streams[name]) != descriptions[name]:
            raise InputUnusable(f"{folder / name} is not what {MANIFEST_NAME} describes; separate the document again")
    try:
        document = Document(integrate(spans, size, streams[SECURE_NAME], streams[PLAIN_NAME]), spans)
        return document.content if content or given == "unmarked" else print_document(document)
    except SieveError as error:
        raise InputUnusable(f"{folder / MANIFEST_NAME} does not fit its streams: {error}") from error


def write_private(target: Path, data: bytes) -> None:
    """Puts `data` at `target`, mode 0600, whole or not at all. A device or pipe is written to, not replaced.

    Raises:
        OutputFailed: it could not be written; what was there before still is.
    """
    with _writing(target):
        target = target.resolve()
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
            return
        # Made with mode 0600 from the first moment.
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".sieve-", delete=False) as file:
            unfinished = Path(file.name)
            try:
                file.write(data)
                file.close()
                unfinished.replace(target)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise


def write_target(target: str, data: bytes) -> None:
    """Puts `data` at the path `target`, as `write_private` does, or on standard output for `-`."""
    if target != STANDARD_STREAM:
        write_private(Path(target), data)
        return
    with _writing("standard output"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def read_source(source: str) -> bytes:
    """The file `source`, or standard input if it is `-`.

    Raises:
        InputUnusable: it cannot be read.
    """
    if source != STANDARD_STREAM:
        return _read_file(Path(source))
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputUnusable(f"cannot read standard input: {error.strerror}") from error


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputUnusable(f"cannot read {path}: {error.strerror}") from error


def _read_manifest(path: Path) -> tuple[_Given, int, Spans, dict[str, Any]]:
    raw = _read_file(path)
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
        complaint = f"{path} is no manifest of a separated document; separate the document again"
        raise InputUnusable(complaint) from None
    raise InputUnusable(f"{path} is of version {version!r}; this program reads version {VERSION}")


def _describe(stream: bytes) -> dict[str, Any]:
    return {"size": len(stream), "blake3": blake3(stream).hexdigest()}


@contextmanager
def _writing(target: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputFailed(f"cannot write {target}: {error.strerror}") from error
