import { numberLocale } from "@/i18n/locale";

/** A number for people: `1,200`, in French `1 200`. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(numberLocale(), options);
}
