"""Operations on arbitrary bytes that must only fail with a sentence: for the fuzzer, and for what it found.

The targets of what strangers and peers send are in `fuzzing_plain` and `fuzzing_peers`, and that of the laboratory in
`fuzzing_hand_over`, with their invariants.

Invariant: each target reads its bytes as one format, works with what it read, and lets out nothing. Only errors of the
project may come, each a `SieveError` with a sentence; anything else, a crash, a hang or too much memory, is a fault.
"""

import io
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any
from zlib import crc32

import pikepdf

import fuzzing_peers as peers
from fuzzing_hand_over import changed_hand_over, hand_over, hand_over_seeds
from fuzzing_plain import plain, plain_seeds
from made_samples import FOLDER
from office_files import archive
from sieve import marks_file
from sieve.core.document import Document
from sieve.core.errors import SieveError
from sieve.core.integrate import integrate
from sieve.core.markup import parse, print_document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.reading import highlight, read_as, redact
from sieve.formats.registry import FORMATS, PICTURES
from sieve.marking import policy
from sieve.marking.apply_policy import marks
from sieve.marking.leaks import check
from small_pdfs import rewritten, small_pdfs

_UNITS = 200
_FILE = b"name,pay\nBerta,1200\n"


def _format(kind: str) -> Callable[[bytes], None]:
    """Reads, marks, separates, integrates, redacts, highlights, and reads that again."""

    def target(data: bytes) -> None:
        try:
            reading = read_as(kind, data)
            units = [*reading.units()][:_UNITS]
            drawn = Random(crc32(data))
            for chosen in (units[:1], drawn.sample(units, min(3, len(units)))):
                marked = [Mark(unit.address) for unit in chosen]
                marked += [Mark(unit.address, 0, len(unit.text) // 2) for unit in chosen[:1] if unit.text]
                spans = reading.spans(marked)
                streams = separate(Document(data, spans))
                assert integrate(spans, len(data), *streams) == data
                check(units, marked, may_be_plain=reading.plain_places(marked))
            edition = redact(reading, marked)
            assert not marked or read_as(kind, edition).name == kind
            if FORMATS[kind].highlighter:
                read_as(kind, highlight(reading, marked))
        except SieveError as error:
            assert str(error)

    return target


def _markup(data: bytes) -> None:
    try:
        document = parse(data)
    except SieveError as error:
        assert str(error)
    else:
        assert print_document(document) == data


def _marks(data: bytes) -> None:
    """The marks of a file that fits, whatever else `data` says; and what they come to."""
    try:
        found = marks_file.load(data, _FILE)
        read_as("csv", _FILE).spans(found)
        found = marks_file.read_marks(found)
    except SieveError as error:
        assert str(error)


def _policy(data: bytes) -> None:
    try:
        understood = policy.parse(data.decode("utf-8", "replace"), lambda name: "Berta\nBerg\n")
        units = [*read_as("csv", _FILE).units()]
        assert all(mark.rule for mark in marks(understood.rules, units))
        policy.read_json(data.decode("utf-8", "replace"))
    except SieveError as error:
        assert str(error)


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{
        kind: _format(kind)
        for kind in (
            "docx",
            "xlsx",
            "pptx",
            "odt",
            "ods",
            "pdf",
            "html",
            "rtf",
            "eml",
            "zip",
            "csv",
            "tsv",
            "jsonl",
            "text",
            *sorted(PICTURES),
        )
    },
    "markup": _markup,
    "marks": _marks,
    "policy": _policy,
    "plain": plain,
    "opening": peers.opening,
    "receipt": peers.any_receipt,
    "invitation": peers.any_invitation,
    "answers": peers.answers,
    "hand-over": hand_over,
}
_CHANGES = {**peers.CHANGES, "hand-over": changed_hand_over}


def seeds(target: str) -> list[bytes]:
    """What a target begins with: the samples of its format, and the marked texts, policies and marks of other tests."""
    match target:
        case "markup":
            files = [*(FOLDER.parent.parent / "samples").glob("*.txt")]
        case "policy":
            files = [*(FOLDER.parents[3] / "docs" / "policies").glob("*.toml")]
        case "marks":
            reading = read_as("csv", _FILE)
            some = [Mark("row/1/pay"), Mark("column/name", None, None, "CUI", "a/1#1", "why"), Mark("row/1/name", 0, 2)]
            return [marks_file.dump("csv", _FILE, some, reading.spans(some))]
        case "plain":
            return plain_seeds()
        case "opening":
            return peers.opening_seeds()
        case "receipt":
            return peers.receipt_seeds()
        case "invitation":
            return peers.invitation_seeds()
        case "answers":
            return peers.answers_seeds()
        case "hand-over":
            return hand_over_seeds()
        case "pdf":
            # Small ones alone: of the others the fuzzer reads five in a second, of these hundreds.
            files = [path for path in FOLDER.glob("*/*.pdf") if path.stat().st_size < 3_000]
            return small_pdfs() + [path.read_bytes() for path in sorted(files)]
        case _:
            files = [
                path for path in FOLDER.glob("*/*") if path.suffix == f".{target}" and path.stat().st_size < 30_000
            ]
    return [path.read_bytes() for path in sorted(files)] or [b"name: <$S>Berta<$E>\n"]


Mutate = Callable[[bytes, int], bytes]


def mutated(target: str, data: bytes, most: int, random: Random, mutate: Mutate) -> bytes:
    """`data` changed where it counts: mostly inside of a packed part, and the package made again around it; or in the
    objects of a PDF; or so that the places that its table names stay right.
    """
    if (change := _CHANGES.get(target)) is not None:
        return change(data, most, random, mutate) if random.random() < 0.85 else mutate(data, most)
    if target == "pdf" and random.random() < 0.7:
        made = rewritten(data, random)
        return made if len(made) <= most else made[:most]
    if target == "pdf" and random.random() < 0.3 and (entangled := _entangled(data, random)):
        return entangled if len(entangled) <= most else mutate(data, most)
    if target == "pdf" and data and random.random() < 0.7:
        start = random.randrange(len(data))
        piece = data[start : start + random.randrange(1, 80)]
        return data[:start] + mutate(piece, len(piece)).ljust(len(piece)) + data[start + len(piece) :]
    if target not in ("docx", "xlsx", "pptx", "odt", "ods") or random.random() < 0.2:
        return mutate(data, most)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = {name: file.read(name) for name in file.namelist()}
    except Exception:  # zipfile is not under test: what it cannot open is changed byte by byte, as any other file
        return mutate(data, most)
    for _ in range(random.randrange(1, 3)):
        name = random.choice(sorted(parts)) if parts else "word/document.xml"
        match random.randrange(6):
            case 0 if len(parts) > 3:
                del parts[name]
            case 1:
                parts[name] = parts[random.choice(sorted(parts))] if parts else b""
            case 2:
                parts[name] = _moved(parts.get(name, b""), random)
            case _:
                parts[name] = mutate(parts.get(name, b"<x/>"), 1 << 16)
    made = archive(parts) if parts else b""
    return made if len(made) <= most else mutate(data, most)


def _entangled(data: bytes, random: Random) -> bytes:
    """A PDF some of whose objects say something else; empty if there is nothing to be changed."""
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            objects = [one for one in pdf.objects if isinstance(one, (pikepdf.Dictionary, pikepdf.Stream))]
            values: list[Any] = [*pdf.objects, pdf.Root, 0, -1, 2**31, pikepdf.Name.Page, pikepdf.String("x"), True]
            values += [pikepdf.Array([]), pikepdf.Array([objects[0]] * 3), pikepdf.Dictionary(Kids=objects[-1])]
            for _ in range(random.randrange(1, 4)):
                changed = random.choice(objects)
                key = random.choice([*sorted(changed.keys()), "/Kids", "/Contents", "/Resources", "/Filter", "/Annots"])
                if key == "/Length":
                    continue
                if random.random() < 0.2 and key in changed:
                    del changed[key]
                else:
                    changed[key] = random.choice(values)
            out = io.BytesIO()
            pdf.save(out, static_id=True, compress_streams=False, fix_metadata_version=False, preserve_pdfa=False)
            return out.getvalue()
    except Exception:  # pikepdf is not under test: what it cannot open or save is changed byte by byte by the caller
        return b""


def _moved(source: bytes, random: Random) -> bytes:
    """The source of a part with an element, or what looks like one, doubled, taken out or put elsewhere."""
    starts = [at for at, byte in enumerate(source) if byte == 0x3C]
    if len(starts) < 3:
        return source
    start, end = sorted(random.sample(starts, 2))
    piece = source[start:end]
    at = random.choice(starts)
    return random.choice(
        [source[:at] + piece + source[at:], source[:start] + source[end:], source[:end] + piece * 9 + source[end:]]
    )


def simply(random: Random) -> Mutate:
    """Changes of a few bytes, for when there is no fuzzer at hand."""

    def mutate(data: bytes, most: int) -> bytes:
        bad = bytearray(data)
        for _ in range(random.randrange(1, 6)):
            at = random.randrange(len(bad) + 1)
            match random.randrange(5):
                case 0:
                    bad[at : at + random.randrange(1, 40)] = b""
                case 1:
                    bad[at:at] = bad[at : at + random.randrange(1, 200)]
                case 2:
                    bad[at : at + 1] = bytes([random.randrange(256)])
                case 3:
                    bad[at:at] = random.choice(
                        [b"0", b"-1", b"99999999999", b"<", b">", b"\xff", b"\0", b'"', b"\xed\xa0\x80"]
                    )
                case _:
                    other = random.randrange(len(bad) + 1)
                    bad[at : at + 9] = bad[other : other + random.randrange(60)]
        return bytes(bad[:most])

    return mutate
