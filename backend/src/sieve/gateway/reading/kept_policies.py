"""Policies as a reading process keeps them: understood once, for to build a long list of keywords takes longer than to
look through a small text by it.
"""

import json
from collections import OrderedDict
from typing import Final

from sieve.marking.errors import PolicyError
from sieve.marking.policy import Policy, understand

MAX_KEPT: Final = 8 * 1024 * 1024
"""Characters of policies that are kept understood though they may not be asked for again."""


class KeptPolicies:
    """Policies that were understood, the latest last: those of the last question however many they are, and of those
    before it as many as are not long.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Policy] = OrderedDict()

    def of(self, policies: bytes) -> list[Policy]:
        """The policies that a question brings."""
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
    policy, problems = understand(given["table"], _no_keywords_file, version=given["version"])
    if policy is None:
        raise problems[0]
    return policy


def _no_keywords_file(name: str) -> str:
    raise PolicyError("keywords_file is for the command line; a gateway has no such files, so list them as keywords")
