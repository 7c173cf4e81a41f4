"""Says what is wrong with the name of a field that a table does not have.

Invariant: only known names are repeated in errors, and names that differ from a known one by a slip: others may be
anything, also a keyword.
"""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

_ALIKE: Final = 0.75
"""Twice the letters that two names share in the same order, per letter of both."""


def complaint_about(field: str, table: Collection[str], known: Collection[str], whose: str) -> str:
    """What to say of `field` of a `table` whose fields may only be `known`. `whose`: what has these fields.

    >>> complaint_about("whole_words", ["case", "whole_words"], {"case", "whole_word"}, "a rule")
    'it has an unknown field whole_words; write whole_word'
    """
    written = field.casefold().replace("-", "_").replace(" ", "_")
    if near := get_close_matches(written, sorted(known), n=1, cutoff=_ALIKE):
        named = field if field.isprintable() else "with an invisible character"
        return f"it has an unknown field {named}; write {near[0]}"
    number = [*table].index(field) + 1
    return f"it has an unknown field, number {number}; {whose} has only {', '.join(sorted(known))}"
