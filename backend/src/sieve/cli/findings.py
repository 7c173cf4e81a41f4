"""Sending past the leak guard: the findings are told to whoever sends, and go only with a reason.

Findings quote what is classified: they are for this terminal, and no log.
"""

import sys
from typing import Any, Final

from sieve.cli.api import Api, Refused
from sieve.cli.errors import Failed
from sieve.cli.table import visible

_MOST: Final = 50


def queue(api: Api, asked: dict[str, Any], reason: str | None) -> Any:
    """The transfer that `asked` is answered with. `reason`: why open findings do not matter.

    Raises:
        Failed: there are findings, and no reason was given, or none counts.
    """
    try:
        return api.call("POST", "/transfers", json=asked)
    except Refused as error:
        if error.problem.get("kind") != "open-findings":
            raise
        refused = error
    _tell(api.call("POST", f"/documents/{asked['document_id']}/check"))
    if not refused.problem["may_confirm"]:
        raise refused
    if reason is None:
        raise Failed(
            "nothing was sent: the leak guard has findings in this document, which the lines above say; mark what must "
            'not travel plain, or send it all the same with --confirm-findings "the reason"'
        )
    confirm = {"findings_digest": refused.problem["digest"], "reason": reason}
    return api.call("POST", "/transfers", json={**asked, "confirm": confirm})


def _tell(found: dict[str, Any]) -> None:
    for finding in found["findings"][:_MOST]:
        print(visible(f"{finding['kind']}: {finding['says']}"), file=sys.stderr)
    if found["count"] > _MOST:
        print(f"and {found['count'] - _MOST:,} more; `sieve check` lists them all", file=sys.stderr)
