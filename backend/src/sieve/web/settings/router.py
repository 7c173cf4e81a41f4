"""The settings that this gateway runs with, for its admins. They are changed where it is started, and nowhere else."""

from pydantic import BaseModel

from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.schemas import SaidShown, shown_said
from sieve.web.services import Given
from sieve.web.settings.table import rows

router = api_router(tag="gateway")


class SettingShown(BaseModel):
    """One setting. `value` is for people, of a secret only whether it is set; `note` names the variable to set.

    `warning`: what is not safe about the value. `value_said`, `warning_said`: the same with their codes; null for a
    value that is the same in every language.
    """

    name: str
    value: str
    value_said: SaidShown | None
    note: str
    warning: str | None
    warning_said: SaidShown | None


@router.get("/settings")
async def settings(admin: Admin, services: Given) -> list[SettingShown]:
    """Every setting and its value; secrets as "set" or "not set"."""
    return [
        SettingShown(
            name=row.name,
            value=row.value,
            value_said=shown_said(row.value),
            note=row.note,
            warning=row.warning,
            warning_said=shown_said(row.warning),
        )
        for row in rows(services.settings)
    ]
