"""Labels of marks: a set of them, how the labels of spans determine the banner, and how they survive editing.

Invariant: a banner is never lower than the highest label below it, and no labelled text loses its label silently. A
label that the set does not have counts as its highest. Text that replaces labelled text gets the highest of the labels
that it may have replaced. On the wire, a span is either classified or not.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sieve.marking.errors import LabelError
from sieve.marking.field_names import complaint_about

MAX_LABELS: Final = 100
MAX_NAME_CHARACTERS: Final = 200
_MAX_RANK: Final = 1_000_000
_COLOUR: Final = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Label:
    """One level. A higher `rank` dominates. `banner`: its text at the head of a document."""

    name: str
    rank: int
    banner: str
    colour: str | None = None


@dataclass(frozen=True)
class LabelSet:
    """Labels by rank, the lowest first. `default`: the label of spans without one."""

    name: str
    labels: tuple[Label, ...]
    default: str

    @cached_property
    def by_name(self) -> Mapping[str, Label]:
        """The labels by name."""
        return {label.name: label for label in self.labels}

    def of(self, name: str | None) -> Label:
        """The label that a span's label counts as."""
        return self.by_name.get(name or self.default, self.labels[-1])

    def highest(self, names: Iterable[str | None]) -> Label | None:
        """The minimum for the banner: the highest of the labels; None if there are none."""
        return max((self.of(name) for name in set(names)), key=lambda label: label.rank, default=None)


@dataclass(frozen=True, slots=True)
class LabelledText:
    """The digest of a span's text, and the label that it had."""

    digest: str
    label: str | None


def labels_after_edit(
    labels: LabelSet, before: Sequence[LabelledText], digests: Sequence[str], gone: Sequence[LabelledText] = ()
) -> list[str | None]:
    """The labels of spans after an edit, by the digests of their texts. `before`: the labels that spans had.

    The same text keeps its label, or the highest if it had several. New text gets the highest label of the text that
    was removed, also of one copy of several, since it may be an edited version of it; and none if nothing was removed.
    `gone`: text that was removed earlier; if it is back after an undo, it gets its former label or the higher one.
    """

    def highest(names: list[str | None]) -> str | None:
        return max(names, key=lambda label: labels.of(label).rank, default=None)

    had: dict[str, str | None] = {}
    for span in before:
        if span.digest not in had or labels.of(span.label).rank > labels.of(had[span.digest]).rank:
            had[span.digest] = span.label
    if len(before) == len(digests) and all(old.digest == new for old, new in zip(before, digests, strict=True)):
        return [span.label for span in before]
    # Counted, since a copy of the text in another span does not replace the one that was removed.
    left = Counter(span.digest for span in before)
    left.subtract(digests)
    edited = highest([label for digest, label in had.items() if left[digest] > 0])
    back: dict[str, str | None] = {}
    for span in gone:
        back[span.digest] = highest([span.label, back.get(span.digest, span.label), edited])
    return [had[digest] if digest in had else back.get(digest, edited) for digest in digests]


def lowered(labels: LabelSet, before: Iterable[str | None], after: Iterable[str | None]) -> int:
    """How many of the spans have a lower label than before."""
    return sum(labels.of(old).rank > labels.of(new).rank for old, new in zip(before, after, strict=True))


def parse(text: str) -> LabelSet:
    """The label set that `text` describes in TOML.

    Raises:
        LabelError: it cannot be used.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LabelError(f"it is not well-formed TOML: {error}") from None
    _check_fields(table, {"name", "default", "labels"}, "a set of labels")
    listed = table.get("labels")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_LABELS:
        raise LabelError(f"it needs 1 to {MAX_LABELS} [[labels]]")
    labels = sorted((_label(number, fields) for number, fields in enumerate(listed, 1)), key=lambda label: label.rank)
    if len({label.name for label in labels}) < len(labels):
        raise LabelError("two of its labels have the same name")
    default = table.get("default", labels[0].name)
    if default not in {label.name for label in labels}:
        raise LabelError("its default is not one of its labels")
    return LabelSet(_line(table, "name"), tuple(labels), default)


def _label(number: int, fields: Any) -> Label:
    if not isinstance(fields, dict):
        raise LabelError(f"label {number} is not a table")
    _check_fields(fields, {"name", "rank", "banner", "colour"}, "a label")
    rank, colour = fields.get("rank"), fields.get("colour")
    if type(rank) is not int or not 0 <= rank <= _MAX_RANK:
        raise LabelError(f"label {number} needs a rank, a whole number")
    if colour is not None and not (isinstance(colour, str) and _COLOUR.fullmatch(colour)):
        raise LabelError(f'label {number} has an invalid colour; write it as "#c8102e"')
    name = _line(fields, "name")
    return Label(name, rank, _line(fields, "banner") if "banner" in fields else name, colour)


def _line(fields: Mapping[str, Any], name: str) -> str:
    line = fields.get(name)
    if not isinstance(line, str) or not line.strip() or len(line) > MAX_NAME_CHARACTERS or not line.isprintable():
        raise LabelError(f"a {name} must be a text of one line, of {MAX_NAME_CHARACTERS} characters at most")
    return line


def _check_fields(table: Mapping[str, Any], known: set[str], whose: str) -> None:
    for field in table:
        if field not in known:
            raise LabelError(complaint_about(field, table, known, whose))
