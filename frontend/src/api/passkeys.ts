/** Passkeys in this browser. Its own functions convert the gateway's JSON. */
import { t } from "@lingui/core/macro";
import { Problem } from "./problem";

/** Whether this browser has passkeys at this address: only at https and localhost. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Asks the person to create a passkey. Returns it as JSON. Throws a `Problem` if nothing was chosen. */
export function createPasskey(options: unknown): Promise<PublicKeyCredentialJSON> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return answerOf(navigator.credentials.create({ publicKey }));
}

/** Asks the person for a passkey. Returns its answer as JSON. Throws a `Problem` if nothing was chosen. */
export function askForPasskey(options: unknown): Promise<PublicKeyCredentialJSON> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return answerOf(navigator.credentials.get({ publicKey }));
}

async function answerOf(asking: Promise<Credential | null>): Promise<PublicKeyCredentialJSON> {
  try {
    const credential = await asking;
    if (credential !== null) return (credential as PublicKeyCredential).toJSON();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === "InvalidStateError") {
      throw new Problem(
        409,
        t`This device has a passkey for you already. Use another device, or remove that passkey first.`,
      );
    }
    if (error.name !== "NotAllowedError" && error.name !== "AbortError") throw error;
  }
  throw new Problem(409, t`No passkey was used. Try again, or choose another way.`);
}
