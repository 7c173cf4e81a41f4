"""`sieve inbox`: documents that were delivered to you."""

from sieve.cli import table
from sieve.cli.api import Api
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


def inbox(as_json: Json = False, url: Url = DEFAULT_URL, token_file: TokenFile = None) -> None:
    """List documents that were delivered to you, the latest first."""
    with Api(url, token_file) as api:
        entries = list(api.pages("/inbox"))
    rows = ([e["transfer_id"], e["received_at"], e["peer"], e["sender"], e["name"]] for e in entries)
    table.show_list(entries, as_json, ["transfer", "received", "from", "sender", "document"], rows)
