"""Who the peers are and how to reach them: identity, pins, TLS, invitations, and the connections to each peer."""
