"""A policy as the API shows and takes it."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from fastapi import Depends, Request
from pydantic import BaseModel, StringConstraints

from sieve.core.units import Mark
from sieve.gateway.reading.service import Hits
from sieve.gateway.screening.policies import MAX_SOURCE_BYTES, KeptPolicy, Source
from sieve.marking.errors import PolicyError
from sieve.marking.policy import Policy
from sieve.web.errors import MalformedRequest, where_of
from sieve.web.request_bodies import read_body
from sieve.web.schemas import Shown

MAX_TRIED: Final = 100_000
"""Characters of a text that an unsaved policy is tried on."""

SOURCE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "object", "description": "A policy: docs/policies.md."}},
            "application/toml": {
                "schema": {"type": "string", "description": "The same, as a file of the command line."}
            },
        },
    }
}
"""The OpenAPI description of a body that is a policy."""


async def _source(request: Request) -> Source:
    essence = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
    if essence not in ("application/json", "application/toml"):
        raise MalformedRequest("header.content-type: a policy is application/json or application/toml")
    body = await read_body(request, MAX_SOURCE_BYTES, "the policy")
    try:
        return Source("toml" if essence.endswith("toml") else "json", body.decode())
    except UnicodeDecodeError:
        raise MalformedRequest("body: the policy is not UTF-8; save it as UTF-8") from None


GivenSource: TypeAlias = Annotated[Source, Depends(_source)]
"""The policy in a request."""


class PolicyListed(Shown):
    """A policy at its latest version. `rules`: how many; `guard`: whether sending is checked by it; `changed_by`: a
    login."""

    name: str
    version: int
    title: str
    rules: int
    guard: bool
    changed_at: datetime
    changed_by: str


class PolicyShown(Shown):
    """One version of a policy, with its rules as written; docs/policies.md lists the defaults of omitted fields.

    `latest`: the number of the newest version; `deleted`: whether the policy was deleted; `toml`: its source, if that
    is TOML.
    """

    name: str
    version: int
    title: str
    guard: bool
    rules: list[dict[str, Any]]
    latest: int
    deleted: bool
    changed_at: datetime
    changed_by: str
    toml: str | None

    @classmethod
    def of(cls, kept: KeptPolicy) -> Self:
        return cls.from_attributes(
            kept.row,
            rules=kept.table()["rules"],
            latest=kept.latest,
            deleted=kept.deleted,
            toml=kept.source.text if kept.source.language == "toml" else None,
        )


class PolicyProblem(BaseModel):
    """`where`: "rule 2", or empty for the policy as a whole."""

    where: str
    says: str

    @classmethod
    def of(cls, error: PolicyError) -> Self:
        return cls(where=where_of(error), says=error.reason)


class PolicyChecked(BaseModel):
    """Whether a policy can be used, and all its problems."""

    ok: bool
    problems: list[PolicyProblem]


class PolicyTried(BaseModel):
    """A policy that need not be stored, as JSON or TOML, and a text to try it on."""

    language: Literal["json", "toml"]
    policy: Annotated[str, StringConstraints(max_length=MAX_SOURCE_BYTES)]
    text: Annotated[str, StringConstraints(max_length=MAX_TRIED)]


class TextHit(BaseModel):
    """What a rule would mark in a text: code points `start` to `end`, without `end`."""

    start: int
    end: int
    rule: str
    reason: str
    label: str
    granularity: str


class DraftHit(BaseModel):
    """A mark that a rule would make in a document of any format: the code points `start` to `end` of the unit at
    `address`; both null for the whole unit. `text` is the beginning of the marked text, `before` and `after` are the
    text around it."""

    address: str
    start: int | None
    end: int | None
    label: str
    rule: str
    reason: str
    text: str
    before: str
    after: str


class DraftPreview(BaseModel):
    """The first hits, in reading order; `more`: whether there are others. `missing`: the tables without a column that a
    rule needs, where the rule marks nothing.
    """

    policy: str
    version: int
    hits: list[DraftHit]
    more: bool
    missing: list[str]

    @classmethod
    def of(cls, policy: Policy, found: Hits) -> Self:
        hits = [DraftHit(**asdict(mark), **excerpt._asdict()) for mark, excerpt in found.hits]
        return cls(policy=policy.name, version=policy.version, hits=hits, more=found.more, missing=found.missing)


class TextPreview(BaseModel):
    """The first hits, in the order of their starts; `more`: whether there are others."""

    policy: str
    version: int
    hits: list[TextHit]
    more: bool

    @classmethod
    def of(cls, policy: Policy, marks: list[Mark], length: int, *, more: bool) -> Self:
        """`length`: of the text, for rules that mark all of it."""
        granularity = {rule.id: rule.granularity.value for rule in policy.rules}
        hits = [
            TextHit(
                start=mark.start or 0,
                end=length if mark.end is None else mark.end,
                rule=mark.rule,
                reason=mark.reason,
                label=mark.label,
                granularity=granularity[mark.rule],
            )
            for mark in marks
        ]
        return cls(policy=policy.name, version=policy.version, hits=hits, more=more)
