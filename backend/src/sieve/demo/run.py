"""`make run`: alpha and bravo stay up, with people, a pairing and a sample document, until interrupted."""

import json
import time
from pathlib import Path
from typing import Any

from sieve.demo.gateways import AUTHOR, ROOT, DemoError, Running, make_identities, two_gateways
from sieve.demo.people import CAST, Kept, settle
from sieve.demo.ports import Binds

LOOK_S = 0.2
EXAMPLES = ("personal-data", "nato")
"""Of docs/policies, those that alpha begins with."""


def stay(folder: Path, sample: Path, binds: Binds, *, as_json: bool) -> int:
    """Sets up in `folder` what is not there yet, tells how to get in, and waits for an interrupt; the exit status."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    identities = folder / "identities"
    if not identities.exists():
        make_identities(identities)
    kept = Kept.read(folder / "people.json")
    with two_gateways(folder, identities, binds) as gateways:
        alpha, bravo = gateways
        _pair(alpha, bravo)
        for gateway in gateways:
            settle(gateway, kept)
        if not kept.sample:
            _policies(alpha)
            _draft(alpha, kept.access[alpha.name, AUTHOR].token, sample)
            kept.sample = True
            kept.write()
        print(_json(gateways, kept) if as_json else _table(gateways, kept), flush=True)
        try:
            while all(gateway.process.poll() is None for gateway in gateways):
                time.sleep(LOOK_S)
        except KeyboardInterrupt:
            return 0
        raise DemoError("a gateway ended by itself; the lines above say why")


def _pair(alpha: Running, bravo: Running) -> None:
    """Pairs the two as far as they are not, and tells each the other's addresses if those have changed."""
    sides = (alpha, bravo), (bravo, alpha)
    for ours, theirs in sides:
        invitation = {"invitation": theirs.api("GET", "/peers/invitation")["invitation"]}
        known = _peer(ours, theirs)
        if known is None:
            ours.api("POST", "/peers", json=invitation)
        elif (known["secure_url"], known["plain_url"]) != _urls(theirs):
            code = ours.api("POST", f"/peers/{theirs.name}/renewal-code", json=invitation)["code"]
            ours.api("POST", f"/peers/{theirs.name}/renew", json={**invitation, "code": code})
    codes = [ours.api("GET", f"/peers/{theirs.name}/code")["code"] for ours, theirs in sides]
    if codes[0] != codes[1]:
        raise DemoError("the two gateways show different codes")
    for ours, theirs in sides:
        known = _peer(ours, theirs)
        if known is None or known["state"] != "active":
            ours.api("POST", f"/peers/{theirs.name}/confirm", json={"code": codes[0]})


def _peer(ours: Running, theirs: Running) -> dict[str, Any] | None:
    peers: list[dict[str, Any]] = ours.api("GET", "/peers")
    return next((peer for peer in peers if peer["name"] == theirs.name), None)


def _urls(gateway: Running) -> tuple[str, str]:
    return f"https://{gateway.listeners['secure']}", f"http://{gateway.listeners['plain']}"


def _policies(alpha: Running) -> None:
    """Two of the examples, if the gateway has no policy yet."""
    if alpha.api("GET", "/policies"):
        return
    for name in EXAMPLES:
        content = (ROOT / "docs" / "policies" / f"{name}.toml").read_bytes()
        alpha.api("POST", "/policies", content=content, content_type="application/toml")


def _draft(alpha: Running, token: str, sample: Path) -> None:
    alpha.call(
        "POST",
        "/drafts",
        params={"name": sample.name, "media_type": "text/markdown", "form": "marked"},
        content=sample.read_bytes(),
        headers={"Authorization": f"Bearer {token}"},
    )


def _table(gateways: tuple[Running, Running], kept: Kept) -> str:
    has_ui = (ROOT / "frontend" / "dist" / "index.html").is_file()
    lines = [] if has_ui else ["There is no user interface yet; build it with: make ui"]
    for gateway in gateways:
        lines += ["", f"{gateway.name}   {gateway.url}{'/' if has_ui else '/api/docs'}"]
        for role in CAST:
            if role.gateway == gateway.name:
                lines.append(f"  {role.name:<7} {kept.of(role).password:<20} {role.does}")
    lines += ["", f"Sign in with name and password. API tokens are in {kept.path}.", "Stop with Ctrl-C."]
    return "\n".join(lines)


def _json(gateways: tuple[Running, Running], kept: Kept) -> str:
    told: dict[str, Any] = {}
    for gateway in gateways:
        people = {
            role.name: {"password": kept.of(role).password, "token": kept.of(role).token}
            for role in CAST
            if role.gateway == gateway.name
        }
        told[gateway.name] = {"url": gateway.url, "listeners": gateway.listeners, "people": people}
    return json.dumps(told)
