"""A verification as people see it: the same for what was sent and for what was received."""

from pydantic import BaseModel

from sieve.gateway.documents.verification import CheckName, Verification


class CheckShown(BaseModel):
    """One thing that was looked at. `says`: a sentence, either way."""

    name: CheckName
    ok: bool
    says: str


class VerificationShown(BaseModel):
    """Computed anew from what is stored now. `signer`: the gateway that gave the receipt; `key`: hexadecimal."""

    valid: bool
    checks: list[CheckShown]
    signer: str
    key: str

    @classmethod
    def of(cls, found: Verification) -> "VerificationShown":
        checks = [CheckShown(name=check.name, ok=check.ok, says=check.says) for check in found.checks]
        return cls(valid=found.valid, checks=checks, signer=found.signer, key=found.key)
