"""`sieve inbox`: what was delivered to me."""

from sieve.cli import table
from sieve.cli.api import Api, show_json
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


def inbox(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List what was delivered to you, the latest first."""
    with Api(url, token_file) as api:
        entries = list(api.pages("/inbox"))
    if as_json:
        show_json(entries)
        return
    rows = [[e["transfer_id"], e["received_at"], e["peer"], e["sender"], e["name"]] for e in entries]
    table.show(["transfer", "received", "from", "sender", "document"], rows)
