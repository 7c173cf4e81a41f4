"""Labels as the API shows and takes them."""

from typing import Annotated, Self

from pydantic import StringConstraints

from sieve.gateway.auditing.audit_log import MAX_REASON
from sieve.gateway.documents import draft_labels
from sieve.marking.labels import MAX_NAME_CHARACTERS, LabelSet
from sieve.web.schemas import RequestBody, Shown

LabelName = Annotated[str, StringConstraints(max_length=MAX_NAME_CHARACTERS)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_REASON)]


class LabelShown(Shown):
    """`rank`: the higher one dominates. `banner`: how it is written above a document. `colour`: #rrggbb."""

    name: str
    rank: int
    banner: str
    colour: str | None


class LabelSetShown(Shown):
    """`default`: the label of spans without one. Both are null, and there are no labels, if no set is chosen."""

    name: str | None
    labels: list[LabelShown]
    default: str | None

    @classmethod
    def of(cls, labels: LabelSet | None) -> Self:
        if labels is None:
            return cls(name=None, labels=[], default=None)
        return cls.from_attributes(labels, labels=[LabelShown.from_attributes(one) for one in labels.labels])


class LabelsAsked(RequestBody):
    """`labels`: of each span in order, null for the default; null to keep all. `banner`: null for the floor; a new
    higher one needs a `compilation_reason`. `lowering_reason`: why a label or the banner is lowered; it is recorded in
    the audit log.
    """

    labels: list[LabelName | None] | None = None
    banner: LabelName | None = None
    compilation_reason: Reason | None = None
    lowering_reason: Reason | None = None

    def as_asked(self) -> draft_labels.LabelsAsked:
        """The same for `DraftLabels`."""
        return draft_labels.LabelsAsked(self.labels, self.banner, self.compilation_reason, self.lowering_reason)


class DraftLabelled(Shown):
    """`labels`: of each span of a text in order, null for the default; null for a file, whose marks have them.

    `floor`: the highest of them; `banner`: that, or what it was raised to; null where nothing is classified.
    `banner_text`: how the banner is written.
    """

    revision: int
    labels: list[str | None] | None
    floor: str | None
    banner: str | None
    banner_text: str | None
    compilation_reason: str | None

    @classmethod
    def of(cls, found: draft_labels.Labels) -> Self:
        floor, banner = found.banner.floor, found.banner.banner
        return cls.from_attributes(
            found,
            labels=None if found.labels is None else list(found.labels),
            floor=floor.name if floor else None,
            banner=banner.name if banner else None,
            banner_text=banner.banner if banner else None,
            compilation_reason=found.banner.compilation,
        )
