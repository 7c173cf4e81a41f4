"""A verification as people see it: the same for what was sent and for what was received."""

from sieve.gateway.documents.verification import CheckName, Verification
from sieve.web.schemas import SaidShown, Shown, shown_said


class CheckShown(Shown):
    """The result of one check. `says`: a sentence, whether or not it passed. `said`: the sentence with its code; null
    if it has none.
    """

    name: CheckName
    ok: bool
    says: str
    said: SaidShown | None = None


class VerificationShown(Shown):
    """Computed from what is stored now. `signer`: the gateway that signed the receipt; `key`: hexadecimal."""

    valid: bool
    checks: list[CheckShown]
    signer: str
    key: str

    @classmethod
    def of(cls, found: Verification) -> "VerificationShown":
        return cls.from_attributes(
            found, checks=[CheckShown.from_attributes(check, said=shown_said(check.says)) for check in found.checks]
        )
