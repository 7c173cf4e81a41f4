"""What the columns of a row are called.

The law: every column has a name of its own, which follows from the keys up to it and from no row of data.
"""

from collections.abc import Container, Sequence


class Heading:
    """The columns of rows that have the same ones, from the keys that stand in the file."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self.names = unique_names(keys)
        self._indexes = {name: index for index, name in enumerate(self.names)}
        self.surplus = 0
        """Columns at its end for which the file has no key."""

    def __len__(self) -> int:
        return len(self.names)

    def has_keys(self, keys: Sequence[str]) -> bool:
        """Whether these are the keys that it was made from."""
        return self._keys == tuple(keys)

    def widened(self, size: int) -> "Heading":
        """With columns without a name, so many that it has `size`. The other columns keep their names."""
        surplus = size - len(self._keys)
        wide = Heading((*self._keys, *[""] * surplus))
        wide.surplus = surplus
        return wide

    def index(self, name: str) -> int | None:
        """Where the column of that very name stands."""
        return self._indexes.get(name)

    def columns(self, wanted: Container[str], found: set[str]) -> list[int]:
        """The columns with a wanted key or name, in order; the wanted ones that were there are added to `found`."""
        indexes: list[int] = []
        for index, (key, name) in enumerate(zip(self._keys, self.names, strict=True)):
            there = {text for text in (key, name) if text and text in wanted}
            if there:
                indexes.append(index)
                found |= there
        return indexes


def unique_names(keys: Sequence[str]) -> list[str]:
    """A name for each key: the key itself, or one made from it where it is empty or was there before.

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
