"""A cache of policies for a reading process: building a long list of keywords takes longer than searching a text."""

import json
from collections import OrderedDict
from typing import Final

from sieve.marking.policy import Policy, understand

MAX_KEPT: Final = 8 * 1024 * 1024
"""Characters of policies that stay in the cache after their request."""


class PolicyCache:
    """Keeps all policies of the latest request, and of those before it as many as `MAX_KEPT` allows."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Policy] = OrderedDict()

    def of(self, policies: bytes) -> list[Policy]:
        """The policies in a request."""
        written = [json.dumps(one) for one in json.loads(policies)]
        for one in written:
            self._kept[one] = self._kept.get(one) or _understood(one)
            self._kept.move_to_end(one)
        length = sum(map(len, self._kept))
        while length > MAX_KEPT and len(self._kept) > len(written):
            length -= len(self._kept.popitem(last=False)[0])
        return [self._kept[one] for one in written]


def _understood(written: str) -> Policy:
    given = json.loads(written)
    policy, problems = understand(given["table"], version=given["version"])
    if policy is None:
        raise problems[0]
    return policy
