"""Uploads a file to the gateway as a document: as a marked text, as plain text, with a marks file, or all classified.

Invariant: a file that is not sent leaves nothing at the gateway; one that is sent leaves a document there, no draft.
"""

import codecs
import mimetypes
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from sieve import marks_file
from sieve.channel.load import MAX_DOCUMENTS
from sieve.cli.api import Api, Unreachable
from sieve.cli.errors import BadInput, CommandError
from sieve.cli.file_errors import naming
from sieve.cli.files import STANDARD_STREAM, Unreadable, display_name, read_source
from sieve.cli.interrupts import DeferredInterrupt
from sieve.cli.text_encoding import Encoding, checked_utf_8, converted
from sieve.core import markup
from sieve.core.document import Segment
from sieve.core.units import Mark
from sieve.formats.text.separation import is_text

PIECE: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class UploadOptions:
    """How to upload files: as marked texts, unless one of `unmarked`, `marks` and `whole` is set. `encoding`: of texts
    that are not in UTF-8."""

    name: str | None = None
    media_type: str | None = None
    unmarked: bool = False
    marks: Path | None = None
    whole: bool = False
    encoding: Encoding | None = None

    def check(self, files: Sequence[str]) -> None:
        """Raises BadInput if options contradict each other or the files."""
        if len(files) > MAX_DOCUMENTS:
            raise BadInput(f"at most {MAX_DOCUMENTS} documents can be sent together; there are {len(files)}")
        if self.unmarked + self.whole + (self.marks is not None) > 1:
            raise BadInput("--unmarked, --marks and --whole exclude each other; use one of them")
        if self.encoding is not None and self.whole:
            raise BadInput("--encoding converts texts, and --whole sends files as they are; use one of them")
        if files.count(STANDARD_STREAM) > 1:
            raise BadInput("- is stdin and can be named only once")
        if len(files) > 1 and self.marks is not None:
            raise BadInput("--marks is for one file; send files with marks one at a time")
        if len(files) > 1 and (self.name is not None or self.media_type is not None):
            raise BadInput("--name and --media-type are for one document; send these files one at a time")


class Uploaded(NamedTuple):
    """A document at the gateway. `draft_id`: the draft that holds it, if it was uploaded as one."""

    document_id: str
    name: str
    draft_id: str | None = None


def upload(api: Api, file: str, given: UploadOptions, uploaded: list[Uploaded]) -> None:
    """Uploads the file and adds its document to `uploaded`, even if a later step fails.

    Raises:
        SieveError: the file cannot be read, or the gateway refuses it.
    """
    name = _name_of(file, given)
    with naming(file, given.marks):
        try:
            if given.marks is not None:
                _with_marks(api, file, name, given.marks, given, uploaded)
                return
            with _opened(file, given.encoding) as source:
                if given.whole:
                    _classified_whole(api, source, name, given.media_type, uploaded)
                    return
                kind = given.media_type or _guess(name, unmarked=given.unmarked)
                if given.unmarked:
                    pieces = pieces_of(source)
                    _document(api, "literal", name, kind, checked_utf_8(pieces) if is_text(kind) else pieces, uploaded)
                else:
                    _document(api, "marked", name, kind, _marked(name, source), uploaded)
        except OSError as error:
            raise BadInput(f"cannot read {display_name(file)}: {error.strerror}") from error
        except Unreadable:
            raise
        except BadInput as error:
            raise BadInput(f"{display_name(file)}: {error}") from error


def clean_up(api: Api, uploaded: Sequence[Uploaded], *, sent: bool | None) -> None:
    """Deletes drafts, and also documents that were not sent, so that retries do not pile up.

    `sent`: None if it is unknown; the gateway keeps documents that were sent.
    """
    for one in uploaded:
        try:
            if one.draft_id is not None:
                api.call("DELETE", f"/drafts/{one.draft_id}", params={"keep_sent": sent is not False, "forever": True})
            elif not sent:
                api.call("DELETE", f"/documents/{one.document_id}")
        except Unreachable:
            return  # the gateway would not answer for the others either
        except CommandError:
            continue  # the first error matters to the user, not this one


def sizes(file: str, given: UploadOptions) -> tuple[int, int]:
    """The bytes that the document would have, and how many of them are classified.

    Raises:
        SieveError: the file cannot be read, or its tags or marks are not valid.
    """
    data = read_source(file)
    if given.whole:
        return len(data), len(data)
    with naming(file, given.marks):
        data = converted(data, given.encoding)
        if given.unmarked:
            return len(data), 0
        if given.marks is None:
            document = markup.parse(data)
        else:
            # Imported here, so that other commands start without the format readers.
            from sieve.cli.marked_file import read_marked_bytes

            document = read_marked_bytes(_name_of(file, given), data, given.marks).document
    return document.size, document.classified_size


def _name_of(file: str, given: UploadOptions) -> str:
    return given.name or ("document" if file == STANDARD_STREAM else Path(file).name)


# --- a document ------------------------------------------------------------------------------------------------------


def _document(api: Api, form: str, name: str, media_type: str, body: Iterator[bytes], uploaded: list[Uploaded]) -> None:
    params = {"form": form, "name": name, "media_type": media_type}
    # Once the gateway has all bytes, it makes a document, even if nobody reads its answer.
    with DeferredInterrupt() as interrupt:
        answer: dict[str, Any] = api.call("POST", "/documents", params=params, content=interrupt.defer_after(body))
        uploaded.append(Uploaded(answer["id"], answer["name"]))


def _classified_whole(api: Api, source: BinaryIO, name: str, media_type: str | None, uploaded: list[Uploaded]) -> None:
    if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
        source = BytesIO(source.read())  # a pipe does not tell its size
    start = source.tell()  # another program may have read the start of standard input
    size = source.seek(0, os.SEEK_END) - start
    source.seek(start)
    guessed = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if media_type is None and is_text(guessed) and not _is_utf_8(source):
        guessed = "application/octet-stream"  # the gateway would refuse it as text
    source.seek(start)
    _document(api, "framed", name, guessed, _framed(source, size), uploaded)


def _framed(source: BinaryIO, size: int) -> Iterator[bytes]:
    """`size` bytes, all classified. Further bytes would be plain, so they are an error."""
    yield f"[[0,{size}]]\n".encode() if size else b"[]\n"
    for piece in pieces_of(source):
        size -= len(piece)
        if size < 0:
            break
        yield piece
    if size:
        raise BadInput("the file changed while it was read; try again")


def _is_utf_8(source: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in pieces_of(source):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


# --- with a marks file -----------------------------------------------------------------------------------------------


def _with_marks(api: Api, file: str, name: str, marks: Path, given: UploadOptions, uploaded: list[Uploaded]) -> None:
    from sieve.cli.marked_file import read_marked_bytes

    media_type = given.media_type
    read = read_marked_bytes(name, converted(read_source(file), given.encoding), marks, media_type)
    if read.reading.name != "text":
        _draft(api, name, read.data, read.marks, media_type, uploaded)
        return
    # A text is uploaded with its marks as spans.
    kind = media_type or _guess(name, unmarked=False)
    framed = iter((marks_file.print_ranges(read.document.spans) + b"\n", read.data))
    _document(api, "framed", name, kind, framed, uploaded)


def _draft(
    api: Api, name: str, data: bytes, marks: Sequence[Mark], media_type: str | None, uploaded: list[Uploaded]
) -> None:
    params = {"form": "file", "name": name, **({"media_type": media_type} if media_type else {})}
    with DeferredInterrupt() as interrupt:
        draft: dict[str, Any] = api.call("POST", "/drafts", params=params, content=interrupt.defer_after(iter((data,))))
        # It has no marks yet: if anything fails from here on, `clean_up` deletes it.
        uploaded.append(Uploaded(draft["document_id"], draft["name"], draft["id"]))
    saved: dict[str, Any] = api.call(
        "PUT",
        f"/drafts/{draft['id']}/marks",
        content=b'{"marks":' + marks_file.print_marks(marks) + b"}",
        headers={"If-Match": f'"{draft["revision"]}"', "Content-Type": "application/json"},
    )
    uploaded[-1] = uploaded[-1]._replace(document_id=saved["document_id"])


# --- reading ---------------------------------------------------------------------------------------------------------


def _opened(file: str, encoding: Encoding | None) -> BinaryIO:
    if encoding is not None:
        return BytesIO(converted(read_source(file), encoding))
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb") if file == STANDARD_STREAM else Path(file).open("rb")


def pieces_of(source: BinaryIO) -> Iterator[bytes]:
    """The rest of the file, in pieces."""
    while piece := source.read(PIECE):
        yield piece


_MAGIC: Final = ((b"%PDF-", "PDF file"), (b"PK\x03\x04", "zip archive"))
_BY_SUFFIX: Final = {
    ".docx": "Word file",
    ".xlsx": "Excel workbook",
    ".pptx": "PowerPoint presentation",
    ".odt": "OpenDocument text",
    ".ods": "OpenDocument workbook",
}


def _marked(name: str, source: BinaryIO) -> Iterator[bytes]:
    """The pieces of a marked text.

    Raises:
        BadInput: it is a file of another format, or nothing in it is marked: all of it would travel in clear.
    """
    unread: markup.MarkupParser | None = markup.MarkupParser()  # until it finds something that is classified
    is_empty = True
    for piece in checked_utf_8(_with_known_start(name, source)):
        is_empty = False
        if unread is not None and _marks_something(unread.feed, piece):
            unread = None
        yield piece
    # Empty spans and escaped tags classify nothing.
    if unread is not None and not is_empty and not _marks_something(unread.close):
        raise BadInput(
            "nothing in it is marked, so all of it would be sent in clear; mark text with <$S> and <$E>, or use "
            "--unmarked to send all of it in clear, or --whole to classify all of it"
        )


def _marks_something(read: Callable[..., list[Segment]], *piece: bytes) -> bool:
    """Whether something is classified in what is read. A fault counts: the gateway refuses the text and says where."""
    try:
        return any(segment.classified for segment in read(*piece))
    except markup.MarkupFault:
        return True


def _with_known_start(name: str, source: BinaryIO) -> Iterator[bytes]:
    for number, piece in enumerate(pieces_of(source)):
        if number == 0:
            _refuse_other_formats(name, piece)
        yield piece


def _refuse_other_formats(name: str, start: bytes) -> None:
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            kind = _BY_SUFFIX.get(Path(name).suffix.lower(), kind)
            raise BadInput(
                f"this is a {kind}, not a marked text; give its marks with --marks (`sieve mark` writes them), or use "
                "--whole to classify all of it"
            )


def _guess(name: str, *, unmarked: bool) -> str:
    guessed = mimetypes.guess_type(name)[0]
    if unmarked:
        return guessed or "application/octet-stream"
    return guessed if guessed and is_text(guessed) else "text/plain"
