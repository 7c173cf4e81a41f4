"""The table of which versions can work with the tables."""

from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base


class SchemaNote(Base):
    """At most one row. `oldest`: the last step of the oldest version that can work with these tables. Without a row,
    only the version can whose last step they have.
    """

    __tablename__ = "schema_notes"

    id: Mapped[int] = mapped_column(primary_key=True)
    oldest: Mapped[str]
