"""The findings of the leak check, as the author of the document sees them."""

from typing import Self

from pydantic import BaseModel

from sieve.gateway.reading.service import Found
from sieve.gateway.screening.leak_check import OpenFindingsRule
from sieve.gateway.screening.leak_scanner import LeakReport
from sieve.marking.leaks.report import finding_id
from sieve.web.schemas import SaidShown, Shown

MAX_SHOWN = 2_000


class FindingShown(Shown):
    """`kind`: see docs/leak-guard.md. Code points `start` to `end` of the unit at `address`; both null for the
    whole unit.

    `said`: the sentence `says`, with its code. `travels_plain`: eavesdroppers could read it; if not, only recipients
    who are not cleared, in the redacted edition.
    Findings of one `kind` and `group` are about the same thing. `id` stays the same while the finding does.
    """

    id: str
    kind: str
    group: str
    says: str
    said: SaidShown
    address: str
    start: int | None
    end: int | None
    excerpt: str
    travels_plain: bool

    @classmethod
    def of(cls, found: Found) -> Self:
        finding = found.finding
        return cls.from_attributes(
            finding,
            id=finding_id(finding),
            says=str(finding.sentence),
            said=SaidShown(**finding.sentence.to_json()),
            excerpt=found.excerpt,
            travels_plain=found.travels_plain,
        )


class DocumentChecked(BaseModel):
    """The first findings; `count`: how many there are, by kind in `kinds`; `digest`: names all of them, as a
    confirmation does. `suggestions`: what may be another form of something marked; nobody needs to confirm it.
    `revision`: of the draft, null for a document that is none. `rule`: what becomes of sending it.
    """

    revision: int | None
    count: int
    kinds: dict[str, int]
    digest: str
    findings: list[FindingShown]
    suggestions: list[FindingShown]
    more: bool
    rule: OpenFindingsRule

    @classmethod
    def of(cls, report: LeakReport, revision: int | None, rule: OpenFindingsRule) -> Self:
        return cls(
            revision=revision,
            count=report.tally.count,
            kinds=dict(report.tally.kinds),
            digest=report.tally.digest,
            findings=[FindingShown.of(found) for found in report.findings[:MAX_SHOWN]],
            suggestions=[FindingShown.of(found) for found in report.suggestions[:MAX_SHOWN]],
            more=len(report.findings) > MAX_SHOWN,
            rule=rule,
        )
