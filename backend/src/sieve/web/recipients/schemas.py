"""Recipients at several gateways, and the groups of them that an author saves."""

import json
from typing import Annotated

from pydantic import Field

from sieve.channel.manifest import MAX_RECIPIENTS
from sieve.store.models import RecipientGroup
from sieve.web.schemas import RequestBody, Shown
from sieve.web.transfers.requests import Login, PeerName


class RecipientNamed(RequestBody):
    """A person by their login (`name`) at a gateway."""

    peer: PeerName
    name: Login


class GatewayNamed(Shown):
    """A gateway to which documents can be sent. `is_own`: it is this one."""

    name: str
    is_own: bool


GroupName = Annotated[str, Field(min_length=1, max_length=100)]
Members = Annotated[list[RecipientNamed], Field(min_length=1, max_length=MAX_RECIPIENTS)]


class GroupAsked(RequestBody):
    """A new group of recipients, at one or several gateways."""

    name: GroupName
    members: Members


class GroupChange(RequestBody):
    """The changes; fields that are omitted or null stay unchanged."""

    name: GroupName | None = None
    members: Members | None = None


class GroupShown(Shown):
    """A group of recipients of mine."""

    id: str
    name: str
    members: list[RecipientNamed]

    @classmethod
    def of(cls, row: RecipientGroup) -> "GroupShown":
        members = [RecipientNamed(peer=peer, name=name) for peer, name in json.loads(row.members)]
        return cls(id=row.id, name=row.name, members=members)
