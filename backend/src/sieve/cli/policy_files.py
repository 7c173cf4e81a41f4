"""Policies that commands use: from files, or from a gateway."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sieve.cli.api import Api, Refused, path_to
from sieve.cli.errors import BadInput
from sieve.cli.files import read_source
from sieve.cli.options import DEFAULT_URL
from sieve.cli.table import visible

if TYPE_CHECKING:
    from sieve.marking.policy import Policy, Rule

_GATEWAY: Final = "gateway:"


def read_rules(policies: list[str] | None) -> "list[Rule]":
    """The rules of several policies, as `read_policy` reads each."""
    return [rule for policy in policies or [] for rule in read_policy(policy).rules]


def read_policy(source: str) -> "Policy":
    """The policy in the file `source`, with keywords files relative to it; for "gateway:NAME", the policy NAME of the
    gateway at SIEVE_URL.

    Raises:
        BadInput: a file cannot be read or used, or the gateway has no such policy.
        Refused, Unreachable: the gateway refuses, or does not answer.
    """
    from sieve.marking.errors import PolicyError
    from sieve.marking.policy import parse

    if source.startswith(_GATEWAY):
        return _gateway_policy(source.removeprefix(_GATEWAY))
    file = Path(source)
    try:
        return parse(read_text(file), keywords_reader(file))
    except PolicyError as error:
        raise BadInput(f"{file}: {error}") from None


def _gateway_policy(name: str) -> "Policy":
    from sieve.marking.policy import understand

    with Api(os.environ.get("SIEVE_URL") or DEFAULT_URL, None) as api:
        stored = fetch_policy(api, name)
    written = {field: stored[field] for field in ("name", "title", "guard", "rules")}
    policy, problems = understand(written, lambda file: "", version=stored["version"])
    if policy is None:
        raise BadInput(f"{name}: this program is older than the gateway and cannot use its policy: {problems[0]}")
    return policy


def fetch_policy(api: Api, name: str, version: int | None = None) -> dict[str, Any]:
    """A policy of the gateway, as its API answers.

    Raises:
        BadInput: the gateway has no policy of that name or version.
    """
    params = {} if version is None else {"version": version}
    try:
        found: dict[str, Any] = api.call("GET", path_to("policies", name), params=params)
    except Refused as error:
        if error.status == 404:
            raise BadInput(f"{name}: {error}") from error
        raise
    return found


def keywords_reader(policy: Path) -> Callable[[str], str]:
    """A function that reads the keywords files that the policy in the file `policy` names."""
    return lambda name: read_text(policy.parent / name)


def read_text(file: Path) -> str:
    """The text of a policy or keywords file.

    Raises:
        BadInput: it cannot be read, or is not UTF-8.
    """
    try:
        return read_source(str(file)).decode()
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not UTF-8; save it as UTF-8") from None
    except ValueError:
        raise BadInput(f"the policy names the keywords file {visible(file.name)!r}, which is not a file name") from None
