"""Whether a password is easy to guess: a common one, a pattern, or made of names that people connect with its owner.

`zxcvbn` knows common passwords, words and names, and patterns of keys, dates and repetitions. It is imported when it is
first needed, because its lists take 15 MB.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

ENOUGH: Final = 3
"""Of zxcvbn's scores from 0 to 4: 3 means at least 100 million guesses."""
JUDGED: Final = 64
"""Characters that are judged. Longer ones would take long, and are hardly ever easy to guess."""

_SEPARATORS: Final = re.compile(r"[\s._,;:/+@-]+")
_LOOK_ALIKE: Final = str.maketrans("4@3105$7", "aaeiosst")
_SHORTEST_NAME: Final = 3


def is_common(password: str) -> bool:
    """Whether it can be guessed without knowing its owner, also if the separators between its parts are ignored."""
    return _is_weak(password) or _is_weak(_SEPARATORS.sub("", password))


def is_mostly_names(password: str, names: Iterable[str]) -> bool:
    """Whether little is left without these names. `names`: the person's, the gateway's; their parts count, too."""
    folded = _SEPARATORS.sub("", _folded(password))
    rest = _without(folded, {part for name in names for part in _parts(_folded(name))})
    return rest != folded and _is_weak(rest)


def _parts(name: str) -> set[str]:
    words = [word for word in _SEPARATORS.split(name) if word]
    return {part for part in ("".join(words), *words) if len(part) >= _SHORTEST_NAME}


def _without(text: str, names: Iterable[str]) -> str:
    kept = [True] * len(text)
    spelled = text.translate(_LOOK_ALIKE)  # as long as `text`
    for name in names:
        for found in re.finditer(f"(?={re.escape(name.translate(_LOOK_ALIKE))})", spelled):
            kept[found.start() : found.start() + len(name)] = [False] * len(name)
    return "".join(character for character, keep in zip(text, kept, strict=True) if keep)


def _is_weak(text: str) -> bool:
    from zxcvbn import zxcvbn

    return not text or zxcvbn(text[:JUDGED])["score"] < ENOUGH


def _folded(text: str) -> str:
    """Without case and accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
