"""Passwords: the accepted ones, equal ones however they are typed, and equal cost for unknown accounts."""

import asyncio
import threading
from typing import Literal
from unicodedata import normalize

import pytest
from argon2 import PasswordHasher, Type, extract_parameters
from hypothesis import given
from hypothesis import strategies as st

from cheap_hasher import CHEAP
from sieve.composition import Parts
from sieve.web.errors import MalformedRequest
from sieve.web.passwords import AT_ONCE, Passwords, acceptable

GOOD = "correct horse battery"


NAMES = ("Anna Bergér", "alpha")


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "zqxj7vn4kw2b",
        GOOD + "x" * 1003,
        "grün-schlüssel-für-anna",
        "anna hates mondays at 9",
        "alpha romeo battery staple",
    ],
)
def test_what_is_taken(password: str) -> None:
    assert acceptable(password, "anna", NAMES) == password


@pytest.mark.parametrize(
    "password",
    [
        *("a" * 12, "a" * 1024, " " * 12, "abcdefghijkl", "qwertyuiop12", "123456789012", "0123456789" * 100),
        *("password1234", "pass word 1234", "P@ssw0rd1234!", "i-love-you-1234", "bonjourbonjour", "motdepasse123"),
    ],
)
def test_what_is_easy_to_guess(password: str) -> None:
    with pytest.raises(MalformedRequest, match="several words that do not belong together"):
        acceptable(password, "otto")


@pytest.mark.parametrize(
    "password",
    [
        *("anna-berger-2026", "Ann4.B3rg3r!2026", "BERGER anna 12345", "annabergeralpha", "berger_anna_bergér"),
        *("Alpha-Gateway-1", "security sieve 2026", "$ecurity$ieve1", "anna@alpha.example"),
    ],
)
def test_what_is_made_of_names(password: str) -> None:
    with pytest.raises(MalformedRequest, match="nothing to do with you"):
        acceptable(password, "anna", NAMES)


@given(st.sampled_from(["anna", "Bergér", "ALPHA", "sieve"]), st.integers(0, 99999), st.sampled_from(" .-_/"))
def test_names_with_a_number_are_refused_in_any_order(name: str, number: int, between: str) -> None:
    for parts in ((name, name, f"{number:05}"), (f"{number:05}", name, name)):
        with pytest.raises(MalformedRequest):
            acceptable(between.join(parts), "anna", NAMES)


@pytest.mark.parametrize(
    ("password", "login", "why"),
    [
        ("", "anna", "too short"),
        ("a" * 11, "anna", "too short"),
        ("e\u0301" * 11, "anna", "too short"),
        ("a" * 1025, "anna", "too long"),
        ("ä" * 513, "anna", "too long"),
        ("u\u0308\u0304" * 342, "anna", "too long"),  # 1026 characters as typed, 684 bytes as kept
        ("anna@example.org", "anna@example.org", "your login"),
        (" Anna@Example.org", "anna@example.org", "your login"),
    ],
)
def test_what_is_not(password: str, login: str, why: str) -> None:
    with pytest.raises(MalformedRequest, match=why) as caught:
        acceptable(password, login)
    assert not password or password not in str(caught.value)


@given(st.text(min_size=12, max_size=40))
def test_however_it_is_typed_it_is_the_same(password: str) -> None:
    async def same() -> None:
        passwords = Passwords(CHEAP)
        kept = await passwords.hash(normalize("NFD", password))
        assert (await passwords.compare(kept, normalize("NFC", password))).right
        assert not (await passwords.compare(kept, password + "x")).right

    asyncio.run(same())


async def test_nobodys_password_is_compared_and_never_right() -> None:
    hasher = _Counting()
    passwords = Passwords(hasher)
    assert not (await passwords.compare(None, GOOD)).right
    assert hasher.verified == 1
    assert not (await passwords.compare("no hash", GOOD)).right


async def test_an_unknown_account_costs_as_much_as_a_stored_hash() -> None:
    verified: list[str | bytes] = []

    class Remembering(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 -- argon2's name
            verified.append(hash)
            return super().verify(hash, password)

    hasher = Remembering(time_cost=2, memory_cost=16, parallelism=1)
    await Passwords(hasher).compare(None, GOOD)
    assert extract_parameters(str(verified[0])) == extract_parameters(hasher.hash(GOOD))


async def test_one_that_was_stored_at_another_cost_is_stored_again() -> None:
    kept = await Passwords(CHEAP).hash(GOOD)
    dearer = Passwords(PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))
    assert (await Passwords(CHEAP).compare(kept, GOOD)).fresh is None
    assert (await dearer.compare(kept, "wrong")).fresh is None
    fresh = (await dearer.compare(kept, GOOD)).fresh
    assert fresh is not None and "t=2" in fresh
    assert await dearer.compare(fresh, GOOD) == (True, None)


def test_a_gateway_hashes_at_the_cost_that_the_docs_name() -> None:
    """64 MiB and three passes, whatever a newer library takes by default."""
    hasher = Parts().password_hasher
    assert (hasher.type, hasher.memory_cost, hasher.time_cost) == (Type.ID, 64 * 1024, 3)


async def test_no_more_than_two_are_hashed_at_once() -> None:
    hasher = _Counting()
    passwords = Passwords(hasher)
    await asyncio.gather(*(passwords.compare(None, GOOD) for _ in range(20)))
    assert hasher.verified == 20
    assert hasher.most <= AT_ONCE


class _Counting(PasswordHasher):
    """Counts what it compares, and how many at once at most."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=64, parallelism=1)
        self.verified = self.now = self.most = 0
        self._lock = threading.Lock()

    def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]  # noqa: A002
        with self._lock:
            self.verified += 1
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return super().verify(hash, password)
        finally:
            with self._lock:
                self.now -= 1
