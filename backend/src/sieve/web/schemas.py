"""Base classes of the API's schemas."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from sieve.core.sentence import Sentence
from sieve.store.models import Document
from sieve.web.times import shown_if


class RequestBody(BaseModel):
    """What a request contains. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class SaidShown(BaseModel):
    """An English sentence, its code, and what it names: numbers, names and other sentences. The web interface says it
    in other languages.
    """

    text: str
    code: str
    parameters: "dict[str, int | float | str | SaidShown]"


def shown_said(text: str | None) -> SaidShown | None:
    """The sentence with its code; None if it has none."""
    return SaidShown(**text.to_json()) if isinstance(text, Sentence) else None


class Shown(BaseModel):
    """What the API shows of an object."""

    @classmethod
    def from_attributes(cls, source: object, **computed: Any) -> Self:
        """Takes each field that `computed` does not name from the attribute of the same name, and each time, such as
        `created_at`, from the attribute with its nanoseconds, such as `created_at_ns`.
        """
        for name in cls.model_fields.keys() - computed.keys():
            is_time = name.endswith("_at")
            computed[name] = shown_if(getattr(source, f"{name}_ns")) if is_time else getattr(source, name)
        return cls(**computed)


def sizes(row: Document) -> dict[str, int]:
    """The sizes of a document, as its author and admins see them."""
    return {
        "document_bytes": row.size,
        "classified_bytes": row.classified_size,
        "plain_bytes": row.size - row.classified_size,
    }
