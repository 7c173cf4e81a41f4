"""Findings prepared for people who decide about them: an id for each, a digest of all, and counts by kind.

Invariant: ids and digest are the same whenever the same document is checked in the same way, so that a confirmation
covers exactly the findings that the author saw. Both are for the author alone, since they are digests of classified
text. Counts, kinds and rules reveal nothing of it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blake3 import blake3

from sieve.core.units import Unit
from sieve.marking.leaks.finding import NAME_ADDRESS, POLICY, Finding

_AROUND: Final = 40
_LONGEST: Final = 160
_SEPARATOR: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Tally:
    """What may be stored and shown without revealing a finding. `rules`: how often each rule of a policy was hit."""

    count: int
    digest: str
    kinds: Mapping[str, int]
    rules: Mapping[str, int]


def finding_id(finding: Finding) -> str:
    """The id of a finding, the same for the same finding."""
    parts = (finding.kind, finding.address, str(finding.start), str(finding.end), str(finding.sentence), finding.group)
    return blake3(_SEPARATOR.join(parts).encode("utf-8", "surrogatepass")).hexdigest(length=16)


def tally(findings: Sequence[Finding]) -> Tally:
    """The digest and the counts of all findings."""
    digest = blake3()
    for finding in findings:
        digest.update(finding_id(finding).encode())
    return Tally(
        len(findings),
        digest.hexdigest(length=16),
        dict(sorted(Counter(finding.kind for finding in findings).items())),
        dict(sorted(Counter(finding.group for finding in findings if finding.kind == POLICY).items())),
    )


class Excerpts:
    """The text around findings."""

    def __init__(self, units: Iterable[Unit], name: str = "") -> None:
        self._texts = {unit.address: unit.text for unit in units}
        self._texts[NAME_ADDRESS] = name

    def of(self, finding: Finding) -> str:
        """The text of a finding with a little context, on one line; empty if it has no text."""
        text = self._texts.get(finding.address, "")
        if finding.start is None or finding.end is None:
            return _line(text[:_LONGEST], more=len(text) > _LONGEST)
        first = max(0, finding.start - _AROUND)
        last = min(len(text), min(finding.end, finding.start + _LONGEST) + _AROUND)
        line = _line(text[first:last], more=last < len(text))
        return f"…{line}" if first else line


def _line(text: str, *, more: bool) -> str:
    return " ".join(text.split()) + ("…" if more else "")
