import { numberLocale } from "@/i18n/locale";

/** A number for people: `1,200`, in French `1 200`. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(numberLocale(), options);
}

/** The number that somebody typed, with a point or the decimal separator of the page's language; NaN if it is none. */
export function numberIn(text: string): number {
  const separator = (0.5).toLocaleString(numberLocale()).charAt(1);
  const number = text.replace(/\s/g, "").replace(separator, ".");
  return number === "" ? Number.NaN : Number(number);
}
