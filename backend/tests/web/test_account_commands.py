"""The `sieve` command for accounts: people, tokens, and what waits for a second admin."""

import json
from pathlib import Path

import pytest
from sqlalchemy import func, select

from browsers import PASSWORD, give_password
from command_world import Served, Sieve
from people_world import add_admin
from sieve.store.models import Session, UnfinishedSignIn
from web.factor_calls import with_app


def test_people_and_tokens(served: Served, sieve: Sieve) -> None:
    assert sieve("people", "add", "Zoe", "--recipient", "--unit", "Archive", "--service", who="root")[0] == 0
    _, token, _ = sieve("people", "token", "zoe", who="root")
    served.world.tokens["zoe"] = token.strip()
    assert sieve("inbox", "--json", who="zoe")[:2] == (0, "[]\n")
    assert (
        sieve(
            "people", "change", "zoe", "--cleared", "--author", "--no-recipient", "--unit", "Harbour office", who="root"
        )[0]
        == 0
    )
    assert "zoe\tZoe\tHarbour office\tservice account, author, cleared\n" in sieve("people", "list", who="root")[1]
    assert sieve("people", "change", "zoe", who="root")[0] == 2
    assert sieve("people", "change", "yan", "--disable", who="root")[0] == 2
    assert sieve("people", "change", "zoe", "--disable", who="root")[0] == 0
    assert sieve("token", "list", who="zoe")[0] == 1


def test_a_token_of_ones_own(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    served.run(give_password(served.world, "anna"))
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    confirmed = ("--password-file", str(tmp_path / "password"))
    status, made, _ = sieve("token", "new", "laptop", "--days", "7", "--scope", "send", *confirmed)
    assert status == 0 and made.startswith("sieve_")
    assert sieve("token", "new", "laptop", "--days", "8", *confirmed)[0] == 2
    assert "--password-file" in sieve("token", "new", "laptop")[2]
    assert "makes their own tokens" in sieve("people", "token", "anna", who="root")[2]
    # Without a token, with login and password; the session ends afterwards.
    served.world.tokens["stranger"] = "none"
    status, made, error = sieve("token", "new", "desktop", "--login", "anna", *confirmed, who="stranger")
    assert (status, error) == (0, "") and made.startswith("sieve_")
    listed = json.loads(sieve("token", "list", "--json")[1])
    assert [(token["label"], token["scopes"]) for token in listed[:2]] == [("desktop", ["send"]), ("laptop", ["send"])]
    assert sieve("token", "revoke", listed[0]["id"])[0] == 0


def test_a_second_admin_agrees_in_the_terminal(served: Served, sieve: Sieve) -> None:
    served.run(add_admin(served.world, "second"))
    served.run(served.world.deliver(b"<$S>secret<$E>"))
    assert sieve("people", "change", "rosa", "--cleared", who="root")[0] == 0
    status, listed, _ = sieve("people", "waiting", who="second")
    assert status == 0 and "rosa\tearlier documents\troot\t" in listed
    approval_id = json.loads(sieve("people", "waiting", "--json", who="second")[1])[0]["id"]
    assert "another admin must agree" in sieve("people", "agree", approval_id, who="root")[2]
    assert sieve("people", "agree", approval_id, who="second")[0] == 0
    assert sieve("people", "refuse", approval_id, who="second")[0] == 1


def test_a_token_needs_the_code_of_who_has_an_app(
    served: Served, sieve: Sieve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, codes = served.run(with_app(served.world))
    (tmp_path / "password").write_text(PASSWORD)
    command = ("token", "new", "laptop", "--password-file", str(tmp_path / "password"))
    monkeypatch.setattr("os.isatty", lambda _: False)
    status, _, error = sieve(*command)
    assert status == 2 and "no terminal to ask for the code" in error
    monkeypatch.setattr("os.isatty", lambda _: True)
    for typed, expected in (("0000-0000-0000-0000", 1), (app.now(), 0), (codes[0], 0)):
        monkeypatch.setattr("typer.prompt", lambda *_, typed=typed, **__: typed)
        assert sieve(*command)[0] == expected

    # Neither a finished nor an unfinished sign-in stays.
    async def open_ones() -> list[int]:
        async with served.world.database.read() as session:
            counts = [select(func.count()).select_from(table) for table in (Session, UnfinishedSignIn)]
            return [int(await session.scalar(count) or 0) for count in counts]

    assert served.run(open_ones()) == [1, 0], "the browser in which the app was added"


def test_people_from_a_file(served: Served, sieve: Sieve, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("login;name;roles\nzoe;Zoe;recipient\nanna;Anna;author recipient\nyan;;king\n")
    status, shown, error = sieve("people", "import", str(file), "--dry-run", who="root")
    assert shown.splitlines()[:2] == ["2\tzoe\tnew\t", "3\tanna\tchanged\troles: author -> author recipient"]
    assert (status, "1 of 3 rows are refused" in error) == (2, True)
    assert sieve("people", "import", str(file), who="root")[0] == 2
    file.write_text(file.read_text().replace("yan;;king\n", ""))
    status, links, said = sieve("people", "import", str(file), who="root")
    assert (status, said) == (0, "1 new, 1 changed, 0 unchanged\n")
    assert links.startswith("zoe\tZoe\thttp://") and "/welcome#" in links
    status, out, _ = sieve("people", "export", "--out", str(file), "--json", who="root")
    assert (status, json.loads(out)) == (0, {"file": str(file), "bytes": len(file.read_bytes())})
    assert "zoe,Zoe,,,recipient,no,no" in file.read_text("utf-8-sig").splitlines()
    again = json.loads(sieve("people", "import", str(file), "--dry-run", "--json", who="root")[1])
    assert {row["outcome"] for row in again["rows"]} == {"unchanged"}
