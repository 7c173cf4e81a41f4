"""Tags in requests and responses."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, Field

from sieve.channel.safe_names import clean_line
from sieve.store.queries.tags import TagUsed

MAX_TAG: Final = 40


def _cleaned(text: str) -> str:
    name = " ".join(clean_line(text).split())
    if not 1 <= len(name) <= MAX_TAG:
        raise ValueError(f"a tag has 1 to {MAX_TAG} characters")
    return name


TagName = Annotated[str, Field(max_length=200), AfterValidator(_cleaned)]
"""A tag that somebody wrote, without what cannot be seen."""


class TagShown(BaseModel):
    """A tag, and how many rows have it."""

    name: str
    items: int


class TagsShown(BaseModel):
    """A person's tags, in order of their names."""

    tags: list[TagShown]

    @classmethod
    def of(cls, used: Sequence[TagUsed]) -> "TagsShown":
        by_name = sorted(used, key=lambda tag: tag.name.casefold())
        return cls(tags=[TagShown(name=tag.name, items=tag.items) for tag in by_name])
