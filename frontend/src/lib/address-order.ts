/** Compares addresses of a file: `row/2` is before `row/10`. The same in every language, so that equal sets of marks are equal lists. */
export const compareAddresses = new Intl.Collator("en", { numeric: true }).compare;
