"""The table of what is known of the machine's clock."""

from sqlalchemy import Integer
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, TimeNs


class ClockNote(Base):
    """What is known of the machine's clock; one row. `believed_at_ns`: what a clock that is believed read when this was
    written. `unconfirmed_ns`: how long the gateway has run while the machine's clock was far from that; None: it is
    near.
    """

    __tablename__ = "clock_notes"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    believed_at_ns: Mapped[TimeNs]
    unconfirmed_ns: Mapped[TimeNs | None]
