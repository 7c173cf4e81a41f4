"""The invariants of the formats hold for files by other programs: each sample as its program wrote it."""

import base64
import html
import quopri
import re
from random import Random

import pytest

from file_checks import plain_stream
from made_samples import FOLDER, MANIFEST, Sample, marks_of, samples
from office_files import flat, readings
from pdf_files import holds
from rtf_files import rtf_says
from sieve.core.hidden_phrases import hidden_phrase
from sieve.core.sentence import Sentence
from sieve.core.units import Mark
from sieve.formats import reading as files
from sieve.formats.errors import RedactionFailed
from sieve.formats.marker import MARKER
from sieve.formats.pictures.metadata import unpacked_metadata
from sieve.formats.reading import Reading, redact
from sieve.formats.registry import PICTURES

SAMPLES = samples()
OFFICE = {"docx", "xlsx", "pptx", "odt", "ods"}
SEARCHED = OFFICE | {"pdf", "html", "rtf", "eml", "zip"}
"""Formats that classify a marked text wherever it occurs."""
TWINS = {sample.other for sample in SAMPLES if sample.other}
"""The same files with other secrets, which take the same ways through the code."""
each_sample = pytest.mark.parametrize(
    "sample",
    [pytest.param(sample, marks=pytest.mark.soak if sample.file in TWINS else ()) for sample in SAMPLES],
    ids=str,
)


def read(sample: Sample) -> Reading:
    return files.read(sample.file, sample.data)


def reveals(reading: Reading, data: bytes, text: str) -> bool:
    """Whether `data` says `text` in any way in which its format can write it."""
    if reading.name == "pdf":
        return holds(data, text)
    if reading.name in PICTURES:
        said = [data, *unpacked_metadata(data)]
        return any(text.encode(code) in one for one in said for code in ("utf-8", "utf-16-le"))
    if reading.name in OFFICE or reading.name == "zip":
        return any(flat(text) in said for said in readings(data))
    if reading.name in ("html", "eml"):
        unpacked = (base64.b64decode(found + b"==") for found in re.findall(rb"[A-Za-z0-9+/\r\n]{60,}", data))
        said = [data, quopri.decodestring(data), *unpacked]
        return any(flat(text) in flat(html.unescape(one.decode("utf-8", "replace"))) for one in said)
    if reading.name == "rtf":
        return rtf_says(data, text)
    # Python writes JSON in ASCII, and other characters as escapes.
    return text in data.decode() or text in data.decode().encode().decode("unicode_escape", "replace")


def test_each_sample_is_in_the_manifest_and_small() -> None:
    kept = {path.relative_to(FOLDER).as_posix(): path.stat().st_size for path in FOLDER.glob("*/*")}
    assert kept.keys() == {sample.file for sample in SAMPLES}
    assert max(kept.values()) < 100_000
    assert sum(kept.values()) + MANIFEST.stat().st_size < 1_500_000
    assert all(sample.made_by for sample in SAMPLES)


@each_sample
def test_what_a_program_made_is_read_sieved_and_redacted(sample: Sample) -> None:
    reading = read(sample)
    assert f".{reading.name}" == sample.path.suffix
    units = [*reading.units()]
    assert [unit.hidden for unit in units if unit.hidden and not isinstance(hidden_phrase(unit.hidden), Sentence)] == []
    said = flat("\n".join(unit.text for unit in units))
    assert [phrase for phrase in sample.phrases if flat(phrase) not in said] == []

    marks = marks_of(reading, sample.secret)
    if reading.name in PICTURES:
        # Nobody can search the pixels: all of them may be the secret.
        marks += [Mark(unit.address) for unit in units if unit.kind == "picture"]
    assert marks
    plain = plain_stream(reading, sample.data, marks)
    assert not any(reveals(reading, plain, word) for word in sample.secret.split())
    edition = redact(reading, marks)
    assert not any(reveals(reading, edition, word) for word in sample.secret.split())
    left = files.read(sample.file, edition)
    assert left.name == reading.name
    assert not marks_of(left, sample.secret)
    # Unmarked text is still there, since people read a redacted edition; values of formulas are not.
    made = {unit.address.removesuffix("/formula") for unit in units if unit.kind == "formula"}
    words = [flat(word) for word in sample.secret.split()]
    shown = {flat(unit.text) for unit in units if unit.text and not unit.hidden and unit.address not in made}
    public = {text for text in shown if not any(word in text for word in words)}
    # A picture whose description is marked leaves a bar in its paragraph.
    kept = {flat(text) for unit in left.units() for text in (unit.text, unit.text.replace(MARKER, ""))}
    assert public <= kept


@each_sample
def test_any_marked_text_stays_secret(sample: Sample) -> None:
    """Units drawn from a seed, not those that a rule was made for."""
    reading = read(sample)
    drawn = Random(sample.file)
    units = [unit for unit in reading.units() if len(flat(unit.text)) >= 5 and not flat(unit.text).isnumeric()]
    chosen = drawn.sample(units, min(3, len(units)))
    plain = plain_stream(reading, sample.data, [Mark(unit.address) for unit in chosen])
    if reading.name in SEARCHED:
        told = [unit.address for unit in chosen if reveals(reading, plain, unit.text)]
        assert told == []
    marks = [Mark(unit.address) for unit in chosen]
    try:
        edition = files.read(sample.file, redact(reading, marks))
    except RedactionFailed as failed:
        # An error for the author; only if a text of the page is on another page, too.
        assert reading.name == "pdf", failed
        return
    if reading.name in SEARCHED:
        left = [flat(unit.text) for unit in edition.units()]
        assert not [unit.address for unit in chosen if any(flat(unit.text) in text for text in left)]


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.other], ids=str)
def test_another_secret_in_the_same_file_leaves_the_plain_stream_identical(sample: Sample) -> None:
    other = next(one for one in SAMPLES if one.file == sample.other)
    streams = []
    for one in (sample, other):
        reading = read(one)
        streams.append(plain_stream(reading, one.data, marks_of(reading, one.secret)))
    assert streams[0] == streams[1]
    # Of RTF, only letters travel plain.
    assert len(streams[0]) > (100 if sample.file.endswith(".rtf") else 300)
