"""An upgrade keeps the histograms of timings, and computes the roll-ups again."""

import sqlite3
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from databases import url
from sieve.store.database_from_url import database_from_url
from sieve.store.migrate import FOLDER

COUNTS = bytes.fromhex("010002000000")


async def test_histograms_move_into_the_rows_of_their_sums(tmp_path: Path) -> None:
    path = tmp_path / "sieve.db"
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "0025")
        columns = [each["name"] for each in sa.inspect(connection).get_columns("timing_rollups")]
        connection.execute(
            sa.text(
                "INSERT INTO timing_groups "
                "VALUES (1, 'base', 'sent', 'delivered', '', 'sieve', '*', -1, -1, '*', '*', -1)"
            )
        )
        rollups = sa.table("timing_rollups", *map(sa.column, columns))
        for start_s in (0, 60):
            key = {"width_s": 60, "grain": "base", "start_s": start_s}
            connection.execute(rollups.insert().values(dict.fromkeys(columns, 1) | key))
        connection.execute(
            sa.text("INSERT INTO timing_histograms VALUES ('waiting', 60, 'base', 60, 1, :counts)"), {"counts": COUNTS}
        )
        connection.execute(sa.text("UPDATE timing_state SET rolled_up_id = 1"))
    engine.dispose()
    database = database_from_url(url(path))
    await database.migrate()
    await database.dispose()
    with sqlite3.connect(path) as found:
        rows = found.execute("SELECT start_s, count, response_counts, waiting_counts FROM timing_rollups").fetchall()
        assert rows == [(0, 1, b"", b""), (60, 1, b"", COUNTS)]
        assert found.execute("SELECT rebuild_from_s FROM timing_state").fetchall() == [(0,)]
    found.close()
