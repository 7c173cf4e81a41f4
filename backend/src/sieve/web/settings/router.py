"""The settings that this gateway runs with, for its admins. They are changed where it is started, and nowhere else."""

from fastapi import APIRouter
from pydantic import BaseModel

from sieve.web.deps import Admin
from sieve.web.services import Given
from sieve.web.settings.table import rows

router = APIRouter(tags=["gateway"])


class SettingShown(BaseModel):
    """One setting. `value` is for people, of a secret only whether it is set; `note` names the variable to set."""

    name: str
    value: str
    note: str


@router.get("/settings")
async def settings(admin: Admin, services: Given) -> list[SettingShown]:
    """Every setting and its value; secrets as "set" or "not set"."""
    return [SettingShown(name=row.name, value=row.value, note=row.note) for row in rows(services.settings)]
