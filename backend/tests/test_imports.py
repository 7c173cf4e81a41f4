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
    assert loaded & {*PARSERS, "alembic", "gmpy2", "joserfc", "numpy", "tlslite"} == set()
    assert len(loaded) < 1600


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
