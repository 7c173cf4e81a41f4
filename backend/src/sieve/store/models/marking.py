"""The tables of what is about marking: policies, what was decided, the labels of drafts. As `models` has it: a row says
who, what and when; what a policy looks for, why somebody decided, and what a span is worth is sealed.
"""

from typing import Literal, TypeAlias

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, Id, TimeNs

PolicyLanguage: TypeAlias = Literal["toml", "json"]


class Policy(Base):
    """A policy's name for good: one that is deleted keeps its versions, for marks name them."""

    __tablename__ = "policies"

    name: Mapped[Id]
    version: Mapped[int]
    deleted_at_ns: Mapped[TimeNs | None]


class PolicyVersion(Base):
    """One version of a policy, never changed. `source`: sealed, because a policy may itself contain secrets; it is
    written as `written_in`. `changed_by`: a login. `whole_words`: a regex rule that does not set it asks for whole
    words; empty in versions from before this became the default."""

    __tablename__ = "policy_versions"
    __table_args__ = (CheckConstraint("written_in IN ('toml', 'json')", name="written_in"),)

    name: Mapped[str] = mapped_column(ForeignKey("policies.name"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    rules: Mapped[int]
    guard: Mapped[bool]
    written_in: Mapped[str]
    source: Mapped[bytes]
    changed_at_ns: Mapped[TimeNs]
    changed_by: Mapped[str]
    whole_words: Mapped[bool | None]


class AuditEntry(Base):
    """What somebody did, written in the transaction that did it. `details`: JSON, counts and ids; `reason` and
    `sealed_details`, more of the same JSON: sealed. `number`: from 1, without a gap; `link`: its link in the chain.
    `linked_sealed_details` and `linked_reason`: BLAKE3, hexadecimal, of the sealed values that the link was made of,
    once another master key has wrapped them."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        # Include the columns that the list filters by, so that the database skips other rows.
        Index("ix_audit_entries_list", "at_ns", "id", "actor", "action"),
        Index("ix_audit_entries_actor_list", "actor", "at_ns", "id", "action"),
        Index("ix_audit_entries_number", "number", unique=True),
    )

    id: Mapped[Id]
    number: Mapped[int]
    at_ns: Mapped[TimeNs]
    actor: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str]
    details: Mapped[str]
    sealed_details: Mapped[bytes | None]
    reason: Mapped[bytes | None]
    link: Mapped[bytes]
    linked_sealed_details: Mapped[str | None]
    linked_reason: Mapped[str | None]


class AuditHead(Base):
    """The head of the chain as it was signed at some time, by the receipt key: see `gateway.auditing.chain_heads`."""

    __tablename__ = "audit_heads"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    link: Mapped[bytes]
    at_ns: Mapped[TimeNs]
    signature: Mapped[bytes]


class AuditPosition(Base):
    """How far the audit log was forwarded to a receiver. `receiver`: its address, or the path of a file."""

    __tablename__ = "audit_positions"

    receiver: Mapped[Id]
    number: Mapped[int] = mapped_column(BigInteger)
    at_ns: Mapped[TimeNs]


class DraftLabels(Base):
    """The labels of a draft's spans and its banner, sealed."""

    __tablename__ = "draft_labels"

    draft_id: Mapped[str] = mapped_column(ForeignKey("drafts.id"), primary_key=True)
    sealed: Mapped[bytes]
