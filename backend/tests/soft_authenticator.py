"""An authenticator in software: makes passkeys and answers challenges as browsers return them. No attestation."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

UP, UV, AT = 0x01, 0x04, 0x40
ORIGIN = "http://localhost"


@dataclass
class SoftAuthenticator:
    """`verifies`: whether it verifies its user, such as by a PIN."""

    verifies: bool = True
    origin: str = ORIGIN
    count: int = 0
    credential_id: bytes = field(default_factory=lambda: token_bytes(32))
    user_handle: str = ""
    _key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer of `navigator.credentials.create()`."""
        self.user_handle = options["user"]["id"]
        numbers = self._key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        credential = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id + cbor2.dumps(key)
        data = self._data(options["rp"]["id"], AT) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", options["challenge"])
        return self._answer(clientDataJSON=client_data, attestationObject=attestation)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer of `navigator.credentials.get()`."""
        self.count += 1
        data = self._data(options["rpId"], 0)
        client_data = self._client_data("webauthn.get", options["challenge"])
        signature = self._key.sign(data + sha256(client_data).digest(), ec.ECDSA(SHA256()))
        answer = self._answer(clientDataJSON=client_data, authenticatorData=data, signature=signature)
        answer["response"]["userHandle"] = self.user_handle
        return answer

    def _data(self, rp_id: str, flags: int) -> bytes:
        flags |= UP | (UV if self.verifies else 0)
        return sha256(rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4)

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, **response: bytes) -> dict[str, Any]:
        own_id = bytes_to_base64url(self.credential_id)
        encoded = {name: bytes_to_base64url(value) for name, value in response.items()}
        # Browsers add more members, which the gateway ignores.
        return {"id": own_id, "rawId": own_id, "type": "public-key", "response": encoded, "clientExtensionResults": {}}


def challenge_of(options: dict[str, Any]) -> bytes:
    """The challenge of some options."""
    return base64url_to_bytes(options["challenge"])
