/** The gateway's rules for passwords. */
import { t } from "@lingui/core/macro";

const MIN_CHARACTERS = 12;
const MAX_BYTES = 1024;

export interface Rule {
  says: string;
  kept: boolean;
}

/** The rules for a new password of `login`, and whether `password` follows them. */
export function passwordRules(password: string, login: string): Rule[] {
  const rules = [
    {
      says: t`At least ${MIN_CHARACTERS} characters. A sentence works well`,
      kept: [...password].length >= MIN_CHARACTERS,
    },
    {
      says: login ? t`Not your login, ${login}` : t`Not your login`,
      kept: password !== "" && password.toLowerCase() !== login.toLowerCase(),
    },
  ];
  // Shown only if broken, because almost no password is so long.
  const fits = new TextEncoder().encode(password).length <= MAX_BYTES;
  return fits ? rules : [...rules, { says: t`At most ${MAX_BYTES} bytes`, kept: false }];
}
