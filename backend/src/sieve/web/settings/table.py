"""Settings as people read them. A secret's value never gets in here: only whether there is one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import SecretStr

from sieve.config import PREFIX, Settings
from sieve.core.sentence import Sentence

NOT_SET: Final = Sentence("setting-not-set", "not set")


class Row(NamedTuple):
    """One setting. Values and warnings that the interface can say in other languages are `Sentence`s."""

    name: str
    value: str
    note: str
    warning: str | None


def rows(settings: Settings) -> Sequence[Row]:
    """Every setting in the order of `Settings`, each with the value that counts."""
    found, warnings, notes = [], settings.warnings, descriptions()
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if _is_secret(field.annotation):
            text: str = NOT_SET if value is None else Sentence("setting-set", "set")
        else:
            effective = _EFFECTIVE.get(name)
            text = _text(name, value if effective is None else effective(settings))
        found.append(Row(name, text, f"{notes[name]} Set by {PREFIX}{name.upper()}.", warnings.get(name)))
    return found


def descriptions() -> dict[str, str]:
    """What each setting is for, by its name, each in one line."""
    return {name: " ".join((field.description or "").split()) for name, field in Settings.model_fields.items()}


_EFFECTIVE: Final[Mapping[str, Callable[[Settings], Path | str | None]]] = {
    "blobs": lambda settings: settings.blobs or settings.blobs_path,
    "identity_dir": lambda settings: settings.identity_path,
    "master_key_file": lambda settings: None if settings.master_key_command else settings.master_key_path,
    "ui_dir": lambda settings: settings.ui_path,
}
"""What counts where nothing was set."""

_GIB, _MIB, _KIB = 1024**3, 1024**2, 1024
_DAY_S: Final = 24 * 3600
_HOUR_S, _MINUTE_S = 3600, 60


def _is_secret(annotation: Any) -> bool:
    return SecretStr in getattr(annotation, "__args__", (annotation,))


def _text(name: str, value: object) -> str:
    if value is None:
        return NOT_SET
    if isinstance(value, bool):
        return Sentence("setting-yes", "yes") if value else Sentence("setting-no", "no")
    if not isinstance(value, int | float):
        return str(value)
    if name.endswith("_bytes_per_s"):
        return Sentence("setting-rate", "{size}/s", size=_size(int(value)))
    if "_bytes" in name:
        return _size(int(value))
    if name.endswith("_days"):
        return _days(int(value))
    if name.endswith("_ms"):
        return Sentence("time-milliseconds", "{milliseconds} ms", milliseconds=_short(value))
    return _time(value) if name.endswith("_s") else str(value)


def _size(count: int) -> Sentence:
    """The size in the largest unit of which it is a whole number."""
    if count >= _GIB and count % _GIB == 0:
        return Sentence("size-gib", "{size} GiB", size=count // _GIB)
    if count >= _MIB and count % _MIB == 0:
        return Sentence("size-mib", "{size} MiB", size=count // _MIB)
    if count >= _KIB and count % _KIB == 0:
        return Sentence("size-kib", "{size} KiB", size=count // _KIB)
    return Sentence("size-bytes", "{count} bytes", one="{count} byte", count=count)


def _time(seconds: float) -> Sentence:
    """The time in the largest unit of which it is a whole number."""
    if seconds >= _DAY_S and seconds % _DAY_S == 0:
        return _days(int(seconds // _DAY_S))
    if seconds >= _HOUR_S and seconds % _HOUR_S == 0:
        return Sentence("time-hours", "{hours} h", hours=int(seconds // _HOUR_S))
    if seconds >= _MINUTE_S and seconds % _MINUTE_S == 0:
        return Sentence("time-minutes", "{minutes} min", minutes=int(seconds // _MINUTE_S))
    return Sentence("time-seconds", "{seconds} s", seconds=_short(seconds))


def _short(number: float) -> float:
    """20 instead of 20.0."""
    return int(number) if number == int(number) else number


def _days(days: int) -> Sentence:
    return Sentence("time-days", "{days} d", days=days)
