"""What an admin sends to add, change or import people, and what an import shows."""

from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from sieve.channel.safe_names import MAX_UNIT, clean_line
from sieve.store.models import ApprovalKind, User
from sieve.store.queries.approvals import Waiting
from sieve.web.one_time_links.schemas import LinkMade
from sieve.web.person import Login
from sieve.web.schemas import RequestBody
from sieve.web.times import shown


def _visible(text: str) -> str:
    cleaned = clean_line(text)
    if not cleaned:
        raise ValueError("it has no visible characters")
    return cleaned


DisplayName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(_visible)
]
Unit = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_UNIT), AfterValidator(clean_line)]
"""A department; empty for none."""


class PersonAsked(RequestBody):
    """A new person, with at least one role. `name`: the login, in lower case. `unit`: their department, which peer
    gateways see, too. `is_service`: a program's account: it has no password, and admins make its tokens.
    """

    name: Login
    display_name: DisplayName
    unit: Unit | None = None
    is_author: bool = False
    is_recipient: bool = False
    is_admin: bool = False
    cleared: bool = False
    is_service: bool = False


class PersonChange(RequestBody):
    """The changes; fields that are omitted or null stay unchanged. An empty `unit` removes it."""

    display_name: DisplayName | None = None
    unit: Unit | None = None
    is_author: bool | None = None
    is_recipient: bool | None = None
    is_admin: bool | None = None
    cleared: bool | None = None
    disabled: Annotated[
        bool | None, Field(description="A disabled person cannot sign in. Their sessions and tokens end, for good.")
    ] = None


class ImportRowShown(BaseModel):
    """What becomes of a row of the file. `before`, `after`: the cells that differ, by column; `before` is empty for a
    new person. `reason`: why the row is refused.
    """

    line: int
    login: str
    outcome: Literal["new", "changed", "unchanged", "refused"]
    before: dict[str, str]
    after: dict[str, str]
    reason: str | None


class NewPersonLink(LinkMade):
    """The link of a new person, who sets a password with it."""

    name: str
    display_name: str


class PeopleImport(BaseModel):
    """`imported`: false for a preview, which changes nothing. `digest`: pass it as `expected` to import exactly what
    the preview showed. `links`: of the new people; they are shown only once.
    """

    imported: bool
    digest: str
    rows: list[ImportRowShown]
    links: list[NewPersonLink]


class ApprovalShown(BaseModel):
    """A request that waits for a second admin. `kind`: clearance for earlier documents, what a reset locked, or the
    role of an admin who counts as a second one. `asked_by`: the login of the first admin; null if there is none (any
    more): then two admins must agree. `may_agree`, `may_refuse`: whether I may.
    `may_withdraw`: I asked for it. `enough`: whether my agreement is.
    """

    id: str
    kind: ApprovalKind
    person: str
    person_name: str
    asked_by: str | None
    asked_at: datetime
    may_agree: bool
    may_refuse: bool
    may_withdraw: bool
    enough: bool

    @classmethod
    def of(cls, found: Waiting, admin: User) -> "ApprovalShown":
        first = found.first_admin
        return cls(
            id=found.approval.id,
            kind=cast(ApprovalKind, found.approval.kind),
            person=found.person.name,
            person_name=found.person.display_name,
            asked_by=None if first is None else first.name,
            asked_at=shown(found.approval.created_at_ns),
            may_agree=found.may_agree(admin),
            may_refuse=found.may_refuse(admin),
            may_withdraw=found.may_withdraw(admin),
            enough=first is not None,
        )


class Approvals(BaseModel):
    """All requests. `other_admins`: how many other admins could agree, so that it can be said if there are none."""

    waiting: list[ApprovalShown]
    other_admins: int
