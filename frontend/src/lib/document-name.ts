import { t } from "@lingui/core/macro";

/** The most characters (code points) of a document's name; the gateway cuts longer ones. */
const MOST = 300;

/** The error of a document's name, as a sentence; null if it is valid. */
export function nameError(name: string): string | null {
  const length = [...name.trim()].length;
  if (length === 0) return t`Enter a name.`;
  return length > MOST ? t`The name must be ${MOST} characters or fewer. It has ${length}.` : null;
}

/** The first 60 characters of a name. */
export function shortName(name: string): string {
  const characters = [...name];
  return characters.length > 60 ? `${characters.slice(0, 60).join("")}…` : name;
}

/** The name of a new document: with the ending of a text, unless the author gave it one. */
export function withEnding(name: string): string {
  return /[^.\s]\.[a-z0-9]{1,10}$/i.test(name) || [...name].length + 4 > MOST ? name : `${name}.txt`;
}
