"""A case: one point of an experiment, by everything that makes it differ from its neighbours.

A field that a case does not use is None (or 0, or 1), and stays so down to latest.json. Equal rates of a link mean one
link that both channels share; different rates mean two links.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

AES_256 = "TLS_AES_256_GCM_SHA384"
CBC = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"
"""The thesis's AES-256 suite with another key exchange, because our identities are ECDSA."""
MODES = ("sieve", "secure-only")
SIZES_MB = (1, 3, 5, 7, 10)
PROPORTIONS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
CHANNELS = (1, 2, 3, 5)

Emulation = str
"""How additional processing comes about: "3des" is burnt by a relay on both sides while the bytes pass, at the rate
that `openssl speed` measured; "added" is counted on top of what was measured, as the thesis slept after transfers."""


@dataclass(frozen=True, slots=True)
class Link:
    """Rates in Mbit/s of the secure and of the plain channel's way to the receiver."""

    secure_mbit: int
    plain_mbit: int

    @property
    def is_shared(self) -> bool:
        return self.secure_mbit == self.plain_mbit


@dataclass(frozen=True, slots=True)
class Case:
    """One point.

    `secure`, `plain`: channels of each kind. `split`: how they share the bytes, None where there is nothing to share.
    `files`: a set of documents sent at once, "UFS" or "EFS"; then x and P are those of its middle document. `slowed`:
    the sender has so much less of its processor. `warm`: over kept-open channels, else every channel is set up again.
    """

    experiment: str
    x_mb: int
    p: float
    mode: str
    cipher: str = AES_256
    secure: int = 1
    plain: int = 1
    split: str | None = None
    files: str | None = None
    link: Link | None = None
    emulated: Emulation | None = None
    ap_ms_per_mb: float = 0.0
    slowed: float = 0.0
    warm: bool = True

    @property
    def is_measured(self) -> bool:
        """Else its row is worked out of another's."""
        return self.emulated != "added"

    @property
    def documents(self) -> tuple[tuple[int, float], ...]:
        """x and P of each document that is sent."""
        match self.files:
            case None:
                return ((self.x_mb, self.p),)
            case "UFS":
                return ((1, 0.1), (self.x_mb, 0.5), (1, 0.9))
            case _:
                return ((self.x_mb, 0.5),) * 3

    @property
    def secure_mb(self) -> float:
        """Megabytes that the secure channels carry."""
        return sum(x * (1.0 if self.mode == "secure-only" else p) for x, p in self.documents)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Case":
        """The case in a raw sample. Ignores the sample's other fields."""
        values = {field.name: found[field.name] for field in fields(cls)}
        return cls(**values | {"link": Link(**found["link"]) if found["link"] else None})

    def __str__(self) -> str:
        what = f"{self.files} x = {self.x_mb}" if self.files else f"{self.x_mb}MB-{self.p * 100:.0f}"
        parts = [f"{what} {self.mode} {self.secure}+{self.plain}"]
        parts += [self.split] if self.split else []
        parts += [] if self.cipher == AES_256 else [self.cipher.removeprefix("TLS_")]
        parts += [f"{self.link.secure_mbit}/{self.link.plain_mbit} Mbit/s"] if self.link else []
        parts += [f"{self.emulated} emulated"] if self.emulated else []
        parts += ["slowed"] if self.slowed else []
        parts += [] if self.warm else ["cold"]
        return " ".join(parts)


def case(experiment: str, x: int, p: float, mode: str, n: int = 1, **more: Any) -> Case:
    """A case of `n` channels of each kind that its mode uses."""
    return Case(experiment, x, p, mode, secure=n, plain=0 if mode == "secure-only" else n, **more)
