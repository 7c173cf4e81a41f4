const NO_BREAK = "\u00a0";

/** Sets a no-break space where French typography requires one (before : ; ? ! » and %, after «), and typographic apostrophes. */
export function frenchTypography(text: string): string {
  return (
    text
      .replace(/(?<=\S) (?=[;?!»%](?:[\s»).,<]|$)|:(?:\s|$))/gu, NO_BREAK)
      .replace(/« /gu, `«${NO_BREAK}`)
      // A straight apostrophe before a brace would quote the brace in ICU's syntax.
      .replace(/(?<=\p{L})'(?=[\p{L}{<«“])/gu, "’")
  );
}
