"""The names of a table's columns.

Invariant: every column has a unique name, which depends only on the keys up to it and on no row of data.
"""

from collections.abc import Container, Sequence


class Heading:
    """The columns of rows with the same keys, as the file has them."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self.names = unique_names(keys)
        self._indexes = {name: index for index, name in enumerate(self.names)}
        self.surplus = 0
        """How many columns at the end have no key in the file."""

    def __len__(self) -> int:
        return len(self.names)

    def has_keys(self, keys: Sequence[str]) -> bool:
        """Whether it was made from these keys."""
        return self._keys == tuple(keys)

    def widened(self, size: int) -> "Heading":
        """With unnamed columns added up to `size`. The other columns keep their names."""
        surplus = size - len(self._keys)
        wide = Heading((*self._keys, *[""] * surplus))
        wide.surplus = surplus
        return wide

    def index(self, name: str) -> int | None:
        """The index of the column with exactly that name."""
        return self._indexes.get(name)

    def columns(self, wanted: Container[str], found: set[str]) -> list[int]:
        """The columns with a wanted key or name, in order; adds the wanted ones that exist to `found`."""
        indexes: list[int] = []
        for index, (key, name) in enumerate(zip(self._keys, self.names, strict=True)):
            there = {text for text in (key, name) if text and text in wanted}
            if there:
                indexes.append(index)
                found |= there
        return indexes


def unique_names(keys: Sequence[str]) -> list[str]:
    """A name for each key: the key itself, or a name made from it if it is empty or a duplicate.

    >>> unique_names(["name", "", "name", "name (2)"])
    ['name', 'column 2', 'name (3)', 'name (2)']
    """
    taken = {key for key in keys if key}
    seen: set[str] = set()
    counts: dict[str, int] = {}
    names: list[str] = []
    for number, key in enumerate(keys, 1):
        if key and key not in seen:
            seen.add(key)
            names.append(key)
            continue
        base = name = key or f"column {number}"
        while name in taken:
            counts[base] = counts.get(base, 1) + 1
            name = f"{base} ({counts[base]})"
        taken.add(name)
        names.append(name)
    return names
