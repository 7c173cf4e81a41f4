"""What a start loads. A module that it does not need costs each start its time, and a parser of files adds risk."""

import json
import subprocess
import sys
from typing import Any

PARSERS = {"lxml", "pikepdf", "pypdfium2"}


def _said(code: str) -> Any:
    """What a new process prints, as JSON."""
    done = subprocess.run([sys.executable, "-c", f"import json, sys; {code}"], check=True, capture_output=True)
    return json.loads(done.stdout)


def _loaded(code: str) -> set[str]:
    """The modules of a new process after `code`."""
    return set(_said(f"{code}; print(json.dumps(sorted(sys.modules)))"))


def test_a_gateway_loads_no_parser_of_files_no_migrations_and_no_numpy_and_prepares_no_route_of_the_api() -> None:
    """To prepare a route takes a millisecond or two, and there are nearly 200."""
    modules, routes, prepared = _said(
        "import sieve.serving; modules = sorted(sys.modules);"
        "from sieve.web.app import described; routes = described().routes;"
        "prepared = [route.path for route in routes if 'dependant' in vars(route)];"
        "print(json.dumps([modules, len(routes), prepared]))"
    )
    needless = {*PARSERS, "alembic", "gmpy2", "joserfc", "numpy", "pygments", "rich", "tlslite"}
    assert needless.isdisjoint(modules)
    assert "sieve.web.app" in modules and len(modules) < 1600
    assert prepared and routes > 100
    assert not [path for path in prepared if path.startswith("/api/v1")]


def test_the_first_admin_is_made_without_the_web_application() -> None:
    loaded = _loaded(
        "import sieve.web.person, sieve.web.tokens.new_token, sieve.web.one_time_links.new_link, sieve.load_config"
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
    assert len(loaded) < 390
