"""Sends documents past the leak check: prints its findings, and sends in spite of them only with a reason.

Findings quote classified text: they go to this terminal, and to no log.
"""

import sys
from collections.abc import Mapping
from typing import Any, Final

from sieve.cli.api import Api, Refused
from sieve.cli.errors import Failed
from sieve.cli.reasons import asked_reason
from sieve.cli.table import visible

_MOST: Final = 50


def queue(api: Api, names: Mapping[str, str], asked: dict[str, Any], reason: str | None) -> list[dict[str, Any]]:
    """Queues documents, given as names by id, and returns their transfers. `reason`: why open findings do not matter.

    Raises:
        Failed: there are findings, and no reason, also not from the person at the terminal.
        Refused: there are findings, and no reason is allowed.
    """
    try:
        return _post(api, list(names), asked)
    except Refused as error:
        if error.problem.get("kind") != "open-findings":
            raise
        refused = error
    for document_id in refused.problem.get("documents", names):
        _print_findings(
            api.call("POST", f"/documents/{document_id}/check"), names[document_id] if len(names) > 1 else None
        )
    if not refused.problem["may_confirm"]:
        raise refused
    what = "this document" if len(names) == 1 else "these documents"
    reason = reason or asked_reason(f"to send {what} anyway")
    if reason is None:
        raise Failed(
            f"nothing was sent: the leak check has findings in {what} (see above); mark what must not travel plain, or "
            "send anyway with --reason-file FILE, a file with the reason"
        )
    confirm = {"findings_digest": refused.problem["digest"], "reason": reason}
    return _post(api, list(names), {**asked, "confirm": confirm})


def _post(api: Api, document_ids: list[str], asked: dict[str, Any]) -> list[dict[str, Any]]:
    if "to" in asked:
        return list(api.call("POST", "/sends", json={"document_ids": document_ids, **asked})["transfers"])
    if len(document_ids) == 1:
        return [api.call("POST", "/transfers", json={"document_id": document_ids[0], **asked})]
    answer = api.call("POST", "/batches", json={"document_ids": document_ids, **asked})
    return list(answer["transfers"])


def _print_findings(found: dict[str, Any], name: str | None) -> None:
    """`name`: the document's, if there are several."""
    where = f"{name}: " if name is not None else ""
    for finding in found["findings"][:_MOST]:
        print(visible(f"{where}{finding['kind']}: {finding['says']}"), file=sys.stderr)
    if found["count"] > _MOST:
        print(f"{where}and {found['count'] - _MOST:,} more; `sieve check` lists them all", file=sys.stderr)
