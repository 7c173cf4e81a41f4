"""Checks documents before they are sent, with the leak scanner and with policies."""
