"""Passkeys (WebAuthn): what the gateway asks a browser for, and how it verifies what the browser returns.

`webauthn` is imported when it is first needed: it takes a quarter of a second to load.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from sieve.core.errors import SieveError
from sieve.store.models import Passkey, User
from sieve.web.second_factor.relying_party import RelyingParty

MAX_TEXT: Final = 32_768
TIMEOUT_MS: Final = 4 * 60 * 1000


class BadPasskey(SieveError):
    """What the browser returned does not verify."""


class Answer(BaseModel):
    """A public key credential as `PublicKeyCredential.toJSON()` returns it. Binary values are in base64url."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    id: str = Field(max_length=2048)
    raw_id: str = Field(alias="rawId", max_length=2048)
    type: str = Field(max_length=32)


class _NewParts(BaseModel):
    client_data: str = Field(alias="clientDataJSON", max_length=MAX_TEXT)
    attestation_object: str = Field(alias="attestationObject", max_length=MAX_TEXT)


class _UsedParts(BaseModel):
    client_data: str = Field(alias="clientDataJSON", max_length=MAX_TEXT)
    authenticator_data: str = Field(alias="authenticatorData", max_length=MAX_TEXT)
    signature: str = Field(max_length=MAX_TEXT)
    user_handle: str | None = Field(None, alias="userHandle", max_length=256)


class NewPasskey(Answer):
    """The answer of `navigator.credentials.create()`."""

    response: _NewParts


class UsedPasskey(Answer):
    """The answer of `navigator.credentials.get()`."""

    response: _UsedParts


class Verified(BaseModel):
    """A verified new passkey."""

    credential_id: bytes
    public_key: bytes
    sign_count: int


def creation_options(
    party: RelyingParty, gateway: str, user: User, existing: Iterable[Passkey], challenge: bytes
) -> dict[str, Any]:
    """The options of `navigator.credentials.create()`. `existing`: authenticators that have a passkey already."""
    from webauthn import generate_registration_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=party.id,
        rp_name=f"Security Sieve {gateway}",
        user_id=user.id.encode(),
        user_name=user.name,
        user_display_name=user.display_name,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=row.credential_id) for row in existing],
    )
    return options_to_json_dict(options)


def request_options(party: RelyingParty, passkeys: Sequence[Passkey] | None, challenge: bytes) -> dict[str, Any]:
    """The options of `navigator.credentials.get()`. `passkeys`: of the person; None if the person is unknown: then the
    authenticator must verify the user, because it is the only factor.
    """
    from webauthn import generate_authentication_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor, UserVerificationRequirement

    verification = UserVerificationRequirement.REQUIRED if passkeys is None else UserVerificationRequirement.PREFERRED
    options = generate_authentication_options(
        rp_id=party.id,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        allow_credentials=[PublicKeyCredentialDescriptor(id=row.credential_id) for row in passkeys or ()],
        user_verification=verification,
    )
    return options_to_json_dict(options)


def challenge_of(answer: NewPasskey | UsedPasskey) -> bytes:
    """The challenge that the answer claims to sign.

    Raises:
        BadPasskey: it has none.
    """
    from webauthn.helpers import base64url_to_bytes, parse_client_data_json

    try:
        return parse_client_data_json(base64url_to_bytes(answer.response.client_data)).challenge
    except Exception as error:  # the library has many errors for malformed answers
        raise BadPasskey("the browser's answer is malformed") from error


def credential_id_of(answer: UsedPasskey) -> bytes:
    """The credential id that the answer names.

    Raises:
        BadPasskey: it is malformed.
    """
    from webauthn.helpers import base64url_to_bytes

    try:
        return base64url_to_bytes(answer.raw_id)
    except ValueError as error:
        raise BadPasskey("the browser's answer is malformed") from error


def verify_new(answer: NewPasskey, party: RelyingParty, challenge: bytes) -> Verified:
    """The new passkey of a verified answer.

    Raises:
        BadPasskey: it does not verify.
    """
    from webauthn import verify_registration_response

    try:
        found = verify_registration_response(
            credential=answer.model_dump(by_alias=True),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
        )
    except Exception as error:
        raise BadPasskey("the new passkey could not be verified; try again") from error
    return Verified(
        credential_id=found.credential_id, public_key=found.credential_public_key, sign_count=found.sign_count
    )


def verify_used(
    answer: UsedPasskey, row: Passkey, party: RelyingParty, challenge: bytes, *, verified_user: bool
) -> int:
    """The new sign count of `row`. `verified_user`: whether the authenticator must have verified the user.

    Raises:
        BadPasskey: the answer does not verify.
    """
    from webauthn import verify_authentication_response
    from webauthn.helpers import base64url_to_bytes

    handle = answer.response.user_handle
    try:
        if handle is not None and base64url_to_bytes(handle) != row.user_id.encode():
            raise BadPasskey("the passkey belongs to another person")
        found = verify_authentication_response(
            credential=answer.model_dump(by_alias=True),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=row.public_key,
            credential_current_sign_count=row.sign_count,
            require_user_verification=verified_user,
        )
    except Exception as error:
        raise BadPasskey("the passkey could not be verified") from error
    return found.new_sign_count
