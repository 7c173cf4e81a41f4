"""The people of `make run`, and the file with their passwords and tokens (mode 0600)."""

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from sieve.demo.gateways import AUTHOR, NO_TLS, READER, RECIPIENT, DemoError, Running, sieve_command

ADMIN: Final = "admin"
CLERK: Final = "clara"
"""Receives, and writes, too."""
_OUR_PAGE: Final = {"Sec-Fetch-Site": "same-origin"}


@dataclass(frozen=True, slots=True)
class Role:
    """A person at a gateway. `does`: what they do, for the table."""

    gateway: str
    name: str
    does: str
    display_name: str = ""
    rights: Mapping[str, bool] = field(default_factory=dict)


CAST: Final = (
    Role("alpha", ADMIN, "manages people, peers and settings"),
    Role(
        "alpha",
        AUTHOR,
        "writes documents and sends them to bravo; receives replies",
        "Anna",
        {"is_author": True, "is_recipient": True, "cleared": True},
    ),
    Role("bravo", ADMIN, "manages people, peers and settings"),
    Role(
        "bravo", RECIPIENT, "receives, and reads everything: cleared", "Bruno", {"is_recipient": True, "cleared": True}
    ),
    Role("bravo", READER, "receives, and reads the redacted edition", "Rosa", {"is_recipient": True}),
    Role(
        "bravo",
        CLERK,
        "receives, replies and forwards: an author, cleared",
        "Clara",
        {"is_author": True, "is_recipient": True, "cleared": True},
    ),
)


@dataclass(slots=True)
class Access:
    """A person's password and token."""

    password: str = ""
    token: str = ""


@dataclass(slots=True)
class SavedAccess:
    """The file's content. `sample`: whether the sample document was created."""

    path: Path
    access: dict[tuple[str, str], Access] = field(default_factory=dict)
    sample: bool = False

    @classmethod
    def read(cls, path: Path) -> "SavedAccess":
        """Reads `path`, also as earlier versions wrote it with tokens only; empty if there is no file.

        Raises:
            DemoError: the file has another form.
        """
        try:
            values = json.loads(path.read_text("utf-8"))
            if "people" not in values:
                return cls(path, dict(_tokens_of_old(values)))
            access = {(one["gateway"], one["name"]): Access(one["password"], one["token"]) for one in values["people"]}
            return cls(path, access, bool(values["sample"]))
        except FileNotFoundError:
            return cls(path)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DemoError(
                f"{path} was not written by an earlier run; move {path.parent} away and start again"
            ) from error

    def of(self, role: Role) -> Access:
        """The person's access; empty if they are new."""
        return self.access.setdefault((role.gateway, role.name), Access())

    def write(self) -> None:
        """Writes the file, whole or not at all."""
        people = [
            {"gateway": gateway, "name": name, "password": access.password, "token": access.token}
            for (gateway, name), access in self.access.items()
        ]
        new = self.path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump({"people": people, "sample": self.sample}, out, indent=1)
        new.replace(self.path)


def _tokens_of_old(values: dict[str, str]) -> Iterator[tuple[tuple[str, str], Access]]:
    """From {"anna (author at alpha)": "sieve_..."}."""
    for who, token in values.items():
        yield ("alpha" if "at alpha" in who else "bravo", who.split()[0]), Access(token=token)


def ensure_people(gateway: Running, saved: SavedAccess) -> None:
    """Ensures that the people of the gateway exist, with a token and a password that are saved."""
    existing = {person["name"]: person for person in gateway.api("GET", "/people")}
    for role in CAST:
        if role.gateway != gateway.name:
            continue
        access = saved.of(role)
        person = existing.get(role.name)
        if person is None:
            asked = {"name": role.name, "display_name": role.display_name, **role.rights}
            person = gateway.api("POST", "/people", json=asked)
        if role.name == ADMIN:
            access.token = gateway.admin_token
        if person["disabled_at"] is None:
            if not (access.password and person["has_password"]):
                access.password = _new_password(gateway, person)
                saved.write()
            if not _is_valid(gateway, access.token):
                access.token = _new_token(gateway, role.name, access.password)
                if role.name == ADMIN:
                    gateway.admin_token = access.token
                    (gateway.folder / "admin.token").write_text(f"{access.token}\n")
        # At once, because a password that is not saved is lost.
        saved.write()


def _new_password(gateway: Running, person: Mapping[str, Any]) -> str:
    """Sets a password with a link, as the person would: from the admin, and for the admin from the gateway's host. If
    there was one that is lost, the operator of the host confirms the new one.
    """
    password, name = readable_password(), person["name"]
    if name == ADMIN:
        made = sieve_command("admin", "link", name, env=gateway.settings)
        url = made.stdout.decode().strip()
    else:
        url = gateway.api("POST", f"/people/{person['id']}/link")["url"]
    answer = {"code": url.partition("#")[2], "password": password}
    gateway.call("POST", "/welcome", json=answer, headers=_OUR_PAGE)
    if person["has_password"]:
        sieve_command("admin", "confirm", name, env=gateway.settings)
    return password


def _is_valid(gateway: Running, token: str) -> bool:
    try:
        gateway.call("GET", "/me", headers={"Authorization": f"Bearer {token}"})
    except DemoError:
        return False
    return True


def _new_token(gateway: Running, name: str, password: str) -> str:
    """A token for a year, made as the person would."""
    with httpx.Client(base_url=f"{gateway.url}/api/v1", headers=_OUR_PAGE, trust_env=False, verify=NO_TLS) as browser:
        browser.post("/session", json={"name": name, "password": password})
        made = browser.post("/tokens", json={"label": "demo", "expires_in_days": 365})
        browser.delete("/session")
    if made.is_error:
        raise DemoError(f"{gateway.name}: {name} could not make a token: {made.text}")
    return str(made.json()["token"])


def readable_password() -> str:
    """A random password that is easy to type: four groups of two syllables, 50 bits."""
    return "-".join(
        "".join(secrets.choice("bdfghjklmnprstvz") + secrets.choice("aeiou") for _ in range(2)) for _ in range(4)
    )
