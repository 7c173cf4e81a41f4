"""Writes the statements that make a new SQLite database: `python -m sieve.store.write_new_database` (`make schema`)."""

from sqlalchemy import create_engine

from sieve.store.migrate import run_steps
from sieve.store.new_database import END, FILE, statements


def main() -> None:
    """Entry point."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        run_steps(connection)
        written = statements(connection)
    if any(END in statement for statement in written):
        raise AssertionError("a statement contains what separates statements")
    FILE.write_text("".join(statement + END for statement in written))


if __name__ == "__main__":
    main()
