"""The settings that this gateway runs with, for its admins. They are changed where it is started, and nowhere else."""

from fastapi import APIRouter
from pydantic import BaseModel

from sieve.web.access import Admin
from sieve.web.services import Given
from sieve.web.settings.table import rows

router = APIRouter(tags=["gateway"])


class SettingShown(BaseModel):
    """One setting. `value` is for people, of a secret only whether it is set; `note` names the variable to set.

    `warning`: what is not safe about the value.
    """

    name: str
    value: str
    note: str
    warning: str | None


@router.get("/settings")
async def settings(admin: Admin, services: Given) -> list[SettingShown]:
    """Every setting and its value; secrets as "set" or "not set"."""
    return [SettingShown(**row._asdict()) for row in rows(services.settings)]
