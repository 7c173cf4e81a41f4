/** Says the gateway's sentences in the language of the page. The gateway writes them in English, with codes. */
import { numberText } from "@/lib/numbers";
import type { components } from "./schema";
import { SENTENCES } from "./sentences";

const FORMS: Readonly<Record<string, (texts: never, count: number) => string>> = SENTENCES;

export type Said = components["schemas"]["SaidShown"];

/** A sentence of the gateway; `english` if it has no code, or one that this page does not know. */
export function saidText(said: Said | null | undefined, english: string): string {
  const form = said && FORMS[said.code];
  if (!form) return english;
  const { parameters } = said;
  const texts = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, valueText(value)]));
  return form(texts as never, typeof parameters.count === "number" ? parameters.count : 0);
}

/** A reason that the gateway keeps, in the language of the page where it has a code; null if there is none. */
export function reasonText({ reason, said }: { reason: string | null; said: Said | null }): string | null {
  return reason === null ? null : saidText(said, reason);
}

/** Whether a member of an answer is a sentence with a code. */
export function isSaid(value: unknown): value is Said {
  return typeof value === "object" && value !== null && "text" in value && "code" in value && "parameters" in value;
}

function valueText(value: Said["parameters"][string]): string {
  if (typeof value === "object") return saidText(value, value.text);
  return typeof value === "number" ? numberText(value, { maximumFractionDigits: 15 }) : value;
}
