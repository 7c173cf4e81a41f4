"""Single sign-on: the OpenID Connect provider, sign-ins at it that are not finished, and what its claims mean."""
