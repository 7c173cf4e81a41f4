"""What a start loads. A module that it does not need costs each start its time, and a parser of files adds risk."""

import json
import subprocess
import sys

PARSERS = {"lxml", "pikepdf", "pypdfium2"}


def _loaded(code: str) -> set[str]:
    """The modules of a new process after `code`."""
    shown = f"import json, sys; {code}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", shown], check=True, capture_output=True)
    return set(json.loads(done.stdout))


def test_a_gateway_loads_no_parser_of_files_no_migrations_and_no_numpy() -> None:
    loaded = _loaded("import sieve.serving")
    needless = {*PARSERS, "alembic", "gmpy2", "joserfc", "numpy", "pygments", "rich", "tlslite"}
    assert loaded & needless == set()
    assert len(loaded) < 1600


def test_a_start_prepares_no_route_of_the_api() -> None:
    """To prepare one takes a millisecond or two, and there are nearly 200."""
    prepared = "{route.path for route in described().routes if 'dependant' in vars(route)}"
    done = subprocess.run(
        [sys.executable, "-c", f"from sieve.web.app import described; print(*{prepared})"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split()
    assert not [path for path in done.stdout.split() if path.startswith("/api/v1")]


def test_the_first_admin_is_made_without_the_web_application() -> None:
    loaded = _loaded(
        "import sieve.web.person, sieve.web.tokens.new_token, sieve.web.welcome.new_link, sieve.load_config"
    )
    assert loaded & {*PARSERS, "alembic", "fastapi", "httpx", "icu4py", "uvicorn"} == set()


def test_the_help_of_the_command_loads_no_library_of_the_gateway() -> None:
    loaded = _loaded("import sieve.cli")
    needless = {
        *PARSERS,
        "fastapi",
        "gmpy2",
        "httpx",
        "icu4py",
        "numpy",
        "phonenumbers",
        "pydantic",
        "re2",
        "rich",
        "sqlalchemy",
        "tlslite",
    }
    assert loaded & needless == set()
    assert len(loaded) < 385
