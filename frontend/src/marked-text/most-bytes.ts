/** The most that the editor holds, in bytes of the document. Apart, so that asking for it does not load the editor. */
export const MOST_BYTES = 2_000_000;
