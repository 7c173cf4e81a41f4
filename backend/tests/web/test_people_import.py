"""People from a CSV file, and all people as one: what is refused and why, and that it is all rows or none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.store.models import User
from sieve.store.queries import audit, people
from sieve.web.csv_cells import cell, text_of
from sieve.web.errors import MalformedRequest
from sieve.web.people import csv_file
from sieve.web.people.import_plan import ImportPlan, plan
from web_world import World


def _person(name: str, **values: object) -> User:
    rights = {"is_author": False, "is_recipient": False, "is_admin": False, "cleared": False}
    return User(id=name, name=name, display_name=name.title(), created_at_ns=0, **rights | values)


ROOT = _person("root", is_admin=True)
ANNA = _person("anna", is_author=True, unit="Harbour", email="anna@example.org")


def _plan(text: str, *people: User) -> ImportPlan:
    return plan(csv_file.read(text.encode()), people or (ROOT, ANNA))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [",", ";"])
def test_columns_in_any_order_case_and_separator(mark: str, separator: str) -> None:
    lines = ["Roles,LOGIN,Name,cleared", "Recipient author,Zoe,Zoë Z,YES", ",,,", '"author",anna,Anna,0']
    new, same = _plan(mark + "\r\n".join(lines).replace(",", separator)).rows
    assert (new.line, new.login, new.outcome) == (2, "zoe", "new")
    assert new.after == {
        **{"login": "zoe", "name": "Zoë Z", "unit": "", "mail": ""},
        **{"roles": "author recipient", "cleared": "yes", "disabled": "no"},
    }
    assert (same.line, same.outcome, same.after) == (4, "unchanged", {})


def test_a_missing_column_changes_nothing_and_an_empty_cell_removes() -> None:
    [row] = _plan("login,mail\nanna,\n").rows
    assert (row.outcome, row.before, row.after) == ("changed", {"mail": "anna@example.org"}, {"mail": ""})


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a b,,author,", "login: write 1 to 63"),
        (",,author,", "login: write 1 to 63"),
        ("zoe,,,", "roles: name at least one"),
        ("zoe,,king,", "roles: “king” is not a role"),
        ("zoe,no address,author,", "mail: not an e-mail address"),
        ("zoe,,author,perhaps", "cleared: write yes or no"),
        ("zoe,,author", "it has 3 cells, but the first row names 4"),
        ("zoe,,author,,x", "it has 5 cells, but the first row names 4"),
        ("root,,author,", "this is the only admin"),
        ("anna,,,", "roles: name at least one"),
    ],
)
def test_a_refused_row_says_line_and_reason(row: str, reason: str) -> None:
    planned = _plan(f"login,mail,roles,cleared\nyan,,author,no\n{row}\n")
    [refused] = planned.refused
    assert refused.line == 3
    assert refused.reason is not None and refused.reason.startswith(reason)


def test_a_login_twice_is_refused_with_the_line_of_the_first() -> None:
    [refused] = _plan("login,roles\nzoe,author\nanna,author\nZOE,admin\n").refused
    assert (refused.line, refused.reason) == (4, "line 2 has this login, too")


def test_an_admin_may_hand_over_in_one_file() -> None:
    assert _plan("login,roles\nroot,author\nanna,admin\n").refused == []
    assert [row.line for row in _plan("login,disabled\nanna,no\nroot,yes\n").refused] == [3]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "no column login"),
        (b"login,roles\n\n , \n", "no people"),
        ("login,name\nzoe,Zoë\n".encode("cp1252"), "not UTF-8"),
        (b"login,Password\nzoe,secret\n", "passwords"),
        (b"login,role\nzoe,author\n", "“role” is not a column"),
        (b"login,LOGIN\nzoe,zoe\n", "the column login is there twice"),
        (b'login,name\nzoe,"Zoe\n', "is not CSV"),
        (b"login\n" + b"zoe\n" * 10_001, "more than 10,000 people"),
    ],
)
def test_a_file_that_cannot_be_used(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedRequest, match=reason):
        csv_file.read(body)


def test_an_export_is_read_again_and_changes_nothing() -> None:
    evil = _person("evil", is_recipient=True, cleared=True, unit='a;b,"c"', disabled_at_ns=1)
    evil.display_name = "=HYPERLINK(1)"
    people = (ROOT, ANNA, evil)
    body = csv_file.written(people)
    assert b",'=HYPERLINK(1)," in body
    assert [row.outcome for row in plan(csv_file.read(body), people).rows] == ["unchanged"] * 3


@settings(max_examples=100)
@given(st.text(alphabet="'=+-@ab\t;\n\" ＝", max_size=8))  # noqa: RUF001: a spreadsheet takes it for =
def test_a_cell_is_never_a_formula_and_is_read_as_it_was(text: str) -> None:
    written = cell(text)
    for separator in ("\0", ";", "\t"):
        for part in written.replace("\n", separator).split(separator):
            assert not part.lstrip(' "').startswith(("=", "+", "-", "@", "＝"))  # noqa: RUF001: as above
    assert text_of(written) == text


FILE = "login,name,roles,cleared,disabled,unit\nzoe,Zoe,recipient,yes,,Harbour\nyan,Yan,author,,yes,\nrosa,Rosa,,,,\n"


async def test_a_preview_shows_what_an_import_then_does(world: World) -> None:
    text = FILE.replace("rosa,Rosa,,,,", "rosa,Rosa,recipient author,yes,no,Archive\nbruno,Bruno,recipient,yes,no,")
    async with world.client("root") as api:
        before = (await api.get("/people")).json()
        shown = (await api.post("/people/import", params={"preview": True}, content=text)).json()
        assert (await api.get("/people")).json() == before
        assert [row["outcome"] for row in shown["rows"]] == ["new", "new", "changed", "unchanged"]
        assert (shown["imported"], shown["links"]) == (False, [])
        other = await api.post("/people/import", params={"expected": "0"}, content=text)
        assert (other.status_code, (await api.get("/people")).json()) == (409, before)
        done = await api.post("/people/import", params={"expected": shown["digest"]}, content=text)
        after = {person["name"]: person for person in (await api.get("/people")).json()}
        exported = await api.get("/people/export")
        again = await api.post("/people/import", params={"preview": True}, content=exported.content)
    assert done.headers["cache-control"] == "no-store"
    assert done.json()["rows"] == shown["rows"]
    [link] = done.json()["links"]  # a disabled person gets none
    assert (link["name"], link["display_name"], link["url"][:9]) == ("zoe", "Zoe", "/welcome#")
    assert (after["zoe"]["unit"], after["zoe"]["cleared"], after["yan"]["disabled_at"] is None) == (
        "Harbour",
        True,
        False,
    )
    assert (after["rosa"]["is_author"], after["rosa"]["is_recipient"], after["rosa"]["cleared"]) == (True, True, True)
    assert {row["outcome"] for row in again.json()["rows"] if row["login"] != "nobody"} == {"unchanged"}
    async with world.database.browse() as session:
        noted = [
            (entry.action, entry.subject)
            for entry in await audit.page(session, audit.AuditFilter(), after=None, limit=10)
        ]
    assert sorted(noted) == [
        *[("link-given", "zoe"), ("person-added", "yan"), ("person-added", "zoe"), ("person-changed", "rosa")],
    ]


async def test_one_refused_row_stops_the_import(world: World) -> None:
    async with world.client("root") as api:
        before = (await api.get("/people")).json()
        refused = await api.post("/people/import", content=FILE)
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith("1 row is refused, and nothing is imported; line 4: roles: name")
        assert (await api.get("/people")).json() == before


async def test_one_import_changes_1000_people_at_most(world: World) -> None:
    text = "login,roles\n" + "".join(f"zoe{number},author\n" for number in range(1001))
    async with world.client("root") as api:
        refused = await api.post("/people/import", params={"preview": True}, content=text)
    assert refused.status_code == 422
    assert "adds or changes 1,001 people" in refused.json()["detail"]


async def test_a_disabled_person_is_signed_out_and_a_removed_address_gets_no_mail(world: World) -> None:
    async with world.database.write() as session:
        await people.change(session, world.people["rosa"].id, email="r@example.org")
    async with world.client("root") as api:
        assert (await api.post("/people/import", content="login,mail,disabled\nrosa,,yes\n")).is_success
        [entry] = (await api.get("/audit?action=person-changed")).json()["items"]
        assert entry["subject"] == "rosa" and entry["details"]["address"] is True
        assert "\r\nrosa,Rosa,,,recipient,no,yes\r\n" in (await api.get("/people/export")).text
    async with world.client("rosa") as api:
        assert (await api.get("/me")).status_code == 401


async def test_everybody_keeps_at_least_one_role(world: World) -> None:
    anna = f"/people/{world.people['anna'].id}"
    async with world.client("root") as api:
        made = await api.post("/people", json={"name": "zoe", "display_name": "Zoe", "cleared": True})
        changed = await api.patch(anna, json={"is_author": False})
        assert (made.status_code, changed.status_code) == (409, 409)
        assert "would have no role" in changed.json()["detail"]
        assert (await api.get(anna)).json()["is_author"]
        # Those without a role from before can still be renamed or disabled.
        assert (await api.patch(f"/people/{world.people['nobody'].id}", json={"disabled": True})).is_success
