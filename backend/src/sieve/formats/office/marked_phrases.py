"""The marked texts of an office document, as they are searched for in what travels plain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sieve.formats.office import xml_source
from sieve.formats.phrases import Phrases, bare, derived_names

_PLACES_AND_LENGTHS: Final = frozenset({"r", "w", "h", "x", "y", "cx", "cy"})
"""Attributes in which even a long number belongs to the markup: row 12345, a page 12240 wide."""
_DIGITS_OF_A_LONG_NUMBER: Final = 5


@dataclass(slots=True, repr=False)
class MarkedPhrases:
    """The marked texts as search phrases: `all` for places where people write; `wordy` (with a letter) and `numbers`
    (five digits or more) for places where only programs write; `names`, which programs derive from them, for style ids.
    """

    all: Phrases
    wordy: Phrases
    numbers: Phrases
    names: Phrases

    @classmethod
    def of(cls, texts: set[str]) -> "MarkedPhrases":
        """Phrases that find any of `texts`."""
        long = (text for text in texts if sum(map(str.isdigit, text)) >= _DIGITS_OF_A_LONG_NUMBER)
        return cls(Phrases(texts), Phrases(texts, wordy=True), Phrases(long), Phrases(derived_names(texts), wordy=True))

    def in_source(self, data: bytes, named_texts: Callable[[str], Iterator[str]]) -> bool:
        """Whether well-formed XML contains one of them, in any spelling. `named_texts`: as of a reading.

        Short numbers are not searched for in the measures and switches of the markup, where any of them may occur.
        """
        if not self.all:
            return False
        source = xml_source.text_of(data)
        values = xml_source.attribute_data(source)
        return (
            self.wordy.in_text(values)
            or self.names.in_text(bare(values))
            or (self.numbers.in_text(values) and self._numbers_in_attributes(source))
            or self.all.in_text(xml_source.character_data(source))
            or self.all.in_text(xml_source.spaced_data(source))
            or any(self.all.in_text(named) for named in named_texts(source))
        )

    def _numbers_in_attributes(self, source: str) -> bool:
        return any(
            name not in _PLACES_AND_LENGTHS and self.numbers.in_text(value)
            for name, value in xml_source.attribute_values(source)
        )
