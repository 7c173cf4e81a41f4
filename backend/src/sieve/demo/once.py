"""`sieve demo once` and `make demo`: send a marked document from alpha to bravo, download it, compare bytes and verify
the receipt.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from sieve.core import markup
from sieve.core.errors import SieveError
from sieve.demo.gateways import (
    AUTHOR,
    NAMES,
    RECIPIENT,
    DemoError,
    Running,
    add_person,
    make_identities,
    pair,
    sieve_command,
    start,
    two_gateways,
)

SAMPLE: Final = Path(__file__).with_name("sample.md")
QUIET: Final = {"SIEVE_LOG_LEVEL": "warning"}


@contextmanager
def _quiet_gateways(folder: Path) -> Iterator[tuple[Running, Running]]:
    free = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
    make_identities(folder / "identities")
    quiet = partial(start, extra=QUIET)
    with two_gateways(folder, folder / "identities", dict.fromkeys(NAMES, free), quiet) as gateways:
        yield gateways


def once(
    file: Path,
    send_options: list[str],
    gateways: Callable[[Path], AbstractContextManager[tuple[Running, Running]]] = _quiet_gateways,
    *,
    as_json: bool = False,
) -> int:
    """Sends `file` from alpha to bravo; prints the result, last as JSON. Returns 0 if all checks pass.

    `gateways`: runs alpha and bravo in a folder. `as_json`: prints nothing but the JSON.
    """
    try:
        marked = file.read_bytes()
        document = markup.parse(marked)
    except OSError as error:
        raise DemoError(f"{file}: {error.strerror}") from error
    except SieveError as error:
        raise DemoError(f"{file}: {error}") from error
    if "--mode" not in " ".join(send_options):
        send_options = ["--mode", "sieve", *send_options]
    if not document.spans and document.content == marked:
        send_options = ["--unmarked", *send_options]  # `send` sends a text without marks only if it is asked to
    with tempfile.TemporaryDirectory(prefix="sieve-demo-") as temporary:
        folder = Path(temporary)
        with gateways(folder) as (alpha, bravo):
            for gateway in () if as_json else (alpha, bravo):
                print(f"{gateway.name}: " + ", ".join(f"{kind} {where}" for kind, where in gateway.listeners.items()))
            pair(alpha, bravo)
            author = {
                "SIEVE_URL": alpha.url,
                "SIEVE_TOKEN": add_person(alpha, AUTHOR, "Anna", is_author=True),
            }
            recipient = {
                "SIEVE_URL": bravo.url,
                "SIEVE_TOKEN": add_person(bravo, RECIPIENT, "Bruno", is_recipient=True, cleared=True),
            }
            to = ["--peer", bravo.name, "--to", RECIPIENT]
            # The demonstration sends any file: findings of the leak check are printed, and recorded in the audit log.
            why = folder / "reason"
            why.write_text("a demonstration")
            confirm = ["--reason-file", str(why)]
            sent = sieve_command("send", str(file), *to, *confirm, "--json", *send_options, env=author)
            if sent.returncode:
                raise DemoError("sending failed; see the line above")
            result = json.loads(sent.stdout.splitlines()[-1])
            transfer = result["transfer_id"]
            full, again = folder / "full", folder / "marked"
            for edition, path in (("full", full), ("marked", again)):
                got = sieve_command("get", transfer, "--out", str(path), "--edition", edition, env=recipient)
                if got.returncode:
                    raise DemoError(f"the {edition} edition could not be downloaded")
            receipt = folder / "receipt.json"
            sieve_command("receipt", transfer, "--out", str(receipt), env=author)
            verified = sieve_command("verify", str(receipt), env=author)
            result["identical"] = full.read_bytes() == document.content and again.read_bytes() == marked
            result["receipt_verified"] = verified.returncode == 0
            result["listeners"] = {alpha.name: alpha.listeners, bravo.name: bravo.listeners}
            if not as_json:
                _print_result(file, result)
            print(json.dumps(result))
            return 0 if result["identical"] and result["receipt_verified"] else 1


def _print_result(file: Path, result: dict[str, Any]) -> None:
    timings = result["timings"]
    print(f"{file.name}: {result['document_bytes']} bytes, {result['classified_bytes']} classified, {result['mode']}")
    print(
        f"bravo has it: bytes {'identical' if result['identical'] else 'DIFFERENT'}, "
        f"receipt {'verified' if result['receipt_verified'] else 'NOT VERIFIED'}"
    )
    print(f"response {timings['response']:.1f} ms, total {timings['total']:.1f} ms, stored {timings['stored']:.1f} ms")
