"""`sieve mark`: marks what a policy finds in a file, and writes a marks file."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sieve import marks_file
from sieve.cli.errors import BadInput
from sieve.cli.file_errors import naming
from sieve.cli.files import STANDARD_STREAM, read_source, write_target
from sieve.cli.options import Json, Policies, SourceFile
from sieve.cli.policy_files import read_rules
from sieve.cli.table import visible
from sieve.cli.text_encoding import EncodingOption, converted, found_encoding, how_to_convert
from sieve.cli.written_file import check_target, show_written
from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.units import Mark

if TYPE_CHECKING:
    from sieve.formats.reading import Reading
    from sieve.marking.policy import Rule

_MOST_NAMED: Final = 5
"""Pages or files that a warning names."""


def mark(
    file: SourceFile,
    policy: Policies = None,
    out: Annotated[
        str, typer.Option("--out", metavar="MARKS.json", help="The marks file to write; - is stdout.")
    ] = STANDARD_STREAM,
    encoding: EncodingOption = None,
    as_json: Json = False,
) -> None:
    """Mark a file by policies. Without a policy, write an empty marks file to fill in by hand."""
    # Imported here, so that other commands start without the format readers.
    from sieve.formats.images.reading import ImageReading
    from sieve.formats.reading import read
    from sieve.formats.why_classified import why_classified
    from sieve.marking import apply_policy

    check_target(out, as_json=as_json)
    rules = read_rules(policy)
    if len({rule.id for rule in rules}) < len(rules):
        raise BadInput("two policies have the same name and version; change one of them")
    data = read_source(file)
    with naming(file):
        data = converted(data, encoding)
        try:
            reading = read(Path(file).name, data)
        except NotUtf8 as error:
            found_in = found_encoding(data)
            reason = error.reason if found_in is None else how_to_convert(found_in)
            raise NotUtf8(error.line, error.column, reason) from None
        marks = list(apply_policy.marks(rules, reading.units())) if rules else []
        if isinstance(reading, ImageReading):
            marks = [*reading.initial_marks, *marks]
        spans = reading.spans(marks)
        found = why_classified(reading, marks)
        warnings = [*_warnings(rules, reading, data)]
    write_target(out, marks_file.dump(reading.name, data, marks, spans))
    if as_json:
        counts = Counter(one.rule for one in marks)
        show_written(
            out,
            as_json=True,
            format=reading.name,
            bytes=len(data),
            classified_bytes=spans.classified_size,
            marks=len(marks),
            rules={rule.id: counts[rule.id] for rule in rules},
            classified=[{"why": str(why), "bytes": size, "largest": [*largest]} for why, size, largest in found],
            warnings=warnings,
        )
        return
    _summarise(f"{file}: {reading.name}", len(data), rules, marks, spans)
    for why, size, largest in found:
        named = f" ({', '.join(largest)})" if largest else ""
        print(visible(f"  {_count(size, 'byte')} classified: {why}{named}"), file=sys.stderr)
    for warning in warnings:
        print(visible(f"  {warning}"), file=sys.stderr)


def _summarise(what: str, size: int, rules: Sequence["Rule"], marks: Sequence[Mark], spans: Spans) -> None:
    classified = spans.classified_size
    lines = [f"{what}, {_count(len(marks), 'mark')}, {classified:,} of {_count(size, 'byte')} classified"]
    found = Counter(one.rule for one in marks)
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        lines.append(f"  {rule.id:{width}}  {found[rule.id]:>9,}  {rule.kind}{rule.reason and ': '}{rule.reason}")
    if not rules:
        lines.append("  no policy: add marks to the file by hand, or name a policy with --policy")
    print("\n".join(map(visible, lines)), file=sys.stderr)


def _warnings(rules: Sequence["Rule"], reading: "Reading", data: bytes) -> Iterator[str]:
    """What the policy may have missed: columns that the file does not have or has elsewhere, text in a file that has no
    readable text, such as one that is not UTF-8, files in it that cannot be read, or pages that readers show in
    different ways.
    """
    from sieve.formats.registry import PICTURES
    from sieve.formats.sheets.workbook import Workbook
    from sieve.formats.tables.reading import TableReading
    from sieve.marking.missing_columns import columns_count, missing_columns

    if reading.name == "pdf":
        yield from _disputed(reading)
    elif reading.name in ("zip", "eml"):
        yield from _unread(rules, reading)
    elif reading.name in PICTURES:
        yield "marked as a whole: no policy can read pixels; to mark areas only, use page/1/area/LEFT,TOP-RIGHT,BOTTOM"
    if rules and reading.name == "bytes":
        yield f"read as bytes: the policy cannot find text in it; {_how_to_read(data)}"
    elif not columns_count(rules, ()):
        return
    elif isinstance(reading, TableReading | Workbook):
        yield from (missing.sentence for missing in missing_columns(rules, reading.units()))
    else:
        yield "rules for columns and rows do not apply: only .csv, .tsv, .jsonl, .xlsx and .ods have columns"
    if isinstance(reading, TableReading):
        irregular = list(reading.irregular())
        if irregular:
            first = f"{_count(len(irregular), 'row')} may have values in the wrong column"
            yield f"{first}; row {irregular[0].number:,} {irregular[0].why}; `sieve check` lists them all"


def _how_to_read(data: bytes) -> str:
    """What to do about a file that is read as bytes."""
    from sieve.formats.errors import FormatError
    from sieve.formats.zip.container import ZipContainer, is_container

    if is_container(data):
        try:
            ZipContainer(data)
        except FormatError as error:
            return str(error)
        return "save it in a format that is read, such as .pptx for a presentation, and try again"
    found = found_encoding(data)
    return "if it is a text, save it as UTF-8" if found is None else how_to_convert(found)


def _disputed(reading: "Reading") -> Iterator[str]:
    """That readers disagree about pages of a PDF, if they do."""
    from sieve.formats.pdf import DISPUTED

    found = [unit.address for unit in reading.units() if unit.kind == DISPUTED]
    if found:
        yield f"readers disagree about {_count(len(found), 'page')}, classified with any mark: {_named(found)}"


def _unread(rules: Sequence["Rule"], reading: "Reading") -> Iterator[str]:
    """That files in an archive or a mail cannot be read, if there are rules that would look for something in them."""
    from sieve.formats.mail.leaves import OPAQUE

    found = [unit.address for unit in reading.units() if unit.hidden == OPAQUE] if rules else []
    if found:
        yield f"the policy cannot find anything in {_count(len(found), 'file')} that cannot be read: {_named(found)}"


def _named(addresses: Sequence[str]) -> str:
    return ", ".join(addresses[:_MOST_NAMED]) + (", …" if len(addresses) > _MOST_NAMED else "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
