"""Handing a file to the gateway as a document: as a marked text, as it is, with the marks of a marks file, or wholly
classified.

The law: what cannot be sent leaves nothing at the gateway, and what was sent leaves a document there, never a draft.
"""

import codecs
import mimetypes
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from sieve import marks_file
from sieve.channel.load import MAX_DOCUMENTS
from sieve.cli.api import Api, Unreachable
from sieve.cli.ctrl_c import CtrlC
from sieve.cli.errors import BadInput, CommandError
from sieve.cli.told_by_name import shown, told_by_name
from sieve.core import markup
from sieve.core.units import Mark
from sieve.formats.text.separation import is_text
from sieve.separated_folder import STANDARD_STREAM, read_source

PIECE: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Given:
    """How files are to be taken: as marked texts, unless one of `unmarked`, `marks` and `whole` says otherwise."""

    name: str | None = None
    media_type: str | None = None
    unmarked: bool = False
    marks: Path | None = None
    whole: bool = False

    def check(self, files: Sequence[str]) -> None:
        """Raises BadInput for what does not fit together."""
        if len(files) > MAX_DOCUMENTS:
            raise BadInput(f"at most {MAX_DOCUMENTS} documents go together, not {len(files)}")
        if self.unmarked + self.whole + (self.marks is not None) > 1:
            raise BadInput("--unmarked, --marks and --whole say three different things; give one of them")
        if files.count(STANDARD_STREAM) > 1:
            raise BadInput("- is stdin, and there is one of it; name it once")
        if len(files) > 1 and self.marks is not None:
            raise BadInput("--marks is of one file; send files with marks one by one")
        if len(files) > 1 and (self.name is not None or self.media_type is not None):
            raise BadInput("--name and --media-type are of one document; several are named by their files")


class Handed(NamedTuple):
    """A document at the gateway. `draft_id`: the draft that it is a save of, if it came as one."""

    document_id: str
    name: str
    draft_id: str | None = None


def hand_in(api: Api, file: str, given: Given, handed: list[Handed]) -> None:
    """Adds to `handed` the document that the file is at the gateway now; also if it fails after that.

    Raises:
        SieveError: it cannot be read, or the gateway does not take it.
    """
    name = _name_of(file, given)
    with told_by_name(file, given.marks):
        try:
            if given.marks is not None:
                _with_marks(api, file, name, given.marks, given.media_type, handed)
                return
            with _opened(file) as source:
                if given.whole:
                    _wholly(api, source, name, given.media_type, handed)
                    return
                kind = given.media_type or _guess(name, unmarked=given.unmarked)
                _document(api, "literal" if given.unmarked else "marked", name, kind, _pieces(source), handed)
        except OSError as error:
            raise BadInput(f"cannot read {shown(file)}: {error.strerror}") from error
        except BadInput as error:
            raise BadInput(f"{shown(file)}: {error}") from error


def let_go(api: Api, handed: Sequence[Handed], *, sent: bool | None) -> None:
    """Clears away: of what was `sent` the drafts, and all of what was not, so that trying again does not leave another
    one each time. None: that is for the gateway to find out."""
    for one in handed:
        try:
            if one.draft_id is not None:
                api.call("DELETE", f"/drafts/{one.draft_id}", params={"keep_sent": sent is not False})
            elif not sent:
                api.call("DELETE", f"/documents/{one.document_id}")
        except Unreachable:
            return  # nor are the others to be had, and each would be waited for
        except CommandError:
            continue  # what went wrong first is what is told; and nothing did if it was sent


def sizes(file: str, given: Given) -> tuple[int, int]:
    """How many bytes the document would have, and how many of them classified.

    Raises:
        SieveError: the file cannot be read, or its tags or marks do not fit.
    """
    data = read_source(file)
    if given.unmarked or given.whole:
        return len(data), len(data) if given.whole else 0
    with told_by_name(file, given.marks):
        if given.marks is None:
            document = markup.parse(data)
        else:
            # Imported here: the other commands start without what reads formats.
            from sieve.cli.marked_file import read_marked_bytes

            document = read_marked_bytes(_name_of(file, given), data, given.marks).document
    return document.size, document.classified_size


def _name_of(file: str, given: Given) -> str:
    return given.name or ("document" if file == STANDARD_STREAM else Path(file).name)


# --- a document ------------------------------------------------------------------------------------------------------


def _document(api: Api, form: str, name: str, media_type: str, body: Iterator[bytes], handed: list[Handed]) -> None:
    params = {"form": form, "name": name, "media_type": media_type}
    # Once it has all of it, the gateway makes a document of it, whether or not anybody hears of that.
    with CtrlC() as ctrl_c:
        answer: dict[str, Any] = api.call("POST", "/documents", params=params, content=ctrl_c.after(body))
        handed.append(Handed(answer["id"], answer["name"]))


def _wholly(api: Api, source: BinaryIO, name: str, media_type: str | None, handed: list[Handed]) -> None:
    if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
        source = BytesIO(source.read())  # how much comes through a pipe, nobody knows before
    start = source.tell()  # of standard input others may have read something before
    size = source.seek(0, os.SEEK_END) - start
    source.seek(start)
    guessed = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if media_type is None and is_text(guessed) and not _is_utf_8(source):
        guessed = "application/octet-stream"  # text that is none would be refused, and this takes any file
    source.seek(start)
    _document(api, "framed", name, guessed, _framed(source, size), handed)


def _framed(source: BinaryIO, size: int) -> Iterator[bytes]:
    """All of `size` bytes classified: what is not in that span would be plain, so that there must not be more."""
    yield f"[[0,{size}]]\n".encode() if size else b"[]\n"
    for piece in _pieces(source):
        size -= len(piece)
        if size < 0:
            break
        yield piece
    if size:
        raise BadInput("it changed while it was read; try again")


def _is_utf_8(source: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in _pieces(source):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


# --- with a marks file -----------------------------------------------------------------------------------------------


def _with_marks(api: Api, file: str, name: str, marks: Path, media_type: str | None, handed: list[Handed]) -> None:
    from sieve.cli.marked_file import read_marked_bytes

    read = read_marked_bytes(name, read_source(file), marks, media_type)
    if read.reading.name != "text":
        _draft(api, name, read.data, read.marks, media_type, handed)
        return
    # A text carries its marks itself, as spans.
    kind = media_type or _guess(name, unmarked=False)
    framed = iter((marks_file.print_ranges(read.document.spans) + b"\n", read.data))
    _document(api, "framed", name, kind, framed, handed)


def _draft(
    api: Api, name: str, data: bytes, marks: Sequence[Mark], media_type: str | None, handed: list[Handed]
) -> None:
    params = {"form": "file", "name": name, **({"media_type": media_type} if media_type else {})}
    with CtrlC() as ctrl_c:
        draft: dict[str, Any] = api.call("POST", "/drafts", params=params, content=ctrl_c.after(iter((data,))))
        # Until it is marked all of it lies there unmarked: whatever ends this now, it is cleared away.
        handed.append(Handed(draft["document_id"], draft["name"], draft["id"]))
    saved: dict[str, Any] = api.call(
        "PUT",
        f"/drafts/{draft['id']}/marks",
        content=b'{"marks":' + marks_file.print_marks(marks) + b"}",
        headers={"If-Match": f'"{draft["revision"]}"', "Content-Type": "application/json"},
    )
    handed[-1] = handed[-1]._replace(document_id=saved["document_id"])


# --- reading ---------------------------------------------------------------------------------------------------------


def _opened(file: str) -> BinaryIO:
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb") if file == STANDARD_STREAM else Path(file).open("rb")


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    while piece := source.read(PIECE):
        yield piece


def _guess(name: str, *, unmarked: bool) -> str:
    guessed = mimetypes.guess_type(name)[0]
    if unmarked:
        return guessed or "application/octet-stream"
    return guessed if guessed and is_text(guessed) else "text/plain"
