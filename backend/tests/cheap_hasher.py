"""A password hasher that takes microseconds. Use it only in tests: a gateway's must be slow."""

from argon2 import PasswordHasher

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
