"""`sieve versions`: the versions of one of your documents, to look at and to bring back."""

import sys
from typing import Annotated

import typer

from sieve.cli import table
from sieve.cli.api import Api, path_to, show_json
from sieve.cli.errors import BadInput
from sieve.cli.named_transfer import found
from sieve.cli.options import DEFAULT_URL, Json, TokenFile, Url


def versions(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its name, its id, or the start of its id.")],
    show: Annotated[
        int | None, typer.Option("--show", metavar="N", min=1, help="Print version N: a text with its tags, or a file.")
    ] = None,
    restore: Annotated[
        int | None, typer.Option("--restore", metavar="N", min=1, help="Bring back version N, as a new version.")
    ] = None,
    as_json: Json = False,
    url: Url = DEFAULT_URL,
    token_file: TokenFile = None,
) -> None:
    """List the versions of one of your documents, show one, or bring one back."""
    if show is not None and restore is not None:
        raise BadInput("give --show or --restore, not both")
    with Api(url, token_file) as api:
        draft = found(list(api.pages("/drafts")), "drafts", document)
        path = f"{path_to('drafts', draft['id'])}/versions"
        kept = api.call("GET", path)
        if restore is not None:
            latest = {"If-Match": f'"{kept["revision"]}"'}
            restored = api.call("POST", f"{path}/{restore}/restore", headers=latest)
            if as_json:
                show_json(restored)
            else:
                again = f"{draft['name']} is again as in version {restore}. This is version {restored['revision']}."
                print(table.visible(again))
            return
        if show is not None:
            shown = next((each for each in kept["versions"] if each["revision"] == show), None)
            if shown is None:
                raise BadInput(
                    f"version {show} of {draft['name']} is not kept; leave out --show to list those that are"
                )
            edition = "marked" if shown["format"] == "text" else "full"
            content = api.text(f"{path_to('documents', shown['document_id'])}/content", params={"edition": edition})
            sys.stdout.buffer.write(content)
            return
    rows = (
        [
            str(each["revision"]),
            table.when(each["created_at"]),
            table.size(each["document_bytes"]),
            table.size(each["classified_bytes"]),
            ", ".join(f"sent to {sent['peer']}" for sent in each["sent"]),
        ]
        for each in kept["versions"]
    )
    table.show_list(kept, as_json, ["version", "saved", "size", "classified", "sent"], rows)
