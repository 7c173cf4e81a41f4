"""Alembic's entry: runs the steps on the connection that `sieve.store.migrate` is in a transaction with."""

from alembic import context

from sieve.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    # SQLite changes a table by making it again.
    render_as_batch=True,
    # All steps or none: SQLite can undo DDL, if one begins the transaction oneself, which we do.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
