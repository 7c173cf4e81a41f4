"""Levels as labels: a set of them, how the labels of spans roll up to a banner, and how they outlive editing.

The law: a banner is never lower than the highest label below it, and what was labelled does not lose its label in
silence. A label that the set does not know counts as its highest; what stands where labelled text stood and cannot be
told from it takes the highest of the labels that stood there. On the wire, a span is classified or it is not.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sieve.marking.errors import LabelError

MAX_LABELS: Final = 100
MAX_NAME_CHARACTERS: Final = 200
_MAX_RANK: Final = 1_000_000
_COLOUR: Final = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Label:
    """One level. The higher `rank` dominates; `banner`: how it is written at the head of a document."""

    name: str
    rank: int
    banner: str
    colour: str | None = None


@dataclass(frozen=True)
class LabelSet:
    """Labels by rank, the lowest first. `default`: of a span that says none."""

    name: str
    labels: tuple[Label, ...]
    default: str

    @cached_property
    def by_name(self) -> Mapping[str, Label]:
        """Each label."""
        return {label.name: label for label in self.labels}

    def of(self, name: str | None) -> Label:
        """What a span's label counts as."""
        return self.by_name.get(name or self.default, self.labels[-1])

    def highest(self, names: Iterable[str | None]) -> Label | None:
        """The floor of the banner: the highest of the labels; None if there is none."""
        return max((self.of(name) for name in set(names)), key=lambda label: label.rank, default=None)


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A span that had a label: a digest of its text, and which."""

    digest: str
    label: str | None


def labels_after_edit(
    labels: LabelSet, before: Sequence[LabelledText], digests: Sequence[str], gone: Sequence[LabelledText] = ()
) -> list[str | None]:
    """The labels of spans, by the digests of their texts, after an edit: `before` is what the spans had.

    The same text keeps its label, the highest of it if it had several. Text that is new gets the highest label of the
    text that is gone, or of which there is less, for it may be that text, edited; and none if nothing is gone. `gone`:
    what was gone before already; where it is back, by undoing, it has what it had, or the higher of the two.
    """

    def highest(names: list[str | None]) -> str | None:
        return max(names, key=lambda label: labels.of(label).rank, default=None)

    had: dict[str, str | None] = {}
    for span in before:
        if span.digest not in had or labels.of(span.label).rank > labels.of(had[span.digest]).rank:
            had[span.digest] = span.label
    if len(before) == len(digests) and all(old.digest == new for old, new in zip(before, digests, strict=True)):
        return [span.label for span in before]
    # Counted: the same text in another span is no reason to forget what is gone from this one.
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
    """The set that `text`, in TOML, describes.

    Raises:
        LabelError: it cannot be used.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LabelError(f"it is not well-formed TOML: {error}") from None
    _check_fields(table, {"name", "default", "labels"})
    listed = table.get("labels")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_LABELS:
        raise LabelError(f"it needs 1 to {MAX_LABELS} [[labels]]")
    labels = sorted((_label(number, fields) for number, fields in enumerate(listed, 1)), key=lambda label: label.rank)
    if len({label.name for label in labels}) < len(labels):
        raise LabelError("two of its labels have the same name")
    default = table.get("default", labels[0].name)
    if default not in {label.name for label in labels}:
        raise LabelError("its default is none of its labels")
    return LabelSet(_line(table, "name"), tuple(labels), default)


def _label(number: int, fields: Any) -> Label:
    if not isinstance(fields, dict):
        raise LabelError(f"label {number} is no table")
    _check_fields(fields, {"name", "rank", "banner", "colour"})
    rank, colour = fields.get("rank"), fields.get("colour")
    if type(rank) is not int or not 0 <= rank <= _MAX_RANK:
        raise LabelError(f"label {number} needs a rank, a whole number")
    if colour is not None and not (isinstance(colour, str) and _COLOUR.fullmatch(colour)):
        raise LabelError(f'label {number} has a colour that is none; write "#c8102e"')
    name = _line(fields, "name")
    return Label(name, rank, _line(fields, "banner") if "banner" in fields else name, colour)


def _line(fields: Mapping[str, Any], name: str) -> str:
    line = fields.get(name)
    if not isinstance(line, str) or not line.strip() or len(line) > MAX_NAME_CHARACTERS or not line.isprintable():
        raise LabelError(f"a {name} must be a text of one line, of {MAX_NAME_CHARACTERS} characters at most")
    return line


def _check_fields(table: Mapping[str, Any], known: set[str]) -> None:
    for field in table:
        if field not in known:
            raise LabelError(f"it has an unknown field; there are {', '.join(sorted(known))}")
