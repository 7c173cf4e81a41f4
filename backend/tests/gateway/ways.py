"""The ways in which documents travel, over which every test of two gateways runs unless it says why not.

One channel of each kind does nothing that several do not, and is what all tests use that have no ways: where a test has
ways, only `make soak` runs it over one.
"""

from dataclasses import dataclass

import pytest

from sieve.core.document import Document


@dataclass(frozen=True)
class Way:
    """Over so many secure and plain channels, alone or in the middle of a batch."""

    secure_channels: int = 1
    plain_channels: int = 1
    before: tuple[Document, ...] = ()
    behind: tuple[Document, ...] = ()

    @property
    def alone(self) -> "Way":
        """The same channels, and nothing else in the exchange."""
        return Way(self.secure_channels, self.plain_channels)

    @property
    def documents(self) -> int:
        """Of one attempt."""
        return len(self.before) + 1 + len(self.behind)


# Of a batch the ends of the streams are others' bytes: the document under test shares its first and last chunk.
_BEFORE = Document(b"first, then SECRET\n" * 1000, [(12, 18), (12_000, 12_100)])
_BEHIND = Document(b"SECRET, then last\n" * 4000, [(0, 6)])
WAYS = {"1+1": Way(), "3+2": Way(3, 2), "batch": Way(2, 2, (_BEFORE,), (_BEHIND,))}
SELDOM = {"1+1": pytest.mark.soak}


def over(*names: str, seldom: str = "") -> pytest.MarkDecorator:
    """For tests that other ways would add nothing to: those alone, and one of them only in `make soak`."""
    ways = [pytest.param(WAYS[name], id=name) for name in names]
    if seldom:
        ways.append(pytest.param(WAYS[seldom], id=seldom, marks=pytest.mark.soak))
    return pytest.mark.parametrize("way", ways, indirect=True)
