"""What a step of the schema may do if it says that it is an expansion: the version before must be able to go on."""

import importlib.util
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.operations.base import AbstractOperations
from alembic.operations.ops import AddColumnOp, BulkInsertOp, CreateIndexOp, CreateTableOp, MigrateOperation

_CONSTANT: Final = re.compile(r"-?\d+|'[^']*'|true|false", re.IGNORECASE)


def faults(step: Path) -> list[str]:
    """What of a step would break the version before; it runs, without a database."""
    done = _operations(step)
    new = {each.table_name for each in done if isinstance(each, CreateTableOp)}
    return [said for each in done for said in _faults_of(each, new)]


def _operations(step: Path) -> list[MigrateOperation]:
    found = importlib.util.spec_from_file_location("a_step", step)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    done: list[MigrateOperation] = []
    invoke = AbstractOperations.invoke

    def recorded(self: AbstractOperations, operation: MigrateOperation) -> Any:
        done.append(operation)
        return invoke(self, operation)

    context = MigrationContext.configure(
        dialect_name="postgresql", opts={"as_sql": True, "output_buffer": io.StringIO()}
    )
    with patch.object(AbstractOperations, "invoke", recorded), Operations.context(context):
        found.loader.exec_module(module)
        module.upgrade()
    return done


def _faults_of(operation: MigrateOperation, new: set[str]) -> list[str]:
    match operation:
        case CreateTableOp():
            keys = [key for each in operation.columns for key in _keys(each)]
            return _faults_of_keys(operation.table_name, keys, new)
        case AddColumnOp() if operation.table_name not in new:
            return _faults_of_column(operation.table_name, operation.column, new)
        case AddColumnOp():
            return _faults_of_keys(operation.table_name, operation.column.foreign_keys, new)
        case CreateIndexOp() if operation.unique and operation.table_name not in new:
            return [f"a unique index on {operation.table_name}: the version before may write the same value twice"]
        case CreateIndexOp():
            return []
        case BulkInsertOp() if operation.table.name in new:
            return []
        case _:
            return [f"{type(operation).__name__} is no expansion"]


def _faults_of_column(table: str, column: "sa.Column[Any]", new: set[str]) -> list[str]:
    found = _faults_of_keys(table, column.foreign_keys, new)
    if not column.nullable and column.server_default is None:
        found.append(f"{table}.{column.name} needs a value that the version before does not write")
    if column.server_default is not None and not _is_constant(column.server_default):
        # PostgreSQL then writes the table again, and a reader with an older snapshot finds it empty.
        found.append(f"{table}.{column.name} has a default that is no constant")
    if column.unique or column.primary_key or any(not isinstance(each, sa.ForeignKey) for each in column.constraints):
        found.append(f"{table}.{column.name} has a constraint")
    return found


def _is_constant(default: object) -> bool:
    if not isinstance(default, sa.DefaultClause):
        return False
    value = default.arg
    return not isinstance(value, sa.ClauseElement) or _CONSTANT.fullmatch(str(value)) is not None


def _keys(of: object) -> "Iterable[sa.ForeignKey]":
    """Of a column or a constraint."""
    if isinstance(of, sa.ForeignKeyConstraint):
        return of.elements
    return of.foreign_keys if isinstance(of, sa.Column) else ()


def _faults_of_keys(table: str, keys: "Iterable[sa.ForeignKey]", new: set[str]) -> list[str]:
    return [
        f"a row of {table} keeps the version before from deleting a row of {each.target_fullname}"
        for each in keys
        if each.target_fullname.partition(".")[0] not in new and not _lets_delete(each)
    ]


def _lets_delete(key: sa.ForeignKey) -> bool:
    match (key.ondelete or "").upper():
        case "CASCADE":
            return True
        case "SET NULL":
            return bool(key.parent.nullable)
        case _:
            return False
