"""Settings as people read them. A secret's value never gets in here: only whether there is one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import SecretStr

from sieve.config import PREFIX, Settings

NOT_SET: Final = "not set"


class Row(NamedTuple):
    """One setting."""

    name: str
    value: str
    note: str
    warning: str | None


def rows(settings: Settings) -> Sequence[Row]:
    """Every setting in the order of `Settings`, each with the value that counts."""
    found, warnings = [], settings.warnings
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if _is_secret(field.annotation):
            text = NOT_SET if value is None else "set"
        else:
            effective = _EFFECTIVE.get(name)
            text = _text(name, value if effective is None else effective(settings))
        found.append(Row(name, text, f"{field.description} Set by {PREFIX}{name.upper()}.", warnings.get(name)))
    return found


_EFFECTIVE: Final[Mapping[str, Callable[[Settings], Path | None]]] = {
    "blobs": lambda settings: settings.blobs_path,
    "identity_dir": lambda settings: settings.identity_path,
    "master_key_file": lambda settings: None if settings.master_key_command else settings.master_key_path,
    "ui_dir": lambda settings: settings.ui_path,
}
"""What counts where nothing was set."""

_SIZES: Final = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))
_TIMES: Final = ((24 * 3600, "d"), (3600, "h"), (60, "min"))


def _is_secret(annotation: Any) -> bool:
    return SecretStr in getattr(annotation, "__args__", (annotation,))


def _text(name: str, value: object) -> str:
    if value is None:
        return NOT_SET
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if name.endswith("_bytes_per_s"):
        return f"{_in_units(value, _SIZES, 'bytes')}/s"
    if "_bytes" in name:
        return _in_units(value, _SIZES, "bytes")
    if name.endswith("_days"):
        return f"{value} d"
    if name.endswith("_ms"):
        return f"{value:.15g} ms"
    return _in_units(value, _TIMES, "s") if name.endswith("_s") else str(value)


def _in_units(value: float, units: Sequence[tuple[int, str]], smallest: str) -> str:
    """The value in the largest unit of which it is a whole number."""
    for factor, unit in units:
        if value >= factor and value % factor == 0:
            return f"{value / factor:g} {unit}"
    return f"{value:.15g} {smallest}"
