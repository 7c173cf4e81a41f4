"""The row and column of each sealed value: `sealed_value` binds it to this context, and unseals it only there.
`queries.sealed_columns` lists the columns with their contexts.
"""


def policy(name: str, version: int) -> str:
    """The source of a policy's version."""
    return f"policy/{name}/{version}"


def webhook(webhook_id: str) -> str:
    """The secret of a webhook."""
    return f"webhook/{webhook_id}"


def labels(draft_id: str) -> str:
    """The labels of a draft."""
    return f"labels/{draft_id}"


def authenticator_app(user_id: str) -> str:
    """The secret of a person's authenticator app."""
    return f"authenticator-app/{user_id}"


def sent_cover(transfer_id: str) -> str:
    """The cover of a transfer."""
    return f"cover/sent/{transfer_id}"


def received_cover(peer_id: str, transfer_id: str) -> str:
    """The cover of a received document."""
    return f"cover/received/{peer_id}/{transfer_id}"


def partial(peer_id: str, transfer_id: str) -> str:
    """What is kept of a broken transfer."""
    return f"partial/{peer_id}/{transfer_id}"


def audit_reason(entry_id: str) -> str:
    """The reason in an audit entry."""
    return f"audit/{entry_id}"


def audit_details(entry_id: str) -> str:
    """The sealed details of an audit entry."""
    return f"audit/{entry_id}/details"
