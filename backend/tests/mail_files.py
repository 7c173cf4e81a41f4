"""Mails of every structure, as programs write them."""

from email.message import EmailMessage
from email.policy import SMTP

from office_files import docx, png

PUBLIC = "The ferry goes twice a day, from the old quay to the islands beyond the harbour; it rests on Sundays."


def mail(
    secret: str,
    *,
    encoding: str = "quoted-printable",
    is_page: bool = False,
    charset: str = "utf-8",
    attached: dict[str, bytes] | None = None,
) -> bytes:
    """A mail whose second paragraph says "The code is `secret`, said Ann."; with the same as a page if `is_page`."""
    message = EmailMessage(policy=SMTP)
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "Tom Reed <tom@example.org>"
    message["Subject"] = "The ferry"
    message["Date"] = "Mon, 23 Nov 2026 09:00:00 +0000"
    message["Message-ID"] = "<1@example.org>"
    text = f"Dear Tom,\n\nThe code is {secret}, said Ann.\n\n{PUBLIC}\n"
    message.set_content(text, cte=encoding, charset=charset)
    if is_page:
        body = "".join(f"<p>{paragraph}</p>\n" for paragraph in text.strip().split("\n\n"))
        page = f'<html><body class="a">\n{body}</body></html>'
        message.add_alternative(page, subtype="html", cte=encoding, charset=charset)
    for name, data in (attached or {}).items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def attachments(secret: str) -> dict[str, bytes]:
    """Files of several formats, the first two of which contain `secret`."""
    return {
        "memo.docx": docx(secret),
        "pay.csv": f"name,code\nTom,{secret}\n".encode(),
        "ports.csv": b"name,ships\nHamburg,12\n",
        "quay.png": png(packed=b"a small picture"),
        "film.bin": bytes(range(256)),
    }
