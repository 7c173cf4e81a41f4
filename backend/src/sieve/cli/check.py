"""`sieve check`: what the leak guard finds in a file, as JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from sieve.cli.errors import BadInput
from sieve.cli.told_by_name import told_by_name
from sieve.core import markup
from sieve.core.errors import MarkupError
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.separated_folder import STANDARD_STREAM, read_source

FOUND: Final = 3
"""The exit status when there are findings."""


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A marked text, or with --marks a file of any format; - is stdin.")
    ],
    marks: Annotated[
        Path | None, typer.Option("--marks", metavar="MARKS.json", help="The marks, as `mark` wrote them.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="P.toml",
            help="Also show what this policy, or gateway:NAME, would mark; may be given often.",
        ),
    ] = None,
    sent: Annotated[
        list[str] | None,
        typer.Option(
            "--sent",
            metavar="EARLIER",
            help="A marked text that was sent before: what it carried plain and is marked now; may be given often.",
        ),
    ] = None,
    unmarked: Annotated[bool, typer.Option("--unmarked", help="Take tags for text.")] = False,
) -> int:
    """Look for what is classified and not marked; the exit status is 3 if there is any."""
    # Imported here: the other commands start without what reads formats.
    from sieve.cli.mark import read_policy
    from sieve.cli.marked_file import read_marked
    from sieve.formats.registry import read
    from sieve.formats.tables.reading import TableReading
    from sieve.formats.text_ranges import everywhere
    from sieve.marking import apply, leaks
    from sieve.marking.leaks.finding import unit_of_name
    from sieve.marking.marked_text import marked_text
    from sieve.marking.missing_columns import columns_count, missing_columns

    rules = [rule for path in policy or [] for rule in read_policy(path).rules]
    found: Sequence[Mark] = ()
    may_be_plain: Callable[[str], bool] = everywhere
    along: list[Mark] = []
    irregular: Iterable[tuple[str, str]] = ()
    with told_by_name(file, marks):
        if marks is not None:
            given = read_marked(file, marks)
            given.reading.spans(given.marks)  # refuses marks that do not fit: they would be looked for in vain
            units, found = list(given.reading.units()), given.marks
            may_be_plain = given.reading.plain_places(found)
            if isinstance(given.reading, TableReading):
                found, along = given.reading.chosen(found), given.reading.along(found)
                irregular = given.reading.irregular_places() if columns_count(rules, found) else ()
        else:
            data = read_source(file)
            reading = read(Path(file).name, data)
            if reading.name == "text" and not unmarked:
                document = markup.parse(data)
                unit, found = marked_text(document.content, document.spans)
                units = [unit]
            else:
                units = list(reading.units())
                if isinstance(reading, TableReading) and columns_count(rules, ()):
                    irregular = reading.irregular_places()
        name = "" if file == STANDARD_STREAM else Path(file).name
        findings = leaks.check(
            units,
            found,
            name=name,
            policy=apply.marks(rules, units) if rules else (),
            policy_on_name=apply.marks(rules, [unit_of_name(name)]) if rules else (),
            earlier=[_sent_plain(earlier) for earlier in sent or []],
            may_be_plain=may_be_plain,
            along=along,
            missing=missing_columns(rules, units),
            irregular=irregular,
        )
    lines = ",\n".join(json.dumps(asdict(finding)) for finding in findings)
    sys.stdout.write(f'{{"findings": [\n{lines}\n]}}\n' if findings else '{"findings": []}\n')
    return FOUND if findings else 0


def _sent_plain(file: str) -> str:
    """What the marked text in `file` carries plain."""
    try:
        return separate(markup.parse(read_source(file))).plain.decode()
    except MarkupError as error:
        raise BadInput(f"{file}: {error}; --sent takes a marked text") from None
