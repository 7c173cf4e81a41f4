"""Steps of the schema that say that the version before can go on do only what it can go on with."""

from pathlib import Path

import pytest

from next_versions import CONTRACTION, EXPANSION, written
from sieve.store import migrate
from store.expansions import faults

STEPS = sorted((migrate.FOLDER / "versions").glob("[0-9]*_*.py"))


def test_every_step_that_says_so_is_an_expansion() -> None:
    """If this fails: docs/CONTRIBUTING.md says what an expansion may do. A step that does more must not say so."""
    declared = [step for step in STEPS if migrate.says_expansion(step.read_text())]
    assert {step.name: found for step in declared if (found := faults(step))} == {}


@pytest.mark.parametrize("value", ["True", "False"])
def test_a_step_says_so_by_the_value_in_the_template(value: str) -> None:
    [line] = [
        line for line in (migrate.FOLDER / "script.py.mako").read_text().splitlines() if line.startswith("is_expansion")
    ]
    assert migrate.says_expansion(f'"""A step."""\n{line.replace("False", value)}\n') == (value == "True")


@pytest.mark.parametrize("name", ["0051_used_once", "0052_clock_notes", "0053_samples_of_timings", "0014_tags"])
def test_steps_that_are_expansions_pass(name: str) -> None:
    [step] = [each for each in STEPS if each.name.startswith(name)]
    assert faults(step) == []


def step_with(folder: Path, *lines: str) -> Path:
    step = folder / "9001_next.py"
    step.write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n\n\ndef upgrade() -> None:\n"
        + "".join(f"    {line}\n" for line in lines)
    )
    return step


def test_the_expansion_of_the_tests_is_one_and_their_contraction_is_none(tmp_path: Path) -> None:
    for change, expands in ((EXPANSION, True), (CONTRACTION, False)):
        step = tmp_path / "9001_next.py"
        step.write_text(written(change, "9001", "0001"))
        assert (faults(step) == []) == expands


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('op.drop_column("users", "name")', "DropColumnOp"),
        ('op.drop_table("tags")', "DropTableOp"),
        ('op.drop_index("ix_inbox_list", "inbox")', "DropIndexOp"),
        ('op.rename_table("tags", "labels")', "RenameTableOp"),
        ('op.alter_column("users", "name", new_column_name="called")', "AlterColumnOp"),
        ('op.alter_column("users", "name", type_=sa.Text())', "AlterColumnOp"),
        ('op.alter_column("users", "name", nullable=False)', "AlterColumnOp"),
        ('op.create_unique_constraint("uq", "users", ["name"])', "CreateUniqueConstraintOp"),
        ('op.create_check_constraint("ck", "users", "name <> \'\'")', "CreateCheckConstraintOp"),
        ('op.create_foreign_key("fk", "tags", "users", ["a"], ["id"])', "CreateForeignKeyOp"),
        ('op.create_index("ix", "users", ["name"], unique=True)', "a unique index on users"),
        ('op.execute("UPDATE users SET name = lower(name)")', "ExecuteSQLOp"),
        ('op.add_column("users", sa.Column("n", sa.Integer(), nullable=False))', "needs a value"),
        ('op.add_column("users", sa.Column("n", sa.DateTime(), server_default=sa.func.now()))', "no constant"),
        ('op.add_column("users", sa.Column("n", sa.Integer(), sa.Computed("id + 1")))', "no constant"),
        ('op.add_column("users", sa.Column("n", sa.Integer(), unique=True))', "has a constraint"),
        ('op.add_column("users", sa.Column("n", sa.Integer(), sa.CheckConstraint("n > id")))', "has a constraint"),
        ('op.add_column("users", sa.Column("n", sa.String(), sa.ForeignKey("tags.id")))', "deleting a row of tags.id"),
        ('op.create_table("n", sa.Column("u", sa.String(), sa.ForeignKey("users.id")))', "deleting a row of users.id"),
        ('op.bulk_insert(sa.table("users", sa.column("id", sa.String())), [{"id": "1"}])', "BulkInsertOp"),
    ],
)
def test_what_would_break_the_version_before_is_found(tmp_path: Path, line: str, said: str) -> None:
    [found] = faults(step_with(tmp_path, line))
    assert said in found


@pytest.mark.parametrize(
    "lines",
    [
        ('op.create_table("n")', 'op.add_column("n", sa.Column("u", sa.String(), sa.ForeignKey("users.id")))'),
        (
            'key = sa.ForeignKey("users.id", ondelete="SET NULL")',
            'op.create_table("n", sa.Column("u", sa.String(), key, nullable=False))',
        ),
    ],
    ids=["added later", "cannot be empty"],
)
def test_a_key_of_a_new_table_that_prevents_a_delete_is_found_too(tmp_path: Path, lines: tuple[str, ...]) -> None:
    [found] = faults(step_with(tmp_path, *lines))
    assert "deleting a row of users.id" in found


def test_it_is_found_in_a_batch_too(tmp_path: Path) -> None:
    lines = ('with op.batch_alter_table("users") as table:', '    table.drop_column("name")')
    assert faults(step_with(tmp_path, *lines)) == ["DropColumnOp is no expansion"]


@pytest.mark.parametrize(
    "lines",
    [
        ('op.add_column("users", sa.Column("n", sa.Boolean(), nullable=False, server_default=sa.false()))',),
        ('op.add_column("users", sa.Column("n", sa.Integer(), nullable=False, server_default=sa.text("0")))',),
        ('op.create_index("ix", "users", [sa.text("lower(name)")])',),
        (
            'made = op.create_table("n", sa.Column("id", sa.Integer(), primary_key=True))',
            'op.create_index("ix", "n", ["id"], unique=True)',
            'op.bulk_insert(made, [{"id": 1}])',
        ),
    ],
)
def test_what_the_version_before_does_not_notice_passes(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert faults(step_with(tmp_path, *lines)) == []
