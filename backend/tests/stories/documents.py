"""Documents made for the stories: real-looking reports with planted secrets, as big as asked, the same each time."""

import random
from dataclasses import dataclass

WORDS = [
    "harbour",
    "quay",
    "caisson",
    "dredging",
    "survey",
    "tender",
    "weather",
    "berth",
    "crane",
    "fender",
    "bollard",
    "pilot",
    "tide",
    "lock",
    "barge",
    "gravel",
    "anchor",
    "contract",
    "council",
    "budget",
    "schedule",
    "inspection",
    "diver",
    "tug",
    "breakwater",
    "navigation",
    "ballast",
    "Hafen",
    "港湾",
    "grève",
]


@dataclass(frozen=True)
class Report:
    """Marked text, its content without tags, and the secrets in its spans."""

    marked: bytes
    content: bytes
    secrets: tuple[bytes, ...]


def report(size: int, spans: int, seed: int = 1) -> Report:
    """A report of about `size` bytes with `spans` classified spans spread over it."""
    draw = random.Random(seed)
    marked: list[bytes] = []
    content: list[bytes] = []
    secrets: list[bytes] = []
    every = max(1, size // spans) if spans else size + 1
    written, next_span = 0, every // 2
    while written < size:
        sentence = (" ".join(draw.choice(WORDS) for _ in range(12)) + ".\r\n").encode()
        marked.append(sentence)
        content.append(sentence)
        written += len(sentence)
        if written >= next_span and len(secrets) < spans:
            secret = f"PLANTED-{draw.getrandbits(64):016x} {draw.choice(WORDS)} {draw.getrandbits(96):024x}".encode()
            marked.append(b"<$S>" + secret + b"<$E>")
            content.append(secret)
            secrets.append(secret)
            written += len(secret)
            next_span += every
    return Report(b"".join(marked), b"".join(content), tuple(secrets))
