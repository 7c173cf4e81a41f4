"""`sieve audit`: exports the audit log, checks that it is unchanged, and continues a damaged one. For admins."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal

import typer

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.errors import BadInput, Failed
from sieve.cli.files import read_source, write_target
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url, examples, group
from sieve.cli.reasons import OldReason, ReasonFile, asked_reason, read_reason
from sieve.cli.written_file import check_target, show_written
from sieve.core import hash_chain

_MEMBERS: Final = {"known": "known", "problem": "problems"}
_KINDS: Final = ("sign-ins", "reads", "sending", "marking", "people", "peers", "log")
_SHOWN: Final = ("number", "id", "actor", "action", "subject", "link", "at", "details")
_HEADS_AT_ONCE: Final = 100
"""As many as one request may name."""

audit = group("The audit log, for admins.")


@audit.command(epilog=examples("sieve audit verify", "sieve audit verify --export audit.jsonl"))
def verify(
    head: Annotated[
        list[str] | None,
        typer.Option(
            "--head", metavar="HEAD", help="A head from a receipt or log that the chain must contain; may be repeated."
        ),
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            "--export", metavar="FILE", help="Also check the lines of this export: a JSON Lines file, or - for stdin."
        ),
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Check that no entry was changed or removed. The exit status is 1 if one was."""
    heads = [*(head or []), *([] if export is None else heads_of_export(read_source(export)))]
    with Api(url, token_file) as api:
        for first in range(0, max(len(heads), 1), _HEADS_AT_ONCE):
            chain = api.call("GET", "/audit/chain", params={"head": heads[first : first + _HEADS_AT_ONCE]})
            if chain["problems"]:
                break
    _show(chain, as_json)


@audit.command(
    "export",
    epilog=examples(
        "sieve audit export --out audit.jsonl",
        "sieve audit export --format csv --actor ada --since 2026-11-01 --out ada.csv",
    ),
)
def export_(
    form: Annotated[
        Literal["jsonl", "csv"],
        typer.Option("--format", help="jsonl can be verified later; csv is for spreadsheets."),
    ] = "jsonl",
    actor: Annotated[str | None, typer.Option("--actor", metavar="LOGIN", help="Only what this person did.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help=f"Only entries about one of: {', '.join(_KINDS)}.")] = None,
    search: Annotated[
        str | None, typer.Option("--search", metavar="TEXT", help="Only entries with this login, name, address or id.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="From this time on, in ISO 8601.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Before this time.")] = None,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The file to write; - is standard output.")] = "-",
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Write the audit log to a file, oldest entry first."""
    check_target(out, as_json=as_json)
    asked = {"format": form, "actor": actor, "kind": kind, "search": search, "since": since, "until": until}
    wanted = {name: value for name, value in asked.items() if value is not None}
    with Api(url, token_file) as api, api.stream("/audit/export", params=wanted) as answer:
        write_target(out, answer.iter_bytes())
    show_written(out, as_json=as_json, format=form)


def heads_of_export(content: bytes) -> list[str]:
    """Checks each line of an export by itself and with the line before it. Returns the heads that the gateway's chain
    must contain for all of them to be in it.

    Raises:
        BadInput: this is not an export.
        Failed: a line was changed, or one between two others was removed or put in.
    """
    heads: list[str] = []
    before: dict[str, Any] | None = None
    for number, entry in enumerate(_entries(content), 1):
        linked = entry["linked"]
        if hash_chain.link(bytes.fromhex(entry["before"]), linked).hex() != entry["link"]:
            raise Failed(f"line {number} of the export was changed")
        if not _shows(entry, linked):
            raise Failed(f"line {number} of the export was changed")
        if before is not None and linked["number"] <= before["number"]:
            raise Failed(f"line {number} of the export is not in order")
        if before is not None and linked["number"] == before["number"] + 1:
            if entry["before"] != before["link"]:
                raise Failed(f"line {number} of the export does not follow the line before it")
            heads.pop()
        elif linked["number"] > 1:
            heads.append(f"{linked['number'] - 1}:{entry['before']}")
        heads.append(f"{linked['number']}:{entry['link']}")
        before = entry
    return heads


def _shows(entry: dict[str, Any], linked: dict[str, Any]) -> bool:
    """Whether the readable members are those that the link is made of. Reasons and sealed details are not: the link
    covers them only as they are sealed.
    """
    at = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=linked["at_ns"] // 1000)
    details = json.loads(linked["details"])
    return (
        all(entry[name] == linked[name] for name in ("number", "id", "actor", "action", "subject"))
        and datetime.fromisoformat(entry["at"]) == at
        and all(entry["details"].get(name) == value for name, value in details.items())
    )


def _entries(content: bytes) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            entry = json.loads(line)
            linked = entry["linked"]
            if not (isinstance(linked["number"], int) and {*_SHOWN} <= {*entry}):
                raise TypeError
            bytes.fromhex(entry["before"])
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput(f"line {number} is not of an export with --format jsonl") from error
        yield entry


@audit.command("continue", epilog=examples("sieve audit continue --head HEAD --reason-file reason.txt"))
def continue_(
    head: Annotated[str, typer.Option("--head", metavar="HEAD", help="The head that `sieve audit verify` prints.")],
    reason_file: ReasonFile = None,
    _reason: OldReason = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """Continue a damaged log that no backup can repair. Nothing is removed: `verify` lists the damage as known, and
    heads are signed again from here on.
    """
    reason = read_reason(reason_file) or asked_reason("to continue the log")
    if reason is None:
        raise BadInput("a reason is missing; write it into a file and name that with --reason-file")
    with Api(url, token_file) as api:
        chain = api.call("POST", "/audit/chain", json={"head": head, "reason": reason})
    _show(chain, as_json)


def _show(chain: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(chain)
    else:
        rows = [["entries", f"{chain['entries']:,}"], ["head", chain["head"]]]
        table.show(["", ""], rows + [[kind, one] for kind in ("known", "problem") for one in chain[_MEMBERS[kind]]])
    if chain["problems"]:
        raise Failed("the audit log was changed")
