"""The limit of open files, and the share of it that connections may take."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.runtime.file_descriptors import MAX_CONNECTIONS, WANTED, connections

_RAISED = """
import resource, sys
from sieve.gateway.runtime.file_descriptors import raise_limit
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
print(raise_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@given(st.integers(0, 2 * WANTED))
def test_both_listeners_together_have_at_most_half(limit: int) -> None:
    assert 2 * connections(limit) <= limit / 2


def test_a_usual_limit_allows_all_connections() -> None:
    assert connections(4096) == connections(WANTED) == MAX_CONNECTIONS


@pytest.mark.parametrize(("soft", "hard"), [(200, 300), (300, 300)])
def test_the_soft_limit_is_raised_to_the_hard_one(soft: int, hard: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RAISED, str(soft), str(hard)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(hard)] * 3
