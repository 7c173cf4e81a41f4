"""JSON that fuzz targets change: values of other types and sizes, and lists and objects with one more or one fewer."""

import json
from random import Random
from typing import Any, Final

from sieve.channel import canonical
from sieve.channel.attempt import ANY_SPLIT, MODES

_PLANS: Final = (*MODES, *ANY_SPLIT)
_ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, 2, -1, 64, 65, 2**31, 2**53, 2**62, 2**62 + 1, 2**63, 2**64, 10**30, 1.5, 1e300),
    *("", "a", "..", "/", "\u202e", "é", "\ud800", "\0", " ", "a" * 201, "a" * 1001, "00" * 16, "00" * 32, "FF" * 16),
    *(*_PLANS, "http://a", "https://[::1", "expired", "protocol"),
    *([], {}, [[]], [[0, 1]], [0], ["a", "a"], {"a": 1}, float("inf"), float("nan")),
)


def changed_json(value: Any, random: Random) -> Any:
    """`value` with another value, one more or one fewer somewhere inside. May change it in place."""
    holders = [value] if isinstance(value, dict | list) else []
    for holder in holders:
        if len(holders) > 200:
            break
        inner = holder.values() if isinstance(holder, dict) else holder
        holders += [one for one in inner if isinstance(one, dict | list)]
    if not holders or random.random() < 0.01:
        return random.choice(_ODD)
    holder = random.choice(holders)
    keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys or random.random() < 0.1:
        if isinstance(holder, dict):
            holder[random.choice(("v", "is", "max_chunk", "redacted", "x", "transfer", "audit_head"))] = _odd(random)
        else:
            holder.append(json.loads(json.dumps(random.choice(holder))) if holder else _odd(random))
        return value
    key = random.choice(keys)
    if random.random() < 0.1:
        del holder[key]
    else:
        holder[key] = _other(holder[key], random)
    return value


def _odd(random: Random) -> Any:
    return json.loads(json.dumps(random.choice(_ODD)))


def _other(value: Any, random: Random) -> Any:
    if random.random() < 0.4:
        return _odd(random)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 16, -16, value))
    if value in _PLANS and random.random() < 0.7:
        return random.choice(_PLANS)
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        return value[:at] + random.choice(("", "0", "a", "é", "A", value)) + value[at + 1 :]
    return _odd(random)


def written_json(value: Any, random: Random) -> bytes:
    """Mostly canonical, where it can be."""
    if random.random() < 0.05:
        spaced, escaped = random.random() < 0.5, random.random() < 0.5
        return json.dumps(value, separators=(", ", ":") if spaced else (",", ":"), ensure_ascii=escaped).encode(
            "utf-8", "surrogatepass"
        )
    try:
        return canonical.dumps(value)
    except (ValueError, RecursionError):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
