"""A short text that a row keeps sealed: a reason, a policy, the labels of spans.

    value = key id (16 hexadecimal digits) | wrapped data key (60 bytes) | nonce (12) | AES-256-GCM(data key, text, aad)

The data key is fresh for each value and wrapped as that of a blob is, so that the master key never touches the text.
`place` says where the value belongs, such as "audit/17"; in another place it does not open.
"""

import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sieve.store.errors import BlobDamaged, MasterKeyError, MasterKeyMissing
from sieve.store.master_keys import KEY_SIZE, NONCE_SIZE, MasterKeys

ID_SIZE: Final = 16
"""A value begins with this many characters: the id of the master key that wrapped its data key."""
_WRAPPED: Final = NONCE_SIZE + KEY_SIZE + 16


def seal(keys: MasterKeys, text: bytes, place: str) -> bytes:
    """`text`, sealed for `place`."""
    aad = _aad(place)
    data_key, nonce = AESGCM.generate_key(8 * KEY_SIZE), secrets.token_bytes(NONCE_SIZE)
    key_id, wrapped = keys.wrap(data_key, aad)
    return key_id.encode() + wrapped + nonce + AESGCM(data_key).encrypt(nonce, text, aad)


def unseal(keys: MasterKeys, value: bytes, place: str) -> bytes:
    """The text again.

    Raises:
        BlobDamaged: the value was changed, or is another place's.
        MasterKeyMissing: the master key that it needs is not here.
    """
    aad = _aad(place)
    sealed_at = ID_SIZE + _WRAPPED + NONCE_SIZE
    try:
        data_key = keys.unwrap(value[:ID_SIZE].decode("ascii"), value[ID_SIZE : ID_SIZE + _WRAPPED], aad)
        return AESGCM(data_key).decrypt(value[ID_SIZE + _WRAPPED : sealed_at], value[sealed_at:], aad)
    except MasterKeyMissing:
        raise
    except (InvalidTag, MasterKeyError, UnicodeDecodeError, ValueError) as error:
        raise BlobDamaged("a sealed value does not open: its row was changed") from error


def rewrap(keys: MasterKeys, value: bytes, place: str) -> bytes | None:
    """The value with its data key under the current master key; None if it is so already.

    Raises:
        BlobDamaged: the value was changed, or is another place's.
        MasterKeyMissing: the master key that it needs is not here.
    """
    unseal(keys, value, place)  # a damaged value stays as it is
    key_id, wrapped = value[:ID_SIZE].decode("ascii"), value[ID_SIZE : ID_SIZE + _WRAPPED]
    if keys.is_current(key_id, wrapped):
        return None
    new_id, wrapped = keys.rewrap(key_id, wrapped, _aad(place))
    return new_id.encode() + wrapped + value[ID_SIZE + _WRAPPED :]


def _aad(place: str) -> bytes:
    return b"value " + place.encode()
