"""The label set of this gateway: a shipped one, by its name, or a TOML file."""

from pathlib import Path
from typing import Final

from sieve import marking
from sieve.gateway.errors import StartError
from sieve.marking.errors import LabelError
from sieve.marking.labels import LabelSet, parse

SHIPPED: Final = Path(marking.__path__[0]) / "label_sets"


def load(chosen: str | None) -> LabelSet | None:
    """The label set; None if the admin chose none.

    Raises:
        StartError: there is no such set or file, or it cannot be used.
    """
    if chosen is None:
        return None
    shipped = {path.stem: path for path in SHIPPED.glob("*.toml")}
    path = shipped.get(chosen, Path(chosen))
    try:
        return parse(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        names = ", ".join(sorted(shipped))
        raise StartError(f"SIEVE_LABELS: cannot read {chosen}: {why}; name one of {names}, or a TOML file") from error
    except LabelError as error:
        raise StartError(f"SIEVE_LABELS: {chosen}: {error}") from error
