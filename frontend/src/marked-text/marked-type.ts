/** The type of marked text on a clipboard. */
export const MARKED_TYPE = "application/x-security-sieve-marked";
