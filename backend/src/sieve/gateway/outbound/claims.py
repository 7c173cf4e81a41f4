"""A claim: the worker's lease on due transfers that are sent together."""

from collections.abc import Sequence
from dataclasses import dataclass

from sieve.store.models import Transfer


@dataclass(frozen=True, slots=True)
class Claim:
    """One or more transfers to one peer. `token`: each write names it. `size`: the bytes of all documents."""

    transfers: Sequence[Transfer]
    token: str
    size: int

    @property
    def peer_id(self) -> str:
        return self.transfers[0].peer_id

    @property
    def names(self) -> str:
        """For the log."""
        return ", ".join(transfer.id for transfer in self.transfers)
