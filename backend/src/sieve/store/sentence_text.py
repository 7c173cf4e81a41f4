"""A column for texts that keeps the code and the parameters of a `Sentence`."""

import json

from sqlalchemy import String
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from sieve.core.sentence import Sentence

_MARK = "\u241e"
"""Before the JSON of a sentence. No other text begins with it: those of earlier versions are English."""


class SentenceText(TypeDecorator[str]):
    """A `Sentence` is stored as JSON behind a mark, any other text as it is. Reading gives back what was written."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """What is stored."""
        return _MARK + json.dumps(value.to_json()) if isinstance(value, Sentence) else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """What was written. A text with the mark that is no sentence is returned as it is."""
        if value is None or not value.startswith(_MARK):
            return value
        try:
            return Sentence.from_json(json.loads(value.removeprefix(_MARK)))
        except (ValueError, KeyError, TypeError, AttributeError):
            # A peer's own words may begin with the mark: they are a text, and not damaged.
            return value
