"""`sieve mark`: what a policy finds in a file, as a marks file."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sieve import marks_file
from sieve.cli.errors import BadInput
from sieve.cli.table import visible
from sieve.cli.told_by_name import told_by_name
from sieve.core.document import Spans
from sieve.core.units import Mark
from sieve.separated_folder import STANDARD_STREAM, read_source, write_target

if TYPE_CHECKING:
    from sieve.formats.registry import Reading
    from sieve.marking.policy import Policy, Rule

_GATEWAY: Final = "gateway:"


def mark(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of any format; - is stdin.")],
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="P.toml", help="A policy, or gateway:NAME; may be given several times."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="MARKS.json", help="The marks file to write; - is stdout.")
    ] = STANDARD_STREAM,
) -> None:
    """Mark a file by policy; without one, write a marks file with no mark, to be filled in by hand."""
    # Imported here: the other commands start without what reads formats.
    from sieve.formats.registry import read
    from sieve.marking import apply

    rules = [rule for path in policy or [] for rule in read_policy(path).rules]
    if len({rule.id for rule in rules}) < len(rules):
        raise BadInput("two of the policies have the same name and version; give one of them another")
    data = read_source(file)
    with told_by_name(file):
        reading = read(Path(file).name, data)
        marks = list(apply.marks(rules, reading.units())) if rules else []
        spans = reading.spans(marks)
        doubts = list(_doubts(rules, reading))
    write_target(out, marks_file.dump(reading.name, data, marks, spans))
    _summarise(f"{file}: {reading.name}", len(data), rules, marks, spans)
    for doubt in doubts:
        print(visible(f"  {doubt}"), file=sys.stderr)


def read_policy(where: str) -> "Policy":
    """The policy in the file `where`; its keywords files lie relative to it. Of "gateway:NAME", the policy of that name
    of the gateway that SIEVE_URL and SIEVE_TOKEN say.

    Raises:
        InputUnusable: the file, or one that it names, cannot be read.
        BadInput: it cannot be used, or the gateway has none of that name.
        Refused, Unreachable: the gateway does not give it.
    """
    from sieve.marking.errors import PolicyError
    from sieve.marking.policy import parse

    if where.startswith(_GATEWAY):
        return _gateways_policy(where.removeprefix(_GATEWAY))
    path = Path(where)
    try:
        return parse(read_text(path), read_keywords_beside(path))
    except PolicyError as error:
        raise BadInput(f"{path}: {error}") from None


def _gateways_policy(name: str) -> "Policy":
    from sieve.cli import policies
    from sieve.cli.api import Api
    from sieve.cli.options import DEFAULT_URL
    from sieve.marking.policy import understand

    with Api(os.environ.get("SIEVE_URL") or DEFAULT_URL, None) as api:
        kept = policies.one(api, name)
    written = {field: kept[field] for field in ("name", "title", "guard", "rules")}
    policy, problems = understand(written, lambda file: "", version=kept["version"])
    if policy is None:
        raise BadInput(f"{name}: this program is older than the gateway, and cannot use its policy: {problems[0]}")
    return policy


def read_keywords_beside(policy: Path) -> Callable[[str], str]:
    """What reads the keywords files that the policy in the file `policy` names."""
    return lambda name: read_text(policy.parent / name)


def read_text(path: Path) -> str:
    """The text of a policy's file, or of a keywords file.

    Raises:
        InputUnusable, BadInput: it cannot be read, or is not UTF-8.
    """
    try:
        return read_source(str(path)).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8; save it as UTF-8") from None
    except ValueError:
        raise BadInput(f"a policy names a keywords file {visible(path.name)!r}, which is no file name") from None


def _summarise(what: str, size: int, rules: Sequence["Rule"], marks: Sequence[Mark], spans: Spans) -> None:
    classified = spans.classified_size
    lines = [f"{what}, {_count(len(marks), 'mark')}, {classified:,} of {_count(size, 'byte')} classified"]
    found = Counter(one.rule for one in marks)
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        lines.append(f"  {rule.id:{width}}  {found[rule.id]:>9,}  {rule.kind}{rule.reason and ': '}{rule.reason}")
    if not rules:
        lines.append("  no policy was given: write marks into the file by hand, or give one with --policy")
    print("\n".join(map(visible, lines)), file=sys.stderr)


def _doubts(rules: Sequence["Rule"], reading: "Reading") -> Iterator[str]:
    """What a policy could not mark, though it is meant to: columns that are not there or out of place, or in a file
    that can have none; or anything of a file that has no text that can be read, such as one that is not UTF-8.
    """
    from sieve.formats.tables.reading import TableReading
    from sieve.marking.missing_columns import columns_count, missing_columns

    if rules and reading.name == "bytes":
        yield "read as bytes: the policy could find nothing in it; if it is a text, save it as UTF-8"
    elif not columns_count(rules, ()):
        return
    elif isinstance(reading, TableReading) or reading.name == "xlsx":
        yield from (missing.sentence for missing in missing_columns(rules, reading.units()))
    else:
        yield "rules for columns and rows could not look at it: only .csv, .tsv, .jsonl and .xlsx have columns"
    if isinstance(reading, TableReading):
        irregular = list(reading.irregular())
        if irregular:
            first = f"{_count(len(irregular), 'row')} may hold what belongs to a column of the policy in another one"
            yield f"{first}; row {irregular[0].number:,} {irregular[0].why}; `sieve check` lists them all"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
