"""The table of tags."""

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base


class Tag(Base):
    """A word that a person gave one of their drafts or inbox entries, whose id is `item_id`."""

    __tablename__ = "tags"
    __table_args__ = (Index("ix_tags_owner_id_name", "owner_id", "name", "item_id"),)

    item_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
