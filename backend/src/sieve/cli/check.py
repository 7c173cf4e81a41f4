"""`sieve check`: the findings of the leak check in a file."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sieve.cli.errors import BadInput
from sieve.cli.file_errors import naming
from sieve.cli.files import STANDARD_STREAM, read_source
from sieve.cli.options import Json, MarkedSource, Marks, Policies, Unmarked
from sieve.cli.policy_files import read_rules
from sieve.cli.table import visible
from sieve.cli.text_encoding import EncodingOption, converted
from sieve.core import markup
from sieve.core.errors import MarkupError
from sieve.core.separate import separate
from sieve.core.units import Mark

if TYPE_CHECKING:
    from sieve.marking.leaks.finding import Finding

FOUND: Final = 3
"""The exit status when there are findings."""


def check(
    file: MarkedSource,
    marks: Marks = None,
    policy: Policies = None,
    sent: Annotated[
        list[str] | None,
        typer.Option(
            "--sent",
            metavar="EARLIER",
            help="A marked text that was sent earlier, to find text that was plain there; may be repeated.",
        ),
    ] = None,
    unmarked: Unmarked = False,
    encoding: EncodingOption = None,
    as_json: Json = False,
) -> int:
    """Find classified text that is not marked. The exit status is 3 if there are findings."""
    # Imported here, so that other commands start without the format readers.
    from sieve.cli.marked_file import read_marked
    from sieve.formats.reading import read
    from sieve.formats.tables.reading import TableReading
    from sieve.formats.text_ranges import everywhere
    from sieve.marking import leaks
    from sieve.marking.leaks.finding import SUGGESTION
    from sieve.marking.marked_text import marked_text
    from sieve.marking.missing_columns import columns_count, missing_columns

    if marks is None and not unmarked and encoding is not None:
        raise BadInput("--encoding needs --marks or --unmarked: a text that carries its marks itself is in UTF-8")
    rules = read_rules(policy)
    found: Sequence[Mark] = ()
    may_be_plain: Callable[[str], bool] = everywhere
    plain_with: Callable[[Sequence[Mark]], Callable[[str], bool]] | None = None
    implied: list[Mark] = []
    irregular: Iterable[tuple[str, str]] = ()
    with naming(file, marks):
        if marks is not None:
            given = read_marked(file, marks, encoding)
            given.reading.spans(given.marks)  # refuses marks that do not fit the file
            units, found = list(given.reading.units()), given.marks
            may_be_plain = given.reading.plain_places(found)
            if isinstance(given.reading, TableReading):
                found, implied = given.reading.chosen(found), given.reading.implied(found)
                irregular = given.reading.irregular_places() if columns_count(rules, found) else ()
        else:
            data = converted(read_source(file), encoding)
            reading = read(Path(file).name, data)
            if reading.name == "text" and not unmarked:
                document = markup.parse(data)
                unit, found = marked_text(document.content, document.spans)
                units = [unit]
            else:
                units = list(reading.units())
                plain_with = reading.plain_places
                if isinstance(reading, TableReading) and columns_count(rules, ()):
                    irregular = reading.irregular_places()
        name = "" if file == STANDARD_STREAM else Path(file).name
        findings = leaks.check(
            units,
            found,
            name=name,
            rules=rules,
            earlier=[_sent_plain(earlier) for earlier in sent or []],
            may_be_plain=may_be_plain,
            plain_with=plain_with,
            implied=implied,
            missing=missing_columns(rules, units),
            irregular=irregular,
        )
    if as_json:
        lines = ",\n".join(json.dumps(asdict(finding)) for finding in findings)
        sys.stdout.write(f'{{"findings": [\n{lines}\n]}}\n' if findings else '{"findings": []}\n')
    else:
        _print(findings)
    return FOUND if any(finding.kind != SUGGESTION for finding in findings) else 0


def _print(findings: "Sequence[Finding]") -> None:
    from sieve.marking.leaks.finding import SUGGESTION

    for finding in findings:
        where = f"{finding.address}: " if finding.address else ""
        tone = "suggestion: " if finding.kind == SUGGESTION else ""
        print(visible(f"{where}{tone}{finding.sentence}"))
    suggestions = sum(finding.kind == SUGGESTION for finding in findings)
    count = len(findings) - suggestions
    counted = f"{count:,} findings" if count > 1 else "1 finding" if count else "no findings"
    if suggestions:
        counted += f", {suggestions:,} suggestion{'' if suggestions == 1 else 's'}"
    print(counted, file=sys.stderr)


def _sent_plain(file: str) -> str:
    """The plain stream of the marked text in `file`."""
    try:
        return separate(markup.parse(read_source(file))).plain.decode()
    except MarkupError as error:
        raise BadInput(f"{file}: {error}; --sent needs a marked text") from None
