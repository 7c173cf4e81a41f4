"""Holds up one call, so that a story can say what happens meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest


def gate(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> tuple[asyncio.Event, asyncio.Event]:
    """Holds the first call of a method until told: (it got there, let it go on)."""
    there, go_on = asyncio.Event(), asyncio.Event()
    real: Callable[..., Awaitable[Any]] = getattr(owner, name)

    async def slowly(*arguments: Any, **more: Any) -> Any:
        there.set()
        await go_on.wait()
        return await real(*arguments, **more)

    monkeypatch.setattr(owner, name, slowly)
    return there, go_on
